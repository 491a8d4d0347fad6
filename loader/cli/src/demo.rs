//! `hermes demo`: the shipped plugins, over a recorded session.

mod audit;
mod build;
mod proof;
mod scene;

use std::path::{Path, PathBuf};

use hermes_loader::{Host, State};

use crate::args::DemoArgs;
use crate::invocation::Invocation;
use crate::plugins::{Enabling, Order, install};
use crate::problem::{Exit, Problem};
use crate::replay::{Line, Player, Recording, Row, Summary, show};
use crate::screen::{BOLD, styled};

use self::proof::Proof;
use self::scene::Scene;

/// What is built, installed and loaded.
const PLUGINS: [&str; 3] = ["command-guard", "redact-secrets", "audit-log"];
/// What is played, in the checkout.
const SESSION: &str = "examples/hermes-session.jsonl";

pub(crate) fn run(to: &mut Invocation<'_>, args: &DemoArgs) -> anyhow::Result<Exit> {
    let checkout = checkout()?;
    let session = checkout.join(SESSION);
    to.screen.hint(format!(
        "Building {} in {}",
        PLUGINS.join(", "),
        checkout.display()
    ));
    let libraries = build::build(&checkout, &PLUGINS, to.screen.is_quiet())?;

    let scene = Scene::set(&session)?;
    let own = std::mem::replace(&mut to.home, scene.home());
    to.start_log();
    let played = play(to, &libraries, &session, &scene);
    to.home = own;
    let exit = played?;
    if args.keep {
        let root = scene.keep();
        to.screen.line(format!(
            "The home stays in {}; look around with:",
            root.display()
        ))?;
        to.screen.line(format!(
            "  {} --home {} plugins list",
            to.program,
            root.display()
        ))?;
    }
    Ok(exit)
}

fn play(
    to: &mut Invocation<'_>,
    libraries: &[PathBuf],
    session: &Path,
    scene: &Scene,
) -> anyhow::Result<Exit> {
    title(to, "1. Install")?;
    for path in libraries {
        install(
            to,
            &Order {
                what: &path.to_string_lossy(),
                force: false,
                enabling: Enabling::Yes,
            },
        )?;
    }
    let host = to.load(None)?;
    expect_loaded(&host)?;

    title(
        to,
        "2. Replay of a recorded session, as the plugins see it now",
    )?;
    let mut player = Player::new(&host);
    let mut proof = Proof::new(scene.secrets());
    let (mut rows, mut summary) = (Vec::new(), Summary::default());
    for line in Recording::open(session)? {
        let Line::Event { event, .. } = line? else {
            continue;
        };
        let step = player.step(&event)?;
        summary.add(&event, &step);
        proof.look_at(&event, &step);
        rows.extend(Row::of(&event, &step, false));
    }
    show(to.screen, &rows)?;

    title(to, "3. What the model sees instead")?;
    proof.show_masks(to.screen)?;

    title(to, "4. What each hook costs")?;
    summary.show(to.screen)?;

    title(to, "5. The audit log")?;
    // The plugin writes its last record when it ends.
    host.shutdown();
    let log = audit::verify(&to.home.data_dir("audit-log"))?;
    to.screen.line(format!("  {}", log.path.display()))?;
    to.screen
        .line(format!("  {} records, last hash {}", log.records, log.head))?;
    to.screen.hint("  each record holds the hash of the one before; check it yourself: cargo run -p audit-log --example verify -- DIR");

    title(to, "6. So")?;
    proof.audited(&log);
    let good = proof.show(to.screen)?;
    Ok(Exit::problem_if(!good || summary.exit() != Exit::Fine))
}

fn title(to: &mut Invocation<'_>, text: &str) -> std::io::Result<()> {
    to.screen.line("")?;
    to.screen.line(styled(BOLD, text))
}

fn expect_loaded(host: &Host) -> Result<(), Problem> {
    for name in PLUGINS {
        let loaded = host
            .report()
            .get(name)
            .is_some_and(|line| matches!(line.state, State::Loaded));
        if !loaded {
            return Err(Problem::new(format!(
                "plugin `{name}` was built and installed, and does not load"
            ))
            .cure("see the warning above; if the checkout is unchanged, report it"));
        }
    }
    Ok(())
}

/// The checkout that the current directory is in.
fn checkout() -> Result<PathBuf, Problem> {
    let here = std::env::current_dir()
        .map_err(|error| Problem::new(format!("the current directory cannot be read: {error}")))?;
    let is_checkout = |dir: &&Path| {
        PLUGINS
            .iter()
            .all(|name| dir.join("plugins").join(name).join("Cargo.toml").is_file())
    };
    let found = here.ancestors().find(is_checkout).ok_or_else(|| {
        Problem::new(format!(
            "{} is not in a checkout of hermes-native: no plugins/{} above it",
            here.display(),
            PLUGINS[0]
        ))
        .cure("git clone the repository, cd into it, and run `cargo demo`")
    })?;
    if !found.join(SESSION).is_file() {
        return Err(Problem::new(format!(
            "{}: the recorded session is missing",
            found.join(SESSION).display()
        ))
        .cure(format!("git checkout -- {SESSION}")));
    }
    Ok(found.to_owned())
}
