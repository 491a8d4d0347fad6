//! Every line of `corpus.txt`: what is refused by which rule, and what is not.

use command_guard::{Policy, RULES};

const CORPUS: &str = include_str!("corpus.txt");

fn cases() -> impl Iterator<Item = (usize, &'static str, String)> {
    let lines = CORPUS.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(index, line)| {
        let (wanted, command) = line.split_once(" | ").expect("`rule | command`");
        (index + 1, wanted, command.replace('⏎', "\n"))
    })
}

#[track_caller]
fn check(policy: &Policy, line: usize, wanted: &str, command: &str) -> Result<(), String> {
    let refusal = policy.judge(command);
    let found = refusal.as_ref().map_or("ok", |r| r.rule.id());
    let explained = policy.explain(command);
    let also = explained
        .iter()
        .find_map(|e| e.rule)
        .map_or("ok", |r| r.id());
    if found == wanted && also == wanted {
        return Ok(());
    }
    Err(format!(
        "line {line}: `{command}`: wanted {wanted}, judge says {found}, explain {also}: {explained:?}"
    ))
}

#[test]
fn every_line_is_judged_as_it_says() {
    let policy = Policy::default();
    let wrong: Vec<String> = cases()
        .filter_map(|(line, wanted, command)| check(&policy, line, wanted, &command).err())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(cases().count() >= 450, "the corpus has lost lines");
}

#[test]
fn every_rule_is_met_by_some_line() {
    for rule in RULES {
        // Too long for a line; see `limits.rs`.
        let met =
            rule.id() == "input.too-long" || cases().any(|(_, wanted, _)| wanted == rule.id());
        assert!(met, "no line for {}", rule.id());
    }
}

#[test]
fn what_is_refused_stays_refused_behind_any_wrapping() {
    let policy = Policy::default();
    let quoted = |command: &str| format!("'{}'", command.replace('\'', r"'\''"));
    for (line, wanted, command) in cases() {
        if wanted == "ok" || wanted == "input.too-deep" {
            continue;
        }
        let wrapped = [
            format!("true\n{command}\ntrue"),
            format!("if true; then\n{command}\nfi"),
            format!("bash -c {}", quoted(&command)),
            format!("sudo -u me env A=1 sh -c {}", quoted(&command)),
            format!("eval {}", quoted(&command)),
            format!("bash <<'THE_END'\n{command}\nTHE_END\n"),
        ];
        for text in wrapped {
            assert!(
                policy.judge(&text).is_some(),
                "line {line}: let through: {text}"
            );
        }
    }
}

#[test]
fn what_is_allowed_stays_allowed_as_text() {
    let policy = Policy::default();
    for (line, _, command) in cases() {
        let text = format!("cat > notes.md <<'THE_END'\n{command}\nTHE_END\n");
        let refusal = policy.judge(&text);
        assert!(refusal.is_none(), "line {line}: {refusal:?}");
        let text = format!("git commit -m '{}'", command.replace('\'', ""));
        let refusal = policy.judge(&text);
        assert!(refusal.is_none(), "line {line}: {refusal:?}");
    }
}
