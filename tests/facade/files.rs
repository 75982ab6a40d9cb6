//! Files: what Python has written is read here, what is written here comes back, and what is damaged is refused.
//!
//! `tests/reference/files/write.py` wrote the files of Python; `cargo test --test facade -- --ignored` writes those of Rust,
//! which the tests of Python read.

use std::fs;
use std::path::PathBuf;

use gauda::{
    BernoulliNb, CategoricalNb, ClassPriors, ComplementNb, FileError, FileLabel, Fitted, Gamma, GaussianNb,
    Lda, Missing, MixedNb, Moments, MultinomialNb, Params, Qda, Rda, Rows, Shrinkage, Solver, Structure,
    Target,
};
use ndarray::{Array2, Axis, array};
use serde_json::Value;

use crate::{assert_exact, data, largest_error};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "reference", "files"].iter().collect()
}

/// What Python's model says of some rows of iris.
fn answers(name: &str) -> (Array2<f64>, Vec<String>) {
    let text = fs::read_to_string(folder().join("py_answers.json")).unwrap();
    let answers: Value = serde_json::from_str(&text).unwrap();
    let rows = answers[name]["log_posterior"].as_array().unwrap();
    let k = rows[0].as_array().unwrap().len();
    let log_posterior = Array2::from_shape_fn((rows.len(), k), |(i, j)| rows[i][j].as_f64().unwrap());
    let labels = answers[name]["label"].as_array().unwrap();
    (log_posterior, labels.iter().map(|label| label.as_str().unwrap().to_owned()).collect())
}

/// Loads a file of Python's and compares all answers; labels are compared as Python prints them.
fn check<'a, L: FileLabel>(name: &str, x: impl Into<Rows<'a>>, print: impl Fn(&L) -> String) -> Fitted<L> {
    let model = Fitted::<L>::load(folder().join(format!("py_{name}.gauda"))).unwrap();
    let (log_posterior, labels) = answers(name);
    let rows = x.into();
    let answer = model.ask(Rows::from(&rows)).label().log_posterior().run().unwrap();
    assert!(largest_error(&answer.log_posterior, &log_posterior) < 1e-10, "{name}");
    let predicted: Vec<String> = answer.label.iter().map(|label| print(label.as_ref().unwrap())).collect();
    assert_eq!(predicted, labels, "{name}");
    model
}

#[test]
fn models_of_python_answer_the_same_here() {
    let (all, _) = data("iris");
    let every: Vec<usize> = (0..150).step_by(10).collect();
    let x = all.select(Axis(0), &every);
    let mut gaps = all.clone();
    (0..150).step_by(7).for_each(|row| gaps[[row, 1]] = f64::NAN);
    let gaps = gaps.select(Axis(0), &every);
    let same = |label: &String| label.clone();
    for name in
        ["qda", "qda_auto", "qda_named", "qda_by_class", "lda_eigen", "lda_auto", "lda_lsqr", "lda_reduced"]
            .into_iter()
            .chain(["lda_batches", "mnb"])
    {
        check(name, &x, same);
    }
    for name in ["rda", "rda_oas", "rda_lw", "rda_pure"] {
        check(name, &x, same);
    }
    check("lda", &x, i64::to_string);
    check("lda", &x, u8::to_string);
    check("lda_cost", &gaps, same);
    check("gnb", &x, |&label: &bool| if label { "True".to_owned() } else { "False".to_owned() });
    check("gnb_weighted", &x, i32::to_string);
    let means = all.mean_axis(Axis(0)).unwrap();
    let large = Array2::from_shape_fn(x.dim(), |(row, column)| x[[row, column]] > means[column]);
    check("bnb", &large, same);
    // Halves are rounded to even numbers, as numpy does.
    check("cnb", &x.mapv(f64::round_ties_even), same);
    check("complement", &x.mapv(f64::round_ties_even), same);
    check("mixed", &half_levels(&gaps), same);
    for name in ["mixed_named", "cnb_named", "bnb_gaps"] {
        let other = Fitted::<String>::load(folder().join(format!("py_{name}.gauda")));
        assert!(matches!(other, Err(FileError::Unsupported { .. })), "{name}");
    }
    let dropping = Fitted::<String>::load(folder().join("py_cnb_drop.gauda")).unwrap();
    assert_eq!(dropping.predict(&array![[0.0], [1.0]]).unwrap(), ["b", "a"]);
}

