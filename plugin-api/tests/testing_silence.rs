//! A panic inside a plugin prints nothing; one outside goes to the hook that was there before.
//!
//! Alone in its file: the panic hook belongs to the whole process.

use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_plugin_api::{
    prelude::*,
    testing::{Host, event},
};

static PRINTED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn panics_inside_are_silent() {
    std::panic::set_hook(Box::new(|_| _ = PRINTED.fetch_add(1, Ordering::Relaxed)));
    let host = Host::new("loud").register(|ctx| {
        struct Loud;
        impl Drop for Loud {
            fn drop(&mut self) {
                panic!("in drop")
            }
        }
        let loud = Loud;
        ctx.on(OnSessionStart, move |_| -> () {
            let _kept = &loud;
            panic!("in a handler")
        });
        ctx.on(OnSessionEnd, |_| -> () { std::panic::panic_any(Loud) });
        Ok(())
    });
    let Ok(host) = host else {
        unreachable!("it registers")
    };
    assert_eq!(
        host.fire("on_session_start", event::session("s"))
            .faults()
            .len(),
        1
    );
    assert_eq!(
        host.fire("on_session_end", event::session("s"))
            .faults()
            .len(),
        1
    );
    assert!(
        Host::new("dead")
            .register(|_| panic!("in register"))
            .is_err()
    );
    assert_eq!(host.end().len(), 1);
    assert_eq!(PRINTED.load(Ordering::Relaxed), 0);

    assert!(std::panic::catch_unwind(|| panic!("outside")).is_err());
    assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
    let _ = std::panic::take_hook();
}
