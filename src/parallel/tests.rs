//! Tasks in their order, failures, and ways to stop.

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
