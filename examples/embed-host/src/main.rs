//! An agent loop that embeds the loader.
fn main() {}
