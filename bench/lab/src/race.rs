//! Contenders that take turns.
//!
//! Benchmark libraries measure one function to the end, then the next. On a machine with neighbours the clock
//! rate and the caches change in between, and a ratio of two such figures says little. Here every round runs one
//! batch of every contender, in an order that rotates, and a ratio is the median of the ratios *within* rounds:
//! whatever slows a round slows all of its batches.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::workload::Query;

/// Fewer rounds than this say nothing.
const FEWEST_ROUNDS: usize = 5;
/// More rounds than this say nothing more.
const MOST_ROUNDS: usize = 801;
/// A batch that takes longer than this is made smaller: a contender that is slow must not use up the time of all.
const LONGEST_BATCH: Duration = Duration::from_millis(4);
/// A batch of fewer destinations would be no sample of the mix.
const SMALLEST_BATCH: usize = 32;
/// A batch that takes longer than this has no need of a warm-up.
const LONGEST_WARM_UP: Duration = Duration::from_millis(20);

/// Decides a batch of destinations; the returned number only keeps the compiler from leaving the work out.
type Contender<'a> = Box<dyn FnMut(&[Query]) -> u64 + 'a>;

/// One contender.
pub struct Lane<'a> {
    name: String,
    queries: &'a [Query],
    run: Contender<'a>,
    /// Destinations in one batch.
    batch: usize,
    /// Where the next batch starts.
    next: usize,
    /// Whether each batch runs once untimed first, so that it finds in the caches what it needs, as far as that fits.
    warm: bool,
    /// Nanoseconds for one destination, by round.
    times: Vec<f64>,
}

/// What came out for one contender.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub name: String,
    /// Nanoseconds for one destination, median of the rounds.
    pub ns: f64,
    /// Its time divided by that of the first contender, median of the ratios within each round.
    pub ratio: f64,
    /// Half of the rounds are no further apart than this part of the median.
    pub spread: f64,
    pub rounds: usize,
}

/// Contenders in one process, the reference first.
#[derive(Default)]
pub struct Race<'a> {
    lanes: Vec<Lane<'a>>,
}

impl<'a> Race<'a> {
    pub fn new() -> Self {
        Self::default()
    }

    /// A contender that decides one destination at a time.
    pub fn lane(mut self, name: &str, queries: &'a [Query], mut decide: impl FnMut(&Query) -> u64 + 'a) -> Self {
        let run = Box::new(move |batch: &[Query]| {
            let mut sum = 0_u64;
            for query in batch {
                sum = sum.wrapping_add(black_box(decide(black_box(query))));
            }
            sum
        });
        self.lanes.push(Lane::new(name, queries, 0, run));
        self
    }

    /// A contender that is handed all of a batch at once, `batch` destinations.
    pub fn batch_lane(
        mut self,
        name: &str,
        queries: &'a [Query],
        batch: usize,
        decide: impl FnMut(&[Query]) -> u64 + 'a,
    ) -> Self {
        self.lanes.push(Lane::new(name, queries, batch, Box::new(decide)));
        self
    }

    /// No batch is warmed up.
    pub fn cold(mut self) -> Self {
        for lane in &mut self.lanes {
            lane.warm = false;
        }
        self
    }

    /// Runs rounds for about `budget`.
    pub fn run(mut self, budget: Duration) -> Vec<Outcome> {
        for lane in &mut self.lanes {
            lane.find_batch();
        }
        let started = Instant::now();
        let mut round = 0;
        while round < FEWEST_ROUNDS || (started.elapsed() < budget && round < MOST_ROUNDS) {
            let lanes = self.lanes.len();
            for turn in 0..lanes {
                self.lanes[(turn + round) % lanes].turn();
            }
            round += 1;
        }
        let reference = self.lanes.first().map(|lane| lane.times.clone()).unwrap_or_default();
        self.lanes.into_iter().map(|lane| lane.outcome(&reference)).collect()
    }
}

impl<'a> Lane<'a> {
    fn new(name: &str, queries: &'a [Query], batch: usize, run: Contender<'a>) -> Self {
        Self { name: name.to_owned(), queries, run, batch, next: 0, warm: true, times: Vec::new() }
    }

    fn find_batch(&mut self) {
        if self.batch == 0 {
            self.batch = SMALLEST_BATCH.min(self.queries.len());
            // The fastest of a few: one that was interrupted says nothing.
            let time = (0..3).map(|_| self.batch_time()).min().unwrap_or_default();
            let fitting = LONGEST_BATCH.as_nanos() / time.as_nanos().max(1) * self.batch as u128;
            self.batch = usize::try_from(fitting).unwrap_or(usize::MAX).clamp(self.batch, self.queries.len());
        }
        self.warm &= self.batch_time() <= LONGEST_WARM_UP;
        self.next = 0;
    }

    fn turn(&mut self) {
        if self.next + self.batch > self.queries.len() {
            self.next = 0;
        }
        if self.warm {
            self.batch_time();
        }
        let time = self.batch_time();
        self.next += self.batch;
        self.times.push(time.as_nanos() as f64 / self.batch as f64);
    }

    fn batch_time(&mut self) -> Duration {
        let batch = &self.queries[self.next..self.next + self.batch];
        let started = Instant::now();
        black_box((self.run)(black_box(batch)));
        started.elapsed()
    }

    fn outcome(self, reference: &[f64]) -> Outcome {
        let ratios = self.times.iter().zip(reference).map(|(own, other)| own / other).collect();
        let rounds = self.times.len();
        let ns = quantile(self.times.clone(), 0.5);
        let spread = (quantile(self.times.clone(), 0.75) - quantile(self.times, 0.25)) / ns;
        Outcome { name: self.name, ns, ratio: quantile(ratios, 0.5), spread, rounds }
    }
}

fn quantile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * part).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Workload;

    #[test]
    fn the_first_contender_is_the_reference() {
        let queries = Workload::new(10).queries;
        let outcomes = Race::new()
            .lane("once", &queries, |query| query.host.bytes().map(u64::from).sum())
            .lane("ten times", &queries, |query| {
                (0..10).map(|_| black_box(&query.host).bytes().map(u64::from).sum::<u64>()).sum()
            })
            .run(Duration::from_millis(200));
        assert_eq!(outcomes[0].ratio, 1.0);
        assert!(outcomes[1].ratio > 2.0, "{outcomes:?}");
    }

    #[test]
    fn quantiles() {
        assert_eq!(quantile(vec![3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(vec![5.0, 1.0, 2.0, 3.0, 4.0], 0.25), 2.0);
    }
}
