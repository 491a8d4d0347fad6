//! Comparing what is expected with what came, in words.

use serde_json::Value;

/// All of it.
pub(super) fn same(what: &str, wanted: &Value, found: &Value) -> Result<(), String> {
    match wanted == found {
        true => Ok(()),
        false => Err(format!("{what}: expected {wanted}, found {found}")),
    }
}

/// Everything that is expected; there may be more. In an object, null says that a key is not there.
pub(super) fn part_of(what: &str, wanted: &Value, found: &Value) -> Result<(), String> {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().try_for_each(|(key, wanted)| {
                let what = format!("{what}.{key}");
                match found.get(key) {
                    Some(found) => part_of(&what, wanted, found),
                    None if wanted.is_null() => Ok(()),
                    None => Err(format!("{what}: expected {wanted}, found nothing")),
                }
            })
        }
        _ => same(what, wanted, found),
    }
}
