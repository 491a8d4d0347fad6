//! The hermes command, for machines where Hermes Agent's own `hermes` is on the path.

fn main() -> std::process::ExitCode {
    hermes_native::main()
}
