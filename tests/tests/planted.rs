//! Two bugs on purpose, switched on by `sanitize.sh` only: they prove that its runs can see one.

#![expect(unsafe_code, reason = "the bugs are what this file is for")]

use std::{env, hint::black_box, sync::Barrier};

/// Whether this bug is wanted.
fn planted(bug: &str) -> bool {
    env::var("HERMES_TESTS_PLANT").is_ok_and(|wanted| wanted == bug)
}

#[test]
fn memory_is_read_after_it_was_freed() {
    if !planted("use-after-free") {
        return;
    }
    let text: *mut [u8; 64] = Box::into_raw(Box::new([7; 64]));
    // SAFETY: none; see the file's first line. The box is freed here …
    drop(unsafe { Box::from_raw(black_box(text)) });
    // SAFETY: none. … and read here.
    let byte = unsafe { (*black_box(text))[3] };
    black_box(byte);
}

struct Shared(*mut u64);
// SAFETY: none: two threads write through it without agreeing on anything.
unsafe impl Sync for Shared {}

#[test]
fn two_threads_write_at_once() {
    if !planted("data-race") {
        return;
    }
    let mut count = 0_u64;
    let shared = Shared(&raw mut count);
    let start = Barrier::new(2);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            let (shared, start) = (&shared, &start);
            threads.spawn(move || {
                start.wait();
                for _ in 0..1000 {
                    let place = black_box(shared.0);
                    // SAFETY: none.
                    unsafe { *place += 1 };
                }
            });
        }
    });
    black_box(count);
}
