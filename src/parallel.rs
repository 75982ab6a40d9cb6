//! Threads: how many, where they live, how work is cut into tasks, and how a caller stops it.
//!
//! Task boundaries never depend on the number of threads, and results come back in task order: the same bits with one
//! thread or many.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// How often a caller's watch is asked.
const POLL: Duration = Duration::from_millis(50);

/// No pool grows beyond this, whatever was asked for.
const MAX_THREADS: usize = 256;

/// Pools of other sizes than the last few are given up.
const MAX_POOLS: usize = 2;

/// Bytes of a thread's stack: Rust's own number, for which it would look in the environment.
const STACK: usize = 2 << 20;

/// Environment variables that set the number of threads, the strongest first.
const VARIABLES: [&str; 3] = ["GAUDA_NUM_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS"];

/// Cores that this process may use. It takes the system tens of microseconds to count them, so each process asks once.
fn n_cores() -> usize {
    /// The process that has asked, in the upper half, and what it was told.
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    let process = u64::from(std::process::id()) << 32;
    let known = KNOWN.load(Ordering::Relaxed);
    if known & !u64::from(u32::MAX) == process {
        return (known & u64::from(u32::MAX)) as usize;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    KNOWN.store(process | cores as u64, Ordering::Relaxed);
    cores
}

/// Asked now and then on the calling thread; true ends the work with [`Error::Cancelled`].
pub type ShouldStop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Tells how many threads the environment asks for.
type Environment<'a> = &'a (dyn Fn() -> Option<usize> + Sync);

/// How work is run: the number of threads and the caller's watch.
///
/// ```
/// use gauda::core::Parallel;
///
/// let serial = Parallel::new(Some(1));
/// assert_eq!(serial.threads(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct Parallel<'a> {
    threads: Option<usize>,
    environment: Environment<'a>,
    watch: Option<ShouldStop<'a>>,
}

impl std::fmt::Debug for Parallel<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parallel")
            .field("threads", &self.threads())
            .field("watched", &self.watch.is_some())
            .finish()
    }
}

impl Default for Parallel<'_> {
    fn default() -> Self {
        Self::new(None)
    }
}

impl<'a> Parallel<'a> {
    /// `threads`, or else what the environment says, or else one per available core.
    pub fn new(threads: Option<usize>) -> Self {
        Self { threads, environment: &threads_in_environment, watch: None }
    }

