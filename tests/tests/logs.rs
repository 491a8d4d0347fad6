//! What a plugin logs arrives in the host's log, with the plugin's name.

use hermes_tests::{
    Fixture, TestHome,
    home::loaded,
    records::{Record, Records},
};
use serde_json::{Value, json};
use tracing::Level;

#[track_caller]
fn find(said: &[Record], message: &str) -> (Level, Value) {
    let record = said.iter().find(|record| record.message == message);
    let record = record.unwrap_or_else(|| panic!("nobody said {message:?}: {said:#?}"));
    assert_eq!(
        (record.target.as_str(), record.fields["from"].as_str()),
        ("hermes::plugin", "logs")
    );
    let fields = record.fields.get("fields").map_or(Value::Null, |text| {
        serde_json::from_str(text).expect("JSON")
    });
    (record.level, fields)
}

#[test]
fn records_carry_level_fields_and_plugin() {
    let records = Records::capture();
    let home = TestHome::new().plugin(&Fixture::built("logs"));
    let host = home.load();
    loaded(&host, "logs");
    let _ = host
        .fire_json("pre_tool_call", &json!({"tool_name": "terminal"}))
        .expect("an object");
    let _ = host
        .fire_json("on_session_start", &json!({"session_id": "s1"}))
        .expect("an object");
    let said = records.of("logs");
    assert_eq!(
        find(&said, "registers"),
        (Level::INFO, json!({"answer": 42}))
    );
    assert_eq!(
        find(&said, "judges \"terminal\""),
        (
            Level::WARN,
            json!({"tool": "terminal", "depth": -1, "sure": true, "ratio": 0.5})
        )
    );
    assert_eq!(find(&said, "and says nothing").0, Level::TRACE);
    // A thread that the host does not know speaks for its plugin all the same.
    assert_eq!(
        find(&said, "from a thread"),
        (Level::ERROR, json!({"session": "s1"}))
    );
    assert!(host.shutdown());
}
