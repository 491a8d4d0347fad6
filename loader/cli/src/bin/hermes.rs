//! The hermes command.

fn main() -> std::process::ExitCode {
    hermes_native::main()
}
