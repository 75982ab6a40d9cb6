"""Multivariate analysis of variance by statsmodels: run in this folder (needs statsmodels)."""

import json
from pathlib import Path

import pandas as pd
import statsmodels
from statsmodels.multivariate.manova import MANOVA

NAMES = {"Wilks' lambda": "wilks", "Pillai's trace": "pillai", "Roy's greatest root": "roy"}
"""Hotelling and Lawley's F is McKeon's there, as in SAS; of that only the trace is compared."""


def tests(name: str) -> dict:
    table = pd.read_csv(Path("..", "data", f"{name}.csv"))
    *columns, label = table.columns
    X = table[columns].set_axis([f"c{i}" for i in range(len(columns))], axis=1)
    frame = X.assign(y=table[label].astype(str))
    found = MANOVA.from_formula(f"{' + '.join(X.columns)} ~ y", frame).mv_test()["y"]["stat"]
    rows = {own: [float(value) for value in found.loc[theirs]] for theirs, own in NAMES.items()}
    trace = float(found.loc["Hotelling-Lawley trace", "Value"])
    return {"statistic, df_num, df_den, f, p_value": rows, "hotelling_lawley": trace}


if __name__ == "__main__":
    found = {name: tests(name) for name in ("iris", "banknote", "skulls", "esl_vowel_train")}
    text = json.dumps({"statsmodels": statsmodels.__version__, **found}, indent=1)
    Path("statsmodels_manova.json").write_text(text + "\n", encoding="utf-8")
