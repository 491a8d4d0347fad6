//! No text makes the engine panic, overflow its stack, or contradict itself.

use command_guard::{MAX_INPUT, Policy};

/// A small generator of our own, so that a failing case can be repeated from its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("a small number").max(1);
        usize::try_from(self.next() % limit).expect("a small number")
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const PIECES: &[&str] = &[
    "rm",
    " -rf ",
    "/",
    " ",
    "\n",
    "\t",
    "\r\n",
    "'",
    "\"",
    "\\",
    "`",
    "$",
    "$(",
    "$((",
    "))",
    ")",
    "(",
    "{",
    "}",
    "${",
    "${x:-",
    "<<E\n",
    "<<-'E'\n",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    ">",
    ">>",
    "&>",
    "2>&1",
    "&",
    "&&",
    "|",
    "||",
    ";",
    ";;",
    "if ",
    "then ",
    "fi ",
    "for ",
    "in ",
    "do ",
    "done ",
    "case ",
    "esac ",
    "while ",
    "function ",
    "f()",
    "!",
    "time ",
    "coproc ",
    "[[ ",
    " ]]",
    "#",
    "*",
    "?",
    "~",
    "=",
    "a=(",
    "@(",
    "$'",
    "\\x4",
    "\\u12345678",
    "é",
    "𝄞",
    "\u{0}",
    "\u{feff}",
    "git ",
    "push ",
    "-f",
    "+x",
    ":y",
    "sudo ",
    "-u ",
    "env ",
    "A=1 ",
    "bash ",
    "-c ",
    "eval ",
    "xargs ",
    "find . ",
    "-exec ",
    "{} ",
    "\\; ",
    "-delete",
    "psql -c ",
    "DROP ",
    "TABLE ",
    "/*",
    "*/",
    "curl x ",
    "dd of=",
    "/dev/sda",
    "/etc/passwd",
    "kill -9 ",
    "-1",
    "--",
    "-",
    "ssh h ",
    "trap ",
    ":(){ :|:& };:",
];

#[track_caller]
fn check(policy: &Policy, text: &str) {
    let refused = policy.judge(text).map(|r| r.rule.id().to_owned());
    let explained = policy.explain(text);
    let first = explained
        .iter()
        .find_map(|e| e.rule)
        .map(|r| r.id().to_owned());
    // This also shows that the quick reject lets nothing through that a rule would refuse; what is only
    // nested too deeply may pass if no word in it is of interest.
    let harmless = !policy.is_interesting(text) && first.as_deref() == Some("input.too-deep");
    assert!(
        refused == first || harmless,
        "{text:?}: {refused:?}, {first:?}"
    );
    for found in explained {
        assert!(found.command.chars().count() <= 120, "{text:?}");
    }
}

#[test]
fn random_texts_are_judged_without_panic() {
    let policy = Policy::default();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..8_000 {
        let length = random.below(24);
        let text: String = (0..length).map(|_| *random.pick(PIECES)).collect();
        check(&policy, &text);
    }
}

#[test]
fn mutated_cases_are_judged_without_panic() {
    let policy = Policy::default();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let lines: Vec<&str> = include_str!("corpus.txt").lines().collect();
    for _ in 0..8_000 {
        let line = random.pick(&lines).replace('⏎', "\n");
        let mut chars: Vec<char> = line.chars().collect();
        for _ in 0..=random.below(4) {
            let at = random.below(chars.len());
            match random.below(3) {
                0 if !chars.is_empty() => drop(chars.remove(at)),
                1 => chars.truncate(at),
                _ => {
                    let piece = *random.pick(PIECES);
                    let tail = chars.split_off(at);
                    chars.extend(piece.chars().chain(tail));
                }
            }
        }
        check(&policy, &chars.iter().collect::<String>());
    }
}

#[test]
fn every_beginning_and_every_end_of_a_case_is_judged_without_panic() {
    let policy = Policy::default();
    for line in include_str!("corpus.txt").lines() {
        for (at, _) in line.char_indices() {
            let (start, end) = line.split_at(at);
            check(&policy, start);
            check(&policy, end);
        }
    }
}

/// A thread with the smallest stack a host may plausibly give a handler.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(work);
    thread
        .expect("a thread starts")
        .join()
        .expect("the work is done");
}

#[test]
fn nesting_does_not_use_the_stack() {
    on_small_stack(|| {
        let policy = Policy::default();
        for piece in [
            "(",
            "$(",
            "\"$(",
            "{ ",
            "if x; then ",
            "`",
            "${x:-",
            "case x in a) ",
            "<(",
            "f() { ",
            "eval ",
        ] {
            let text = format!("{}rm -rf /", piece.repeat(20_000));
            assert!(policy.judge(&text).is_some(), "{piece:?}");
            let _answer = policy.explain(&text);
        }
    });
}

#[test]
fn scripts_in_scripts_are_followed_to_a_depth_and_then_refused() {
    let policy = Policy::default();
    let nested = |depth: usize| {
        (0..depth).fold(String::from("rm -rf /"), |inner, _| format!("eval {inner}"))
    };
    assert_eq!(
        policy.judge(&nested(8)).expect("refused").rule.id(),
        "fs.rm-recursive"
    );
    assert_eq!(
        policy.judge(&nested(9)).expect("refused").rule.id(),
        "input.too-deep"
    );
    // Each shell in a pipeline is fed the same text, which feeds more shells in its turn.
    let many = (0..6).fold(String::from("git status"), |inner, _| {
        let quoted = inner.replace('\'', r"'\''");
        format!("echo '{quoted}' | sh | sh | sh | sh")
    });
    assert_eq!(
        policy.judge(&many).map(|r| r.rule.id()),
        Some("input.too-deep")
    );
}

#[test]
fn a_text_beyond_the_limit_is_refused_if_it_is_of_interest() {
    let policy = Policy::default();
    let filler = "echo hello\n".repeat(MAX_INPUT / 10);
    assert!(policy.judge(&filler).is_none());
    let text = format!("{filler}rm x");
    assert_eq!(
        policy.judge(&text).expect("refused").rule.id(),
        "input.too-long"
    );
}
