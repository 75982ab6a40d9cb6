"""Which machine and which versions the figures belong to."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info


def processor() -> tuple[str, set[str]]:
    """Return the model of the processor and its instruction sets, as far as the system tells."""
    path = Path("/proc/cpuinfo")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    fields = dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)
    fields = {name: value.strip(" \t:") for name, value in fields.items()}
    return fields.get("model name", platform.machine()), set(fields.get("flags", "").split())


def instructions(flags: set[str]) -> str:
    """Return the instruction set that gauda's kernels use."""
    names = {"AVX-512": "avx512f", "AVX2 with FMA": "avx2"}
    best = next((name for name, flag in names.items() if flag in flags), "baseline instructions")
    held_back = os.environ.get("GAUDA_SIMD")
    return f"{best}, held back to {held_back}" if held_back else best


def libraries() -> str:
    """Return the BLAS libraries that are loaded, with their threads."""
    found = {
        f"{blas['internal_api']} {blas['version']} for {blas.get('architecture', 'any processor')} "
        f"({blas['num_threads']} threads)"
        for blas in threadpool_info()
        if blas["user_api"] == "blas"
    }
    return ", ".join(sorted(found))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def machine() -> str:
    """Return the processor, the number of cores, and the instructions that gauda's kernels use."""
    model, flags = processor()
    return f"{model}, {cores()} cores, {instructions(flags)}"


def description() -> list[str]:
    """Say in a few lines where this runs."""
    names = ("gauda", "scikit-learn", "numpy", "scipy")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    return [
        machine(),
        f"Python {platform.python_version()}, {versions}, BLAS: {libraries()}",
    ]
