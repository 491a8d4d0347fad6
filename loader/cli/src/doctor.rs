//! `hermes doctor`: everything that is wrong, and what to do about it.

mod examine;

use serde::Serialize;

use crate::args::DoctorArgs;
use crate::excerpt::{count, safe};
use crate::invocation::Invocation;
use crate::problem::Exit;
use crate::screen::{BAD, BOLD, DIM, GOOD, WARN, styled};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Weight {
    /// What the operator wants does not happen.
    Error,
    /// It may not be what the operator wants.
    Warning,
    /// Worth knowing.
    Note,
}

/// One thing that was found.
#[derive(Debug, Serialize)]
struct Finding {
    severity: Weight,
    code: &'static str,
    plugin: Option<String>,
    message: String,
    place: Option<String>,
    cure: Option<String>,
}

#[derive(Serialize)]
struct Health<'f> {
    healthy: bool,
    home: &'f std::path::Path,
    loaded: Vec<String>,
    errors: usize,
    warnings: usize,
    findings: &'f [Finding],
}

pub(crate) fn run(to: &mut Invocation<'_>, args: &DoctorArgs) -> anyhow::Result<Exit> {
    let examined = examine::home(to);
    let of = |weight| {
        examined
            .findings
            .iter()
            .filter(|finding| finding.severity == weight)
            .count()
    };
    let (errors, warnings) = (of(Weight::Error), of(Weight::Warning));
    let healthy = errors + warnings == 0;
    if args.json {
        let (home, loaded) = (to.home.root(), examined.loaded);
        to.screen.json(&Health {
            healthy,
            home,
            loaded,
            errors,
            warnings,
            findings: &examined.findings,
        })?;
        return Ok(Exit::problem_if(!healthy));
    }
    let loaded = count(examined.loaded.len(), "native plugin");
    to.screen.line(styled(
        BOLD,
        &format!(
            "{}: {loaded} loaded",
            safe(&to.home.root().display().to_string())
        ),
    ))?;
    if !examined.loaded.is_empty() {
        to.screen
            .line(format!("  {}", safe(&examined.loaded.join(", "))))?;
    }
    for finding in &examined.findings {
        show(to, finding)?;
    }
    let last = if healthy {
        styled(GOOD, "all healthy")
    } else {
        styled(
            BAD,
            &format!(
                "{}, {} found",
                count(errors, "error"),
                count(warnings, "warning")
            ),
        )
    };
    to.screen.line(last)?;
    Ok(Exit::problem_if(!healthy))
}

fn show(to: &mut Invocation<'_>, finding: &Finding) -> anyhow::Result<()> {
    let (style, word) = match finding.severity {
        Weight::Error => (BAD, "error"),
        Weight::Warning => (WARN, "warning"),
        Weight::Note => (DIM, "note"),
    };
    let code = styled(DIM, &format!("[{}]", finding.code));
    to.screen.line(format!(
        "{} {} {code}",
        styled(style, &format!("{word}:")),
        safe(&finding.message)
    ))?;
    if let Some(place) = &finding.place {
        to.screen.line(format!("  at {}", safe(place)))?;
    }
    for line in finding.cure.iter().flat_map(|cure| cure.lines()) {
        to.screen
            .line(format!("  {} {}", styled(DIM, "hint:"), safe(line)))?;
    }
    Ok(())
}
