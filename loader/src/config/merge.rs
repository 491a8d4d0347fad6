//! Merges what the user wrote over the defaults.

use serde_json::Value;

/// Lays `over` on `base`: mapping into mapping, all the way down; anything else replaces.
pub fn deep_merge(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(slot) => deep_merge(slot, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (slot, over) => *slot = over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(mut base: Value, over: Value, wanted: Value) {
        deep_merge(&mut base, over);
        assert_eq!(base, wanted);
    }

    #[test]
    fn mappings_merge_and_the_rest_replaces() {
        check(
            json!({"a": {"b": 1, "c": 2}}),
            json!({"a": {"c": 3, "d": 4}}),
            json!({"a": {"b": 1, "c": 3, "d": 4}}),
        );
        check(
            json!({"a": {"b": 1}}),
            json!({"a": null}),
            json!({"a": null}),
        );
        check(json!({"a": [1, 2]}), json!({"a": [3]}), json!({"a": [3]}));
        check(
            json!({"a": 1}),
            json!({"a": {"b": 1}}),
            json!({"a": {"b": 1}}),
        );
        check(json!({"a": 1}), json!({}), json!({"a": 1}));
    }
}