#[test]
fn a_file_of_python_tells_names_of_columns_and_holds_exact_moments() {
    let (x, y) = data("iris");
    let named = Fitted::<String>::load(folder().join("py_qda_named.gauda")).unwrap();
    assert_eq!(named.feature_names().unwrap()[3], "Petal.Width");
    assert_eq!(named.priors(), [0.2, 0.3, 0.5]);
    let moments = Moments::<String>::load(folder().join("py_moments.gauda")).unwrap();
    assert_exact(&Lda::params().fit_moments(&moments).unwrap(), &x, "iris", "lda_ml");
    let ours = Moments::from_rows(&x, &y, Structure::Tied).unwrap();
    assert!((moments.scatter() - ours.scatter()).iter().all(|difference| difference.abs() < 1e-10));
}

/// The first two columns, and the others as categories from 0 on.
fn half_levels(x: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn(x.dim(), |(row, column)| {
        let entry = x[[row, column]];
        match column {
            2 => entry.round_ties_even() - 1.0,
            3 => entry.round_ties_even(),
            _ => entry,
        }
    })
}

/// Every kind of model and parameter that a file can hold.
fn models() -> Vec<(&'static str, Fitted<String>, Array2<f64>)> {
    let (x, y) = data("iris");
    let weights: Vec<f64> = (0..150).map(|row| (row % 3) as f64).collect();
    let mut gaps = x.clone();
    (0..150).step_by(7).for_each(|row| gaps[[row, 1]] = f64::NAN);
    let levels = x.mapv(f64::round_ties_even);
    let half = half_levels(&gaps);
    let qda: fn() -> Params<Qda> = Qda::params;
    let lda: fn() -> Params<Lda> = Lda::params;
    let costs = array![[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [10.0, 10.0, 0.0]];
    let marginalize = Missing::Marginalize;
    [
        ("qda", qda().fit(&x, &y), &x),
        ("qda_auto", qda().shrinkage(Shrinkage::LedoitWolf).unbiased(true).fit(&x, &y), &x),
        ("qda_priors", qda().reg_param(0.1).priors([2.0, 3.0, 5.0]).fit(&x, &y), &x),
        ("lda_costs", lda().costs(costs).missing(marginalize).fit(&gaps, &y), &gaps),
        ("lda_auto", lda().shrinkage(Shrinkage::LedoitWolf).fit(&x, &y), &x),
        ("lda_lsqr", lda().solver(Solver::Lsqr).shrinkage(0.2).priors(ClassPriors::Uniform).fit(&x, &y), &x),
        ("lda_reduced", lda().components(1).reduced_rank(true).fit(&x, &y), &x),
        ("rda", Rda::params().alpha(0.3).gamma(0.4).target(Target::Identity).fit(&x, &y), &x),
        ("rda_lw", Rda::params().alpha(0.1).gamma(Gamma::LedoitWolf).fit(&x, &y), &x),
        ("rda_oas", Rda::params().gamma(Gamma::OracleApproximating).fit(&x, &y), &x),
        ("gnb", GaussianNb::params().var_smoothing(0.01).fit_weighted(&x, &y, &weights), &x),
        ("bnb", BernoulliNb::params().alpha(0.5).binarize(2.5).fit(&x, &y), &x),
        (
            "cnb",
            CategoricalNb::params().min_categories(9).priors(ClassPriors::Uniform).fit(&levels, &y),
            &levels,
        ),
        ("mnb", MultinomialNb::params().alpha(0.5).priors([2.0, 3.0, 5.0]).fit(&x, &y), &x),
        ("complement", ComplementNb::params().norm(true).fit_weighted(&levels, &y, &weights), &levels),
        ("mixed", MixedNb::params().categorical([2, 3]).fit_weighted(&half, &y, &weights), &half),
    ]
    .map(|(name, model, x)| (name, model.unwrap(), x.clone()))
    .into()
}

#[test]
#[ignore = "writes the files that the tests of Python read"]
fn write_the_files_of_rust() {
    for (name, model, _) in models() {
        model.save(folder().join(format!("rs_{name}.gauda"))).unwrap();
    }
    let (x, y) = data("iris");
    let codes: Vec<i16> = y.iter().map(|label| if label == "setosa" { -7 } else { 300 }).collect();
    Moments::from_rows(&x, &codes, Structure::Full).unwrap().save(folder().join("rs_moments.gauda")).unwrap();
}

#[test]
fn what_was_saved_comes_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gauda");
    for (name, model, x) in models() {
        model.save(&path).unwrap();
        let loaded = Fitted::<String>::load(&path).unwrap();
        assert_eq!(loaded.predict_log_proba(&x).unwrap(), model.predict_log_proba(&x).unwrap(), "{name}");
        assert_eq!(loaded.predict(&x).unwrap(), model.predict(&x).unwrap(), "{name}");
        assert_eq!(loaded.moments(), model.moments(), "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_files_of_rust_are_those_that_it_writes_today() {
    for (name, model, x) in models() {
        let kept = Fitted::<String>::load(folder().join(format!("rs_{name}.gauda"))).unwrap();
        let both = [kept.predict_log_proba(&x).unwrap(), model.predict_log_proba(&x).unwrap()];
        assert!(largest_error(&both[0], &both[1]) < 1e-9, "{name}");
        assert_eq!(kept.predict(&x).unwrap(), model.predict(&x).unwrap(), "{name}");
    }
}

#[test]
fn labels_of_every_type_come_back() {
    fn check<L: FileLabel + gauda::Label<Class = L> + std::fmt::Debug>(labels: [L; 2]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gauda");
        let [first, second] = labels.clone();
        let y = [first.clone(), first, second.clone(), second];
        GaussianNb::params().fit(&array![[0.0], [1.0], [8.0], [9.0]], &y).unwrap().save(&path).unwrap();
        assert_eq!(Fitted::<L>::load(&path).unwrap().classes(), labels);
    }
    check([i64::MIN, i64::MAX]);
    check([0, u64::MAX]);
    check([-128_i8, 127]);
    check([-3_i16, 500]);
    check([-70_000_i32, 9]);
    check([0_u8, 255]);
    check([1_u16, 65_535]);
    check([1_u32, u32::MAX]);
    check([3_usize, 4]);
    check([false, true]);
    check(['a', '\u{10ffff}']);
    check([String::new(), "Größe".to_owned()]);
}

#[cfg(unix)]
#[test]
fn only_ordinary_files_are_replaced_and_links_stay() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let (_, model, _) = models().swap_remove(0);
    let [socket, file, link] = ["socket", "file", "link"].map(|name| folder.path().join(name));
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for name in [folder.path(), &socket] {
        let message = model.save(name).unwrap_err().to_string();
        assert!(message.contains("give the name of an ordinary file"), "{message}");
    }
    assert!(fs::metadata(&socket).unwrap().file_type().is_socket());

    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&file, &link).unwrap();
    model.save(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    Fitted::<String>::load(&file).unwrap();
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gauda");
    let model = Lda::params().fit(&array![[0.0], [1.0], [8.0], [9.0]], &[0_i64, 0, 1, 1]).unwrap();
    model.save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert!(Fitted::<i64>::load(&path).is_err(), "byte {place}");
    }
    for length in [0, 7, 8, 100, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(Fitted::<i64>::load(&path).is_err(), "{length} bytes");
    }
    fs::write(&path, "Sepal.Length,Sepal.Width\n5.1,3.5\n").unwrap();
    assert!(matches!(Fitted::<i64>::load(&path), Err(FileError::Foreign { .. })));
    let format = br#"\"format\":1"#;
    let place = whole.windows(format.len()).position(|window| window == format).unwrap();
    let mut later = whole.clone();
    later[place + format.len() - 1] = b'9';
    fs::write(&path, &later).unwrap();
    assert!(matches!(Fitted::<i64>::load(&path), Err(FileError::Later { format: 9, .. })));
    model.save(&path).unwrap();
    assert!(matches!(Fitted::<String>::load(&path), Err(FileError::Unsupported { .. })));
    assert!(matches!(Moments::<i64>::load(&path), Err(FileError::Unsupported { .. })));
    assert!(matches!(
        Fitted::<i64>::load(folder.path()),
        Err(FileError::Foreign { .. } | FileError::Io { .. })
    ));
}
