//! Decides what an unquoted scalar means, by the YAML 1.1 rules of Hermes' loader.
//!
//! Hermes reads its files with a YAML 1.1 loader, so `on`, `yes` and `off` are truth values,
//! `0755` is octal and `1e3` is text. A native host that read the same file differently would
//! disagree with Hermes about what the operator switched on.

use serde_json::{Number, Value};

/// The value of an unquoted, untagged scalar.
pub(super) fn plain(text: &str) -> Value {
    if is_null(text) {
        return Value::Null;
    }
    if let Some(flag) = boolean(text) {
        return Value::Bool(flag);
    }
    integer(text)
        .or_else(|| float(text))
        .map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

pub(super) fn integer(text: &str) -> Option<Number> {
    let (negative, digits) = signed(text);
    let magnitude = if let Some(rest) = digits.strip_prefix("0b") {
        radix(rest, 2)?
    } else if let Some(rest) = digits.strip_prefix("0x") {
        radix(rest, 16)?
    } else if digits.contains(':') {
        sexagesimal(digits)?
    } else if digits.len() > 1 && digits.starts_with('0') {
        radix(digits.get(1..)?, 8)?
    } else if digits.starts_with(|c: char| c.is_ascii_digit()) {
        radix(digits, 10)?
    } else {
        return None;
    };
    number(if negative { -magnitude } else { magnitude })
}

pub(super) fn float(text: &str) -> Option<Number> {
    let (negative, digits) = signed(text);
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = mantissa.split_once('.')?;
    let counted = |part: &str| part.chars().all(|c| c.is_ascii_digit() || c == '_');
    if !counted(fraction) {
        return None;
    }
    if whole.contains(':') && exponent.is_none() {
        let fraction: f64 = format!("0.{}", fraction.replace('_', "")).parse().ok()?;
        let value = sexagesimal(whole)? as f64 + fraction;
        return Number::from_f64(if negative { -value } else { value });
    }
    // `-.5` is text: without a digit before the dot there is no sign.
    let starts = match (whole.is_empty(), digits.len() == text.len()) {
        (true, true) => fraction,
        (true, false) => return None,
        (false, _) => whole,
    };
    if !counted(whole) || !starts.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // `1.5e3` is text in YAML 1.1: an exponent needs its sign.
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-'])?;
        if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
    }
    let value: f64 = digits.replace('_', "").parse().ok()?;
    Number::from_f64(if negative { -value } else { value })
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn radix(digits: &str, base: u32) -> Option<i128> {
    let mut value: i128 = 0;
    let mut seen = false;
    for c in digits.chars().filter(|c| *c != '_') {
        seen = true;
        let digit = i128::from(c.to_digit(base)?);
        value = value.checked_mul(i128::from(base))?.checked_add(digit)?;
    }
    seen.then_some(value)
}

fn sexagesimal(digits: &str) -> Option<i128> {
    let mut parts = digits.split(':');
    let first = parts.next()?;
    if !first.starts_with(|c: char| ('1'..='9').contains(&c)) {
        return None;
    }
    let mut value = radix(first, 10)?;
    for part in parts {
        if part.is_empty() || part.len() > 2 || !part.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let digit = radix(part, 10).filter(|digit| *digit < 60)?;
        value = value.checked_mul(60)?.checked_add(digit)?;
    }
    Some(value)
}

fn number(value: i128) -> Option<Number> {
    Number::from_i128(value).or_else(|| Number::from_f64(value as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, wanted: Value) {
        assert_eq!(plain(text), wanted, "{text:?}");
    }

    #[test]
    fn words() {
        for text in ["", "~", "null", "NULL"] {
            check(text, Value::Null);
        }
        for text in ["yes", "On", "TRUE"] {
            check(text, json!(true));
        }
        for text in ["no", "Off", "FALSE"] {
            check(text, json!(false));
        }
        for text in [
            "y", "n", "oN", "nULL", "1e3", "1.5e3", ".", "-", "0o17", "a:1",
        ] {
            check(text, json!(text));
        }
    }

    #[test]
    fn numbers() {
        check("0", json!(0));
        check("-17", json!(-17));
        check("+17", json!(17));
        check("1_000", json!(1000));
        check("0755", json!(493));
        check("089", json!("089"));
        check("0x1F", json!(31));
        check("0b101", json!(5));
        check("1:30", json!(90));
        check("1:99", json!("1:99"));
        check("1.5", json!(1.5));
        check(".5", json!(0.5));
        check("-.5", json!("-.5"));
        check("1:30.5", json!(90.5));
        check("1.", json!(1.0));
        check("1.0e+3", json!(1000.0));
        check("1.2.3", json!("1.2.3"));
        check("18446744073709551615", json!(u64::MAX));
        check("18446744073709551616", json!(18446744073709551616.0));
        check(&"9".repeat(60), json!("9".repeat(60)));
    }
}
