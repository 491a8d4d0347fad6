//! smoke
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use hermes_loader::{Home, Host};
fn main() {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let host = Host::builder(Home::from_env().unwrap()).load();
    println!("{}", host.report());
    for c in ["ls", "rm -rf / --no"] {
        println!("{:?}", host.trace_json("pre_tool_call", &serde_json::json!({"tool_name":"terminal","args":{"command":c}})).unwrap());
    }
    println!("{:?}", host.fire_json("on_session_start", &serde_json::json!({"session_id":"s1"})).unwrap());
}
