"""Upper tails of F and chi-squared in 60-digit arithmetic: `python tails.py` (needs mpmath)."""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 60
F = [
    (f, df_num, df_den)
    for df_num in (1, 2, 8, 20.5, 199)
    for df_den in (1, 3, 144, 288.5, 1990)
    for f in (1e-3, 0.7, 3.5, 60, 1200, 3.7e4, 1e8)
]
CHI2 = [(share * df, df) for df in (1, 3, 20, 210, 4000) for share in (1e-3, 0.6, 1.4, 9, 80, 2e4)]


def f_log_tail(f: float, df_num: float, df_den: float) -> mp.mpf:
    f, a, b = (mp.mpf(value) for value in (f, df_num, df_den))
    return mp.log(mp.betainc(b / 2, a / 2, 0, b / (b + a * f), regularized=True))


def chi2_log_tail(x: float, df: float) -> mp.mpf:
    return mp.log(mp.gammainc(mp.mpf(df) / 2, mp.mpf(x) / 2, mp.inf, regularized=True))


if __name__ == "__main__":
    found = {
        "f": [[*case, mp.nstr(f_log_tail(*case), 25)] for case in F],
        "chi2": [[*case, mp.nstr(chi2_log_tail(*case), 25)] for case in CHI2],
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(found) + "\n", encoding="utf-8")
