//! Environment variables that a plugin asks for: asked for where somebody can answer, else named.

use std::fs;

use hermes_loader::manifest::EnvNeed;

use crate::dotenv;
use crate::excerpt::safe;
use crate::invocation::Invocation;

/// Asks for what is missing and saves it in `.env`; gives the names of what is missing still.
pub(super) fn settle(to: &mut Invocation<'_>, needs: &[EnvNeed]) -> Vec<String> {
    let file = to.home.env_file();
    let text = fs::read_to_string(&file).unwrap_or_default();
    let is_set = |need: &&EnvNeed| {
        std::env::var_os(&need.name).is_some_and(|value| !value.is_empty())
            || dotenv::has(&text, &need.name)
    };
    let mut missing = Vec::new();
    let mut answers = Vec::new();
    for need in needs.iter().filter(|need| !is_set(need)) {
        let answer = if dotenv::is_name(&need.name) {
            to.screen.ask_text(&question(need), need.secret)
        } else {
            None
        };
        match answer {
            Some(value) => answers.push((need.name.clone(), value)),
            None => missing.push(need),
        }
    }
    if !answers.is_empty() {
        let names: Vec<String> = answers.iter().map(|(name, _)| safe(name)).collect();
        let names = names.join(", ");
        match dotenv::add(&file, &answers) {
            Ok(()) => to
                .screen
                .hint(format!("  saved {names} in {}", file.display())),
            Err(error) => to.screen.warning(
                &format!(
                    "{}: cannot be written: {error}; {names} is not saved",
                    file.display()
                ),
                Some("set it in the environment of the agent"),
            ),
        }
    }
    for need in &missing {
        to.screen.hint(format!(
            "  It asks for {}{}: add `{}=…` to {}",
            safe(&need.name),
            about(need),
            safe(&need.name),
            file.display()
        ));
    }
    missing.into_iter().map(|need| need.name.clone()).collect()
}

fn question(need: &EnvNeed) -> String {
    format!("{}{} (Enter to skip): ", safe(&need.name), about(need))
}

/// What it is for and where one gets it, in parentheses.
fn about(need: &EnvNeed) -> String {
    let said: Vec<String> = [&need.description, &need.url]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| safe(text))
        .collect();
    if said.is_empty() {
        return String::new();
    }
    format!(" ({})", said.join(", "))
}
