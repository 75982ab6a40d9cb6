//! What is made once for each pattern of a call, as long as there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::FixedState;

use crate::error::Result;

/// Doubles that a cache may hold.
const BUDGET: usize = 1 << 22;

/// Patterns that have room in any case, and in none: where there are more, few of them come twice.
const MIN_PATTERNS: usize = 32;
const MAX_PATTERNS: usize = 1024;

/// A place for what one pattern needs; whoever comes first makes it while others wait.
type Place<V> = Arc<Mutex<Option<Arc<V>>>>;

/// Values by mask. Patterns that come when it is full are made anew each time.
#[derive(Debug)]
pub(crate) struct PatternCache<V> {
    places: Mutex<HashMap<Box<[u64]>, Place<V>, FixedState>>,
    capacity: usize,
}

impl<V> PatternCache<V> {
    /// A cache of values of about so many doubles each.
    pub(crate) fn new(size: usize) -> Self {
        Self { places: Mutex::default(), capacity: (BUDGET / size.max(1)).clamp(MIN_PATTERNS, MAX_PATTERNS) }
    }

    /// What belongs to a mask.
    pub(crate) fn get(&self, mask: &[u64], make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
        let Some(place) = self.place(mask) else {
            return make().map(Arc::new);
        };
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*place {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(make()?);
        *place = Some(Arc::clone(&made));
        Ok(made)
    }

    fn place(&self, mask: &[u64]) -> Option<Place<V>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(mask) {
            return Some(Arc::clone(place));
        }
        if places.len() == self.capacity {
            return None;
        }
        let place = Place::default();
        places.insert(mask.into(), Arc::clone(&place));
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, InputError};

    #[test]
    fn a_value_is_made_once_while_there_is_room() {
        let cache = PatternCache::new(usize::MAX);
        let made = std::cell::Cell::new(0);
        for _ in 0..2 {
            for mask in 0..2 * MIN_PATTERNS as u64 {
                let value = cache.get(&[mask], || Ok(made.replace(made.get() + 1))).unwrap();
                assert_eq!(*value < MIN_PATTERNS, mask < MIN_PATTERNS as u64);
            }
        }
        assert_eq!(made.get(), 3 * MIN_PATTERNS);
    }

    #[test]
    fn a_failure_leaves_the_place_empty() {
        let cache = PatternCache::new(1);
        assert_eq!(
            cache.get(&[1], || Err::<u8, _>(Error::Input(InputError::NoWeight))),
            Err(Error::Input(InputError::NoWeight))
        );
        assert_eq!(*cache.get(&[1], || Ok(7)).unwrap(), 7);
    }
}
