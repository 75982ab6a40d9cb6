//! Values of Python in terms of JSON: what JSON lacks is an object with the key `$type`.

use ndarray::Array2;
use serde_json::{Value, json};

use super::error::{Fault, Outcome};

/// The error for a parameter that has no counterpart.
pub(super) fn wrong(name: &str, value: &Value) -> Fault {
    Fault::Unsupported(format!(
        "its parameter {name} is {value}, for which there is no counterpart here; load it in Python"
    ))
}

/// A number, as Python's own or as one of numpy's.
pub(super) fn number(name: &str, value: &Value) -> Outcome<f64> {
    let found = match value.get("$type").and_then(Value::as_str) {
        Some("scalar") => value.pointer("/array/values/0").and_then(Value::as_f64),
        Some("float") => value.get("value").and_then(Value::as_str).and_then(|text| text.parse().ok()),
        _ => value.as_f64(),
    };
    found.ok_or_else(|| wrong(name, value))
}

/// The shape and the numbers of an array, a list, or a list of lists.
pub(super) fn array(name: &str, value: &Value) -> Outcome<(Vec<usize>, Vec<f64>)> {
    let numbers =
        |values: &Vec<Value>| values.iter().map(|value| number(name, value)).collect::<Outcome<Vec<f64>>>();
    if let Some(items) = list(value) {
        let rows: Option<Vec<_>> = items.iter().map(list).collect();
        let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
            return Ok((vec![items.len()], numbers(items)?));
        };
        let flat = rows.iter().map(|row| numbers(row)).collect::<Outcome<Vec<_>>>()?.concat();
        return Ok((vec![rows.len(), flat.len() / rows.len()], flat));
    }
    let shape = value.get("shape").and_then(Value::as_array);
    let shape =
        shape.and_then(|shape| shape.iter().map(|n| Some(n.as_u64()? as usize)).collect::<Option<Vec<_>>>());
    match (value.get("$type").and_then(Value::as_str), shape, value.get("values").and_then(Value::as_array)) {
        (Some("array"), Some(shape), Some(values)) => Ok((shape, numbers(values)?)),
        _ => Err(wrong(name, value)),
    }
}

/// The items of a list or a tuple.
fn list(value: &Value) -> Option<&Vec<Value>> {
    match value.get("$type").and_then(Value::as_str) {
        Some("tuple") => value.get("values")?.as_array(),
        _ => value.as_array(),
    }
}

pub(super) fn array_to_json(array: &Array2<f64>) -> Value {
    let values: Vec<f64> = array.iter().copied().collect();
    json!({"$type": "array", "dtype": "<f8", "shape": array.shape(), "values": values})
}
