//! Which recipes of `examples/cookbook` belong to a hook: what each of them declares in its own source.

use std::collections::BTreeMap;

use hermes_plugin_api::catalogue;

use super::repository;

/// Where they are, from the root of the repository.
pub(crate) const PLACE: &str = "examples/cookbook/recipes";

/// The recipes and their hooks, in the order of their names.
pub(crate) fn read() -> BTreeMap<String, Vec<String>> {
    let dir = repository().join(PLACE);
    let entries = std::fs::read_dir(&dir).expect("the cookbook is part of the repository");
    let recipes = entries.map(|entry| {
        let path = entry.expect("the cookbook can be read").path();
        let source = std::fs::read_to_string(&path).expect("a recipe can be read");
        let name = path.file_stem().expect("a recipe has a name");
        (name.to_string_lossy().into_owned(), declared(&source))
    });
    recipes.collect()
}

/// The hooks that a plugin's source gives to `hermes_plugin!`.
fn declared(source: &str) -> Vec<String> {
    let list = source
        .rsplit_once("hermes_plugin!(")
        .and_then(|(_, settings)| settings.split_once("hooks = ["))
        .and_then(|(_, list)| list.split_once(']'))
        .map_or("", |(list, _)| list);
    // Names stand between quotes: every second piece.
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_recipe_is_linked() {
    let recipes = read();
    assert!(recipes.len() > 10, "{recipes:?}");
    let page = super::hooks_page::text();
    for (name, hooks) in recipes {
        assert!(!hooks.is_empty(), "{PLACE}/{name}.rs declares no `hooks`");
        for hook in hooks {
            assert!(
                catalogue::by_name(&hook).is_some(),
                "{PLACE}/{name}.rs: `{hook}` is no hook"
            );
            let section = page
                .split("\n## ")
                .find(|section| section.starts_with(&format!("{hook}\n")))
                .unwrap_or_else(|| panic!("{hook} has no section"));
            let link = format!("[{name}](../{PLACE}/{name}.rs)");
            assert!(section.contains(&link), "{hook} does not link to {name}");
        }
    }
}

#[test]
fn the_hooks_are_read_out_of_the_source() {
    let names = |source: &str| declared(source).join(" ");
    let source = "hermes_plugin!(\n    register,\n    name = \"x\",\n    hooks = [\"a\", \"b:c\",\n    ]\n);";
    assert_eq!(names(source), "a b:c");
    assert_eq!(names("hermes_plugin!(register, hooks = []);"), "");
    assert_eq!(names("hermes_plugin!(register);"), "");
    assert_eq!(names("hooks = [\"a\"]"), "", "no plugin");
}
