//! Reading takes linearly many steps, whatever the text; words come out as the shell makes them.

use super::{lexer, read, tree};

/// Pieces that are repeated; the worst that was found for either reading is among them.
const PIECES: &[&str] = &[
    "echo a b; ls -l && git status\n",
    "rm ",
    "a=1 ",
    "if x; then ",
    "case x in a) ",
    "while x; do y; done; ",
    "f() { f; }; ",
    "(",
    ")",
    "$(",
    "$((",
    "\"$(",
    "\"${x:-",
    "{ ",
    "{a,",
    "`",
    "\\`",
    "'",
    "\"",
    "$'",
    "<",
    "<<a ",
    "<<a\n",
    "<<'a'\n",
    "cat <<E\nx\nE\n",
    "cat <<E\n$(cat <<F\n",
    "time  ",
    "a | ",
    "a & ",
    "@(",
    "x=(",
    "$x ",
    "é'\"`$({[<<a|&;\n",
    "\\\n",
    "#",
    ";; ",
];

#[track_caller]
fn check_linear(piece: &str) {
    let steps = |times: usize| read(&piece.repeat(times)).steps;
    let (small, large) = (steps(400), steps(4000));
    assert!(
        large <= small * 13,
        "{piece:?}: {small} steps, {large} for ten times the text"
    );
    // And no constant that makes it linear in name only.
    let most = 64 * piece.len() * 4000;
    assert!(large <= most, "{piece:?}: {large} steps");
}

#[test]
fn steps_grow_no_faster_than_the_text() {
    for piece in PIECES {
        check_linear(piece);
    }
    for piece in PIECES {
        check_linear(&format!("{piece}rm -rf x; "));
    }
}

#[track_caller]
fn check_words(text: &str, wanted: &[&[&str]]) {
    let script = lexer::lex(text);
    let found: Vec<Vec<&str>> = script
        .commands
        .iter()
        .map(|c| c.words.iter().map(|w| w.text.as_str()).collect())
        .collect();
    assert_eq!(found, wanted, "{text:?}");
}

#[test]
fn words_are_what_is_left_after_quote_removal() {
    check_words(r#"a"b"'c'\d e"#, &[&["abcd", "e"]]);
    check_words(r#"echo "a\"b\$c\d""#, &[&["echo", r#"a"b$c\d"#]]);
    check_words(r"echo $'a\x41\102\u43\n'", &[&["echo", "aABC\n"]]);
    check_words("echo '' \"\"", &[&["echo", "", ""]]);
    check_words("a\\\nb c", &[&["ab", "c"]]);
    check_words("echo $HOME/x ${Y:-z}w", &[&["echo", "$HOME/x", "$Yw"]]);
    check_words("echo é'ü'", &[&["echo", "éü"]]);
    check_words("2>&1 a <b >c d", &[&["a", "d"]]);
    check_words(
        "a;b&&c||d|e&f\ng",
        &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"]],
    );
}

#[test]
fn commands_come_out_of_every_construct() {
    check_words(
        "echo $(a b) `c d`",
        &[&["a", "b"], &["c", "d"], &["echo", "$()", "$()"]],
    );
    check_words("if a; then b; else c; fi", &[&["a"], &["b"], &["c"]]);
    check_words("for x in 1 2; do a; done", &[&["a"]]);
    check_words(
        "case x in (a|b) c;; d) e; esac; f",
        &[&["c"], &["e"], &["f"]],
    );
    check_words("f() { a; }; function g { b; }", &[&["a"], &["b"]]);
    check_words(
        "cat <<E; a\nb $(c)\nE\nd",
        &[&["cat"], &["a"], &["d"], &["c"]],
    );
    check_words("a=(b c) d", &[&["d"]]);
    check_words("echo \"$(a \"b c\")\"", &[&["a", "b c"], &["echo", "$()"]]);
}

#[test]
fn the_two_readings_agree_on_lawful_text() {
    let text = "set -e\nfor f in *.c; do cc -c \"$f\" -o \"${f%.c}.o\" || exit 1; done\n\
                if [ -n \"$X\" ]; then (cd sub && make); fi\ncat <<E | sort > out\n$(date)\nE\n";
    let starts = |script: super::Script| {
        let mut starts: Vec<usize> = script.commands.iter().map(|c| c.range.start).collect();
        starts.sort_unstable();
        starts
    };
    assert_eq!(starts(lexer::lex(text)), starts(read(text)));
}

/// Lawful text gets its second reading whole: the bound on the parser's steps is for recovery alone.
#[track_caller]
fn check_second_reading(piece: &str, commands: usize) {
    for times in [1, 10, 1000] {
        let text = piece.repeat(times);
        let (found, _) = tree::commands(&text);
        assert_eq!(found.len(), commands * times, "{piece:?} {times} times");
        assert!(!lexer::lex(&text).malformed, "{piece:?}");
    }
}

#[test]
fn lawful_text_is_read_twice() {
    check_second_reading("echo a b; ls -l && git status\n", 3);
    check_second_reading("if x; then y; else z; fi\n", 3);
    check_second_reading("case $x in a|b) c;; *) d;; esac\n", 2);
    check_second_reading("f() { a; }; a=(1 2); for x in 1 2; do b \"$x\"; done\n", 2);
    check_second_reading("cat <<'E' > f\n{\"a\": [1, 2]}\nE\n", 1);
    check_second_reading("echo \"$(a \"$(b)\")\" `c` ${x:-y} $((1 + 2)) <(d)\n", 5);
    check_second_reading("a | b | c 2>&1 >/dev/null & { d; } && (e)\n", 5);
}

#[test]
fn malformed_text_is_known_as_such() {
    for text in [
        "'",
        "\"",
        "`",
        "(",
        ")",
        "$(",
        "${",
        "{ a",
        "}",
        "fi",
        "if a",
        "case x in",
        "a >",
        "<<E\n",
        "x=(",
    ] {
        assert!(lexer::lex(text).malformed, "{text}");
    }
}

#[test]
fn nesting_without_end_is_too_deep() {
    assert!(read(&"$(".repeat(1000)).too_deep);
    assert!(read(&"\"$(".repeat(1000)).too_deep);
    assert!(!read(&"(".repeat(1000)).too_deep);
    assert!(!read(&"$(".repeat(40)).too_deep);
}
