//! How work is cut into tasks, runs on threads, and is stopped by its caller.
//!
//! Task boundaries never depend on the number of threads, and results come back in task order: the same bits with one
//! thread or many.

mod pools;
mod threads;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pools::pool;
pub(crate) use threads::threads_in_environment;
use threads::{MAX_THREADS, n_cores};

use crate::error::{Error, Result};

/// How often a caller's watch is asked.
const POLL: Duration = Duration::from_millis(50);

/// Asked now and then on the calling thread; true ends the work with [`Error::Cancelled`].
///
/// There is an example at [`Parallel::watched`].
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
    ///
    /// ```
    /// use gauda::core::Parallel;
    ///
    /// assert_eq!(Parallel::new(Some(3)).threads(), 3);
    /// assert!(Parallel::new(None).threads() >= 1);
    /// ```
    pub fn new(threads: Option<usize>) -> Self {
        Self { threads, environment: &threads_in_environment, watch: None }
    }

    /// The same with a watch.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// use gauda::core::{Moments, Parallel, Rows, Structure};
    /// use ndarray::array;
    ///
    /// static STOP: AtomicBool = AtomicBool::new(false); // which a handler of signals may set
    /// let stop = || STOP.load(Ordering::Relaxed);
    /// let x = array![[1.0], [3.0]];
    /// let parallel = Parallel::default().watched(&stop);
    /// let moments = Moments::from_rows(&Rows::from(x.view()), &[0, 0], 1, None, Structure::Full, parallel)?;
    /// assert_eq!(moments.means(), array![[2.0]]);
    /// # Ok::<(), gauda::Error>(())
    /// ```
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
    ///
    /// There is an example at [`Parallel::new`].
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

#[cfg(test)]
mod tests;
