//! Tool calls at the same time.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Builder;

use super::{Judged, ToolResult, Tools};

/// How many run at once.
const WORKERS: usize = 8;

/// Carries out what was decided; results are in the order of the calls.
pub(super) fn carry_out(judged: Vec<Judged>, tools: &Tools<'_>) -> Vec<ToolResult> {
    let running = judged.iter().filter(|call| call.runs()).count();
    if running < 2 {
        let results = judged.into_iter().map(|call| call.carry_out(tools));
        return results.collect();
    }
    let results: Vec<OnceLock<ToolResult>> = judged.iter().map(|_| OnceLock::new()).collect();
    let queue = Mutex::new(judged.into_iter().zip(&results));
    let work = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((call, place)) = next else { return };
            // Each place is filled once, so it is never taken.
            let _ = place.set(call.carry_out(tools));
        }
    };
    std::thread::scope(|scope| {
        // This thread is one of them; where no other can be made, it does everything.
        for _ in 1..running.min(WORKERS) {
            let worker = Builder::new().name("hermes-tool".to_owned());
            if worker.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    results
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .collect()
}
