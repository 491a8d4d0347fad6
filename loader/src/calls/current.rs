//! Which call the events on this thread are about: what a handler attaches goes to that one.

use std::cell::Cell;

thread_local! {
    /// A ledger and the number of a call in it; the number is 0 where there is none.
    static CURRENT: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
}

/// The call of the innermost dispatch on this thread, in the ledger of this address.
pub(super) fn of(ledger: usize) -> Option<u64> {
    let (whose, number) = CURRENT.try_with(Cell::get).unwrap_or_default();
    (whose == ledger && number != 0).then_some(number)
}

/// Says which call it is until it is dropped.
#[derive(Debug)]
pub(crate) struct Here {
    before: (usize, u64),
}

impl Here {
    /// An event of no call.
    pub(crate) fn nowhere() -> Self {
        Self::enter(0, 0)
    }

    #[inline]
    pub(super) fn enter(ledger: usize, number: u64) -> Self {
        let before = CURRENT.try_with(|current| current.replace((ledger, number)));
        Self {
            before: before.unwrap_or_default(),
        }
    }
}

impl Drop for Here {
    #[inline]
    fn drop(&mut self) {
        let _ = CURRENT.try_with(|current| current.set(self.before));
    }
}
