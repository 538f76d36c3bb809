//! The instances that hold one policy.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A fixed number of places, each empty or with a value that one thread at a time uses.
///
/// A thread comes back to the same place as long as it is free, so that threads which ask all the time do not
/// meet. One that finds its place empty or taken uses another that is free and filled, so that values are made
/// only when threads really meet.
pub(crate) struct Slots<T> {
    first: Slot<T>,
    more: Box<[Slot<T>]>,
}

/// Two cache lines, so that neighbours do not slow each other down.
#[repr(align(128))]
struct Slot<T>(Mutex<Option<T>>);

/// A place that this thread has for itself.
///
/// Whoever uses the value takes it out and puts it back only when all went well.
pub(crate) type Held<'a, T> = MutexGuard<'a, Option<T>>;

impl<T> Slots<T> {
    /// `count` places, at least one, with one value in them.
    pub(crate) fn new(count: usize, value: T) -> Self {
        Self { first: Slot(Mutex::new(Some(value))), more: (1..count).map(|_| Slot(Mutex::new(None))).collect() }
    }

    /// Waits only when every place is taken.
    #[inline]
    pub(crate) fn hold(&self) -> Held<'_, T> {
        let own = self.own();
        match own.try_lock() {
            Some(held) if held.is_some() => held,
            held => self.search(own, held),
        }
    }

    /// For a thread whose own place is empty, and then held already, or taken.
    #[cold]
    fn search<'a>(&'a self, own: &'a Slot<T>, mut free: Option<Held<'a, T>>) -> Held<'a, T> {
        for slot in self.all() {
            match slot.try_lock() {
                Some(held) if held.is_some() => return held,
                held => free = free.or(held),
            }
        }
        free.unwrap_or_else(|| own.lock())
    }

    fn own(&self) -> &Slot<T> {
        let place = thread_number() % self.more.len().saturating_add(1);
        self.more.get(place).unwrap_or(&self.first)
    }

    fn all(&self) -> impl Iterator<Item = &Slot<T>> {
        iter::once(&self.first).chain(&self.more)
    }

    /// Takes all values out.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> {
        let slots = iter::once(&mut self.first).chain(&mut self.more);
        slots.filter_map(|Slot(slot)| slot.get_mut().unwrap_or_else(PoisonError::into_inner).take())
    }
}

impl<T> Slot<T> {
    fn try_lock(&self) -> Option<Held<'_, T>> {
        match self.0.try_lock() {
            Ok(held) => Some(held),
            // Its value was taken out before the panic: the place is empty.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn lock(&self) -> Held<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Threads are numbered as they come.
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.try_with(|&number| number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_filled_place_is_preferred_to_an_empty_one() {
        let slots = Slots::new(4, 'a');
        for _ in 0..8 {
            thread::scope(|scope| scope.spawn(|| assert_eq!(*slots.hold(), Some('a'))).join().unwrap());
        }
    }

    #[test]
    fn threads_that_meet_get_places_of_their_own() {
        let slots = Slots::new(2, 0);
        let first = slots.hold();
        let second = slots.hold();
        assert_eq!((*first, *second), (Some(0), None));
        thread::scope(|scope| {
            let (done, waiting) = mpsc::channel();
            scope.spawn({
                let slots = &slots;
                move || {
                    let third = slots.hold();
                    done.send(*third).unwrap();
                }
            });
            assert!(waiting.recv_timeout(std::time::Duration::from_millis(50)).is_err(), "must wait");
            drop(first);
            drop(second);
            waiting.recv().unwrap();
        });
    }

    #[test]
    fn a_panic_empties_one_place_only() {
        let slots = Slots::new(1, 0);
        let panicked = thread::scope(|scope| {
            let panics = || {
                slots.hold().take();
                let _held = slots.hold();
                panic!("on purpose");
            };
            scope.spawn(panics).join()
        });
        assert!(panicked.is_err());
        assert_eq!(*slots.hold(), None);
        *slots.hold() = Some(1);
        assert_eq!(*slots.hold(), Some(1));
    }
}
