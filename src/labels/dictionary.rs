//! The labels that are known, each with a code.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Label;

/// Labels that span no more than this are looked up in a table.
const TABLE: usize = 1 << 16;

/// Stands in the table for a label that is not known yet.
const UNMET: u32 = u32::MAX;

/// Codes count the labels in the order in which they come.
#[derive(Debug, Clone)]
pub(super) struct Dictionary<L> {
    /// The labels by their codes.
    labels: Vec<L>,
    /// The codes of `base` and what follows it step by step.
    table: Vec<u32>,
    base: L,
    /// Whether the table says nothing but that codes are steps, and labels elsewhere are rare.
    gapless: bool,
    /// The codes of labels elsewhere.
    others: HashMap<L, u32, RandomState>,
}

impl<L: Label> Dictionary<L> {
    /// Knows these labels: ascending, and at least one.
    pub(super) fn of(labels: &[L]) -> Self {
        let base = labels[0];
        let span = labels[labels.len() - 1].steps_above(base).saturating_add(1);
        let table = vec![UNMET; if span <= TABLE { span } else { 0 }];
        let gapless = table.len() == labels.len();
        let mut dictionary = Self { labels: vec![], table, base, gapless, others: HashMap::default() };
        labels.iter().for_each(|&label| _ = dictionary.code(label));
        dictionary
    }

    /// The labels by their codes.
    pub(super) fn into_labels(self) -> Vec<L> {
        self.labels
    }

    /// The code of a label, a new one if it is not known yet.
    pub(super) fn code(&mut self, label: L) -> u32 {
        let code = match self.table.get_mut(label.steps_above(self.base)) {
            Some(code) => code,
            None => self.others.entry(label).or_insert(UNMET),
        };
        if *code == UNMET {
            *code = self.labels.len() as u32;
            self.labels.push(label);
        }
        *code
    }

    /// Writes the code of each label, a new one for each that is not known yet.
    pub(super) fn write_codes(&mut self, labels: impl Iterator<Item = L> + Clone, codes: &mut [u32]) {
        self.gapless = self.gapless && write_steps(labels.clone(), self.base, self.table.len() - 1, codes);
        if self.gapless {
            return;
        }
        let mut rows = labels.zip(codes);
        loop {
            // Nothing changes while labels are found in the table: the compiler keeps all that is needed in registers.
            let (base, table) = (self.base, self.table.as_slice());
            let elsewhere = rows.find_map(|(label, code)| {
                *code = *table.get(label.steps_above(base)).unwrap_or(&UNMET);
                (*code == UNMET).then_some((label, code))
            });
            let Some((label, code)) = elsewhere else {
                return;
            };
            *code = self.code(label);
        }
    }

    /// The labels in ascending order, and the place of each code there.
    pub(super) fn sorted(self) -> (Vec<L>, Vec<u32>) {
        let mut places = vec![0; self.labels.len()];
        let mut sorted: Vec<(L, u32)> = self.labels.into_iter().zip(0..).collect();
        sorted.sort_unstable();
        sorted.iter().zip(0..).for_each(|(&(_, code), place)| places[code as usize] = place);
        (sorted.into_iter().map(|(label, _)| label).collect(), places)
    }
}

/// Writes the steps of each label above `base`. False, and the codes mean nothing, if some label is more than `max_steps`
/// above.
fn write_steps<L: Label>(
    labels: impl Iterator<Item = L>,
    base: L,
    max_steps: usize,
    codes: &mut [u32],
) -> bool {
    let mut outside = 0;
    for (label, code) in labels.zip(codes) {
        let steps = label.steps_above(base);
        *code = steps as u32;
        // The highest bit tells, `max_steps` being small: the baseline's vectors have no comparison of 64 bits.
        outside |= steps | max_steps.wrapping_sub(steps);
    }
    outside.leading_zeros() > 0
}
