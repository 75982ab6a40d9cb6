//! Threads that wait for work, kept from call to call, and across forks.

use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pools of other sizes than the last few are given up.
const MAX_POOLS: usize = 2;

/// Bytes of a thread's stack: Rust's own number, for which it would look in the environment.
const STACK: usize = 2 << 20;

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
pub(super) fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
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
