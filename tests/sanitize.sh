#!/bin/sh
# Looks for memory errors and data races while the tests of lifetimes, panics and live objects run.
#
#   address    AddressSanitizer: host and tests are instrumented; the standard library and the plugins
#              are ordinary, so what a plugin's own code reads is not looked at
#   memcheck   valgrind over the ordinary build: slower, but sees what plugins read of the host's memory
#   thread     ThreadSanitizer: needs the standard library instrumented too (component rust-src), else
#              every contended lock of std is a race to it; without rust-src only the planted race is run
#
#   tests/sanitize.sh [address|memcheck|thread]...      all three unless said otherwise
#
# Each first runs a planted bug (tests/planted.rs) and must see it. What a machine lacks is said and skipped.
set -u

cd "$(dirname "$0")/.." || exit 1
target="${CARGO_TARGET_DIR:-$PWD/target}"
triple=x86_64-unknown-linux-gnu
failed=0

# Ordinary plugins, built by the ordinary compiler.
cargo test --quiet -p hermes-tests --test logs >/dev/null || exit 1
HERMES_TESTS_FIXTURES="$target/debug/examples/for-tests"
export HERMES_TESTS_FIXTURES

# sanitized <sanitizer> <test> [arguments]: everything it says is in $log.
sanitized() {
    sanitizer=$1
    test=$2
    shift 2
    log="$target/sanitize-$sanitizer-$test.log"
    # shellcheck disable=SC2086 # several words or none
    env CARGO_TARGET_DIR="$target/sanitize-$sanitizer" \
        RUSTFLAGS="-Zsanitizer=$sanitizer -Cunsafe-allow-abi-mismatch=sanitizer" \
        ASAN_OPTIONS="detect_leaks=0:detect_odr_violation=0" \
        TSAN_OPTIONS="ignore_noninstrumented_modules=1" \
        rustup run nightly cargo test $build_std --target "$triple" -p hermes-tests --test "$test" -- "$@" >"$log" 2>&1
}

# checked <test> [arguments]: the same under valgrind.
checked() {
    test=$1
    shift
    log="$target/sanitize-memcheck-$test.log"
    program=$(cargo test --no-run --message-format=json -p hermes-tests --test "$test" 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1)
    (cd tests && valgrind --error-exitcode=9 --fair-sched=yes --num-callers=30 "$program" "$@") >"$log" 2>&1
}

# proof <what> <pattern> <bug> <command>...: the bug is seen.
proof() {
    what=$1
    pattern=$2
    bug=$3
    shift 3
    if HERMES_TESTS_PLANT=$bug "$@" || ! grep -q "$pattern" "$log"; then
        echo "FAILED: $what does not see the planted $bug; see $log"
        failed=1
        return 1
    fi
    echo "ok: $what sees the planted $bug"
}

# clean <what> <pattern> <command>...: the run passes, and nothing like the pattern is said.
clean() {
    what=$1
    pattern=$2
    shift 2
    if "$@" && ! grep -q "$pattern" "$log"; then
        echo "ok: $what"
    else
        echo "FAILED: $what; see $log"
        grep -E "$pattern|SUMMARY|^test .* FAILED" "$log" | sort | uniq -c | sort -rn | head -20
        failed=1
    fi
}

nightly() {
    rustup run nightly rustc -V >/dev/null 2>&1 && return 0
    echo "NOT TESTED: no nightly toolchain, so no $1"
    return 1
}

for kind in ${*:-address memcheck thread}; do
    build_std=
    case $kind in
        address)
            nightly AddressSanitizer || continue
            proof "address" "ERROR: AddressSanitizer: heap-use-after-free" use-after-free sanitized address planted || continue
            for test in lifetimes panics live_objects middleware; do
                clean "address $test" "ERROR: AddressSanitizer" sanitized address "$test"
            done
            ;;
        memcheck)
            if ! command -v valgrind >/dev/null; then
                echo "NOT TESTED: no valgrind, so no memcheck"
                continue
            fi
            proof "memcheck" "Invalid read" use-after-free checked planted memory || continue
            for test in lifetimes panics live_objects middleware; do
                clean "memcheck $test" "Invalid \(read\|write\|free\)\|uninitialised" checked "$test" --test-threads=1
            done
            ;;
        thread)
            nightly ThreadSanitizer || continue
            source="$(rustup run nightly rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.toml"
            [ -f "$source" ] && build_std="-Zbuild-std"
            proof "thread" "WARNING: ThreadSanitizer: data race" data-race sanitized thread planted --test-threads=1 || continue
            if [ -z "$build_std" ]; then
                echo "NOT TESTED: no rust-src, so no ThreadSanitizer over the lifetimes"
                continue
            fi
            clean "thread lifetimes" "WARNING: ThreadSanitizer" sanitized thread lifetimes
            ;;
        *)
            echo "unknown: $kind"
            exit 2
            ;;
    esac
done
exit $failed