    /// The same with a watch.
    pub fn watched(self, watch: ShouldStop<'a>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// The same, with the environment asked by way of `environment`, once or more often.
    #[cfg(feature = "python")]
    pub(crate) fn asking(self, environment: Environment<'a>) -> Self {
        Self { environment, ..self }
    }

    /// The same on the caller's thread.
    pub(crate) fn alone(self) -> Self {
        Self { threads: Some(1), ..self }
    }

    /// Number of threads. The environment is asked anew each time, and only when work is large enough.
    pub fn threads(&self) -> usize {
        let threads = self.threads.or_else(self.environment);
        threads.unwrap_or_else(n_cores).clamp(1, MAX_THREADS)
    }

    /// Runs tasks `0..tasks`; the results in task order, or the error of the first task that failed.
    ///
    /// The caller's thread begins at once and asks the watch; others take over tasks as soon as they have woken up. Tasks
    /// are begun in order, so that those before one that fails have begun, and go on to their end; those behind it are
    /// given up.
    pub(crate) fn map<R: Send>(
        &self,
        tasks: usize,
        task: impl Fn(usize, &Job<'_>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let threads = if tasks <= 1 { 1 } else { self.threads() };
        let (wanted, next) = (AtomicUsize::new(tasks), AtomicUsize::new(0));
        let done: Mutex<Vec<(usize, Result<R>)>> = Mutex::new(Vec::with_capacity(tasks));
        let work = |mut job: Job<'_>| {
            let claims = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
            for index in claims.take_while(|&index| index < tasks) {
                job.task = index;
                let result = job.check().and_then(|()| task(index, &job));
                let failed = result.is_err();
                done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                if failed {
                    // Whatever this thread could claim from now on lies behind.
                    wanted.fetch_min(index + 1, Ordering::Relaxed);
                    return;
                }
            }
        };
        let own = Job::new(&wanted, self.watch);
        let helpers = if threads == 1 { None } else { pool(threads - 1) };
        match helpers {
            Some(helpers) => helpers.in_place_scope(|scope| {
                (1..threads.min(tasks)).for_each(|_| scope.spawn(|_| work(Job::new(&wanted, None))));
                work(own);
            }),
            None => work(own),
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|&(index, _)| index);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Runs a task on each of some parts, which it may write to; the results in the order of the parts.
    pub(crate) fn for_each_part<P: Send, R: Send>(
        &self,
        parts: impl IntoIterator<Item = P>,
        task: impl Fn(usize, &mut P, &Job<'_>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let parts: Vec<_> = parts.into_iter().map(Mutex::new).collect();
        self.map(parts.len(), |index, job| {
            let mut part = parts[index].lock().unwrap_or_else(PoisonError::into_inner);
            task(index, &mut part, job)
        })
    }

    /// Runs tasks `0..tasks`, and joins their results in task order, each as soon as its turn has come: few exist at a
    /// time. None without tasks.
    pub(crate) fn fold_in_order<S: Send>(
        &self,
        tasks: usize,
        task: impl Fn(usize, &Job<'_>) -> Result<S> + Sync,
        join: impl Fn(&mut S, S) + Sync,
    ) -> Result<Option<S>> {
        let folded = Mutex::new(Folded { total: None, next: 0, waiting: BTreeMap::new() });
        self.map(tasks, |index, job| {
            let result = task(index, job)?;
            folded.lock().unwrap_or_else(PoisonError::into_inner).accept(index, result, &join);
            Ok(())
        })?;
        Ok(folded.into_inner().unwrap_or_else(PoisonError::into_inner).total)
    }
}

/// Results that wait for their turn, and those before joined.
struct Folded<S> {
    total: Option<S>,
    next: usize,
    waiting: BTreeMap<usize, S>,
}

impl<S> Folded<S> {
    fn accept(&mut self, index: usize, result: S, join: impl Fn(&mut S, S)) {
        self.waiting.insert(index, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            match &mut self.total {
                Some(total) => join(total, result),
                None => self.total = Some(result),
            }
            self.next += 1;
        }
    }
}

/// The number that the strongest variable sets. The environment must not be changed meanwhile.
pub(crate) fn threads_in_environment() -> Option<usize> {
    VARIABLES.iter().find_map(|name| threads_in(name))
}

fn threads_in(name: &str) -> Option<usize> {
    let text = std::env::var(name).ok()?;
    // OpenMP allows a list, one entry per nesting level.
    let first = text.split(',').next()?;
    first.trim().parse().ok().filter(|&threads| threads > 0)
}

/// A running piece of work, as its tasks on one thread see it.
pub(crate) struct Job<'a> {
    /// Tasks from this one on are not wanted any more.
    wanted: &'a AtomicUsize,
    /// The task that runs.
    task: usize,
    inline: Option<Inline<'a>>,
}

/// The caller's own thread asks the watch.
struct Inline<'a> {
    watch: ShouldStop<'a>,
    asked: Cell<Instant>,
}

impl<'a> Job<'a> {
    fn new(wanted: &'a AtomicUsize, watch: Option<ShouldStop<'a>>) -> Self {
        let inline = watch.map(|watch| Inline { watch, asked: Cell::new(Instant::now()) });
        Self { wanted, task: 0, inline }
    }

    /// To be called between blocks: an error once the caller wants the work to end, or a task before has failed.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(inline) = &self.inline
            && inline.asked.get().elapsed() >= POLL
        {
            if (inline.watch)() {
                self.wanted.store(0, Ordering::Relaxed);
            }
            inline.asked.set(Instant::now());
        }
        match self.task < self.wanted.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(Error::Cancelled),
        }
    }
}

/// Cuts `0..n` into `tasks` ranges of nearly equal length, multiples of `step` but for the last.
pub(crate) fn task_range(index: usize, tasks: usize, n: usize, step: usize) -> Range<usize> {
    let steps = n.div_ceil(step);
    let bound = |i: usize| (steps * i / tasks * step).min(n);
    bound(index)..bound(index + 1)
}

/// A pool and the process that owns its threads: a forked child has the memory but not the threads.
struct Owned {
    process: u32,
    pool: Arc<ThreadPool>,
}

static POOLS: Mutex<Vec<Owned>> = Mutex::new(Vec::new());

/// This process's pool of that size, made on first use.
///
/// If the list is locked, maybe for ever by a thread that a fork left behind, the caller gets a pool of its own; none if the
/// system gives no threads at all.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    let Ok(mut pools) = POOLS.try_lock() else {
        return build_pool(threads);
    };
    // Dropping a pool whose threads a fork left behind would wait for them: forget it.
    for stale in pools.extract_if(.., |owned| owned.process != process) {
        std::mem::forget(stale);
    }
    let found = pools.iter().find(|owned| owned.pool.current_num_threads() == threads);
    if let Some(owned) = found {
        return Some(Arc::clone(&owned.pool));
    }
    let pool = build_pool(threads)?;
    if pools.len() == MAX_POOLS {
        pools.remove(0);
    }
    pools.push(Owned { process, pool: Arc::clone(&pool) });
    Some(pool)
}

