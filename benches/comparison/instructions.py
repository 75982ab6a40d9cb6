"""What contestants may use: all instructions of the machine, or AVX2 only, in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from comparison.machine import processor
from comparison.records import Done, read_records

KERNELS = (
    "sklearn",
    "numpy",
    "arithmetic",
    "bandwidth",
    "layouts",
    "uint16",
    "labels",
    "sampling",
    "experts",
)
"""Sections in which the instruction set matters."""


HELD_BACK = {
    "GAUDA_SIMD": "avx2",
    "OPENBLAS_CORETYPE": "Haswell",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
}
"""How gauda and those libraries that can be told (numpy's BLAS, torch, jax) are kept to AVX2."""

AVX2 = ", AVX2"
"""What is added to the titles of sections that were held back."""


def use_all_instructions() -> None:
    """Start over without what holds a library back, unless gauda is held back too.

    Libraries look as they are loaded, so it is too late to tell them in this process.
    """
    found = HELD_BACK.keys() & os.environ.keys()
    if found and "GAUDA_SIMD" not in found:
        rest = {name: value for name, value in os.environ.items() if name not in found}
        os.execve(sys.executable, [sys.executable, *sys.argv], rest)  # noqa: S606 (ourselves)


def run_on_avx2(script: Path, chosen: Sequence[str], options: Sequence[str]) -> Done:
    """Return those of the chosen sections, measured by the script with everybody held back.

    Nothing if the machine has no more than AVX2, or is held back already.
    """
    names = [name for name in chosen if name in KERNELS]
    if not names or "avx512f" not in processor()[1] or "GAUDA_SIMD" in os.environ:
        return {}
    print("\nAgain, held back to AVX2")  # noqa: T201 (part of a script)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "avx2.json")
        command = [sys.executable, script, *options, "--only", *names, "--json", path]
        subprocess.run(command, env=os.environ | HELD_BACK, check=True)  # noqa: S603 (ourselves)
        return {f"{title}{AVX2}": lines for title, lines in read_records(path).items()}
