//! Canonical JSON (RFC 8785) and its hash. Approvals, replays and seals compare these.
//!
//! An approval must not cover a different call, so one case goes beyond the RFC: integers that a double cannot represent exactly,
//! which the RFC excludes from its input, keep all their digits instead of being rounded.

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

/// The value in the form of RFC 8785: no spaces, keys sorted by UTF-16 code units, numbers written as in ECMAScript.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

/// The SHA-256 of the canonical text, in lower-case hex.
pub fn digest(value: &Value) -> String {
    let hash = Sha256::digest(canonical(value).as_bytes());
    let mut text = String::with_capacity(64);
    for byte in hash {
        push_hex(byte, &mut text);
    }
    text
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(name, out);
                out.push(':');
                write_value(value, out);
            }
            out.push('}');
        }
    }
}

fn write_number(number: &Number, out: &mut String) {
    // Up to 2^53 a double has the same digits; beyond that, all digits of the integer are kept.
    if let Some(integer) = number.as_i64() {
        out.push_str(&integer.to_string());
    } else if let Some(integer) = number.as_u64() {
        out.push_str(&integer.to_string());
    } else if let Some(float) = number.as_f64() {
        out.push_str(ryu_js::Buffer::new().format(float));
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control @ '\0'..='\u{1f}' => {
                out.push_str("\\u00");
                push_hex(control as u8, out);
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Appends a byte as two lower-case hex digits.
pub(crate) fn push_hex(byte: u8, out: &mut String) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    out.push(DIGITS[usize::from(byte >> 4)]);
    out.push(DIGITS[usize::from(byte & 15)]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
    use serde_json::{Value, json};

    use super::{canonical, digest};

    fn check(text: &str, expected: &str) {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(canonical(&value), expected);
    }

    // The examples in sections 3.2.2 to 3.2.4 of the RFC.
    #[test]
    fn the_examples_of_the_rfc_are_written_as_it_writes_them() {
        check(
            r#"{
                "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
                "literals": [null, true, false]
            }"#,
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
             \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
        );
    }

    #[test]
    fn keys_stand_in_the_order_of_their_utf16_code_units() {
        check(
            r#"{
                "\u20ac": "Euro Sign",
                "\r": "Carriage Return",
                "\ufb33": "Hebrew Letter Dalet With Dagesh",
                "1": "One",
                "\ud83d\ude00": "Emoji: Grinning Face",
                "\u0080": "Control",
                "\u00f6": "Latin Small Letter O With Diaeresis"
            }"#,
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
             \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\
             \"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        );
    }

    // Appendix B: the bits of a double, and how it is written.
    #[test]
    fn doubles_are_written_as_ecmascript_writes_them() {
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let value = json!(f64::from_bits(bits));
            let written = canonical(&value);
            assert_eq!(written, expected, "{bits:016x}");
            let back: Value = serde_json::from_str(&written).unwrap();
            assert_eq!(back.as_f64().unwrap(), value.as_f64().unwrap());
        }
    }

    #[test]
    fn integers_that_differ_are_written_differently() {
        check("9007199254740992", "9007199254740992");
        check("9007199254740993", "9007199254740993");
        check("18446744073709551615", "18446744073709551615");
        check("-9223372036854775808", "-9223372036854775808");
    }

    #[test]
    fn the_same_number_has_one_spelling() {
        for text in ["100", "100.0", "1e2", "1.00E+2"] {
            check(text, "100");
        }
        check("-0.0", "0");
        check("-0", "0");
    }

    #[test]
    fn the_digest_is_the_sha256_of_the_text() {
        let expected = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(digest(&json!({})), expected);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            prop::num::f64::NORMAL.prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn turned(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(turned).collect(),
            Value::Object(fields) => {
                let fields = fields.iter().rev();
                Value::Object(
                    fields
                        .map(|(name, value)| (name.clone(), turned(value)))
                        .collect(),
                )
            }
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn a_value_that_was_stored_and_read_has_the_same_digest(value in values()) {
            let stored = serde_json::to_string(&value).unwrap();
            let read: Value = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(digest(&read), digest(&value));
            prop_assert_eq!(digest(&turned(&value)), digest(&value));
        }

        #[test]
        fn reading_and_writing_again_changes_nothing(value in values()) {
            let written = canonical(&value);
            let read: Value = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(canonical(&read), written);
        }
    }
}