/// As many threads as the system gives, down to one; none if it gives not even that.
fn build_pool(threads: usize) -> Option<Arc<ThreadPool>> {
    let build = |threads| {
        let named = ThreadPoolBuilder::new().thread_name(|index| format!("gauda-{index}"));
        named.num_threads(threads).stack_size(STACK).build()
    };
    build(threads).or_else(|_| build(1)).ok().map(Arc::new)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ScoresError;

    /// A task without an end of its own.
    fn until_told(job: &Job<'_>) -> Result<()> {
        loop {
            job.check()?;
            std::thread::yield_now();
        }
    }

    #[test]
    fn results_come_in_task_order() {
        for threads in [1, 2, 5] {
            let squares = Parallel::new(Some(threads)).map(100, |i, _| Ok(i * i)).unwrap();
            assert!(squares.iter().enumerate().all(|(i, &square)| square == i * i));
        }
    }

    #[test]
    fn each_part_is_written_to_once() {
        for threads in [1, 2, 5] {
            let mut numbers = vec![0; 100];
            let parts = numbers.chunks_mut(7);
            let lengths = Parallel::new(Some(threads)).for_each_part(parts, |index, part, _| {
                part.iter_mut().for_each(|number| *number += index + 1);
                Ok(part.len())
            });
            assert_eq!(lengths.unwrap(), [[7; 14].as_slice(), &[2]].concat());
            assert!(numbers.iter().enumerate().all(|(place, &number)| number == place / 7 + 1));
        }
    }

    #[test]
    fn results_are_joined_in_task_order() {
        for (threads, tasks) in [(1, 0), (1, 1), (2, 50), (5, 200)] {
            let parallel = Parallel::new(Some(threads));
            let joined = parallel.fold_in_order(
                tasks,
                |index, _| {
                    (0..index % 7).for_each(|_| std::thread::yield_now());
                    Ok(vec![index])
                },
                |all, one| all.extend(one),
            );
            assert_eq!(joined.unwrap(), (tasks > 0).then(|| (0..tasks).collect()));
        }
    }

    #[test]
    fn the_first_failing_task_is_reported() {
        let fail = |i: usize, _: &Job<'_>| match i {
            3 | 7 => Err(Error::Scores(ScoresError::TooFar { row: i })),
            _ => Ok(()),
        };
        let error = Parallel::new(Some(3)).map(10, fail).unwrap_err();
        assert_eq!(error, Error::Scores(ScoresError::TooFar { row: 3 }));
    }

    #[test]
    fn tasks_behind_one_that_failed_do_not_begin() {
        for failing in [0, 1, 5] {
            let begun = AtomicUsize::new(0);
            let outcome = Parallel::new(Some(1)).map(1000, |i, _| {
                begun.fetch_add(1, Ordering::Relaxed);
                if i == failing { Err(Error::Scores(ScoresError::TooFar { row: i })) } else { Ok(()) }
            });
            assert_eq!(outcome, Err(Error::Scores(ScoresError::TooFar { row: failing })));
            assert_eq!(begun.into_inner(), failing + 1);
        }
    }

    /// Tasks that end only when they are told to: the failure of the first one must reach them all.
    #[test]
    fn tasks_that_run_behind_one_that_failed_are_told() {
        for threads in [2, 5] {
            let begun = AtomicUsize::new(0);
            let outcome = Parallel::new(Some(threads)).map(1000, |i, job| -> Result<()> {
                begun.fetch_add(1, Ordering::Relaxed);
                if i > 0 {
                    return until_told(job);
                }
                Err(Error::Scores(ScoresError::TooFar { row: 0 }))
            });
            assert_eq!(outcome, Err(Error::Scores(ScoresError::TooFar { row: 0 })));
            assert!(begun.into_inner() <= threads);
        }
    }

    /// A task must neither give up nor be left out because one behind it has failed, however they race.
    #[test]
    fn the_first_failure_is_found_whatever_fails_behind_it() {
        proptest!(|(
            threads in 1_usize..6,
            tasks in 1_usize..200,
            failing in proptest::collection::btree_set(0_usize..200, 1..20),
        )| {
            let failing: Vec<_> = failing.into_iter().filter(|&i| i < tasks).collect();
            let outcome = Parallel::new(Some(threads)).map(tasks, |i, job| {
                job.check()?;
                std::thread::yield_now();
                job.check()?;
                if failing.contains(&i) { Err(Error::Scores(ScoresError::TooFar { row: i })) } else { Ok(i) }
            });
            match failing.first() {
                Some(&row) => prop_assert_eq!(outcome, Err(Error::Scores(ScoresError::TooFar { row }))),
                None => prop_assert_eq!(outcome, Ok((0..tasks).collect())),
            }
        });
    }

    #[test]
    fn a_caller_who_gives_up_gets_no_part_of_the_results() {
        let outcome = Parallel::new(Some(1)).watched(&|| true).map(100, |i, job| {
            if i == 50 {
                until_told(job)?;
            }
            Ok(i)
        });
        assert_eq!(outcome, Err(Error::Cancelled));
    }

    #[test]
    fn ranges_cover_all_rows_once() {
        for (n, tasks, step) in [(0, 1, 8), (7, 3, 8), (1000, 7, 64), (64, 64, 1)] {
            let ranges: Vec<_> = (0..tasks).map(|i| task_range(i, tasks, n, step)).collect();
            assert_eq!(ranges[0].start, 0);
            assert_eq!(ranges[tasks - 1].end, n);
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }

    #[test]
    fn a_watch_ends_the_work() {
        for (threads, tasks) in [(1, 1), (2, 4)] {
            let parallel = Parallel::new(Some(threads)).watched(&|| true);
            assert_eq!(parallel.map(tasks, |_, job| until_told(job)).unwrap_err(), Error::Cancelled);
        }
    }
}
