"""What the examples share: where their pictures go, and how they are saved."""

from __future__ import annotations

import argparse
import sys
from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image


def save(figure: Figure, dpi: int = 110) -> None:
    """Save the picture of an example beside its script, or where --out says."""
    script = Path(sys.argv[0])
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=script.with_suffix(".png"))
    out = parser.parse_args().out
    save_png(figure, out, dpi)
    print(f"\nPicture saved to {out}")


def save_png(figure: Figure, out: Path, dpi: int) -> None:
    """Save with a palette of 256 colors: a third of the size, and no visible difference."""
    pixels = BytesIO()
    figure.savefig(pixels, dpi=dpi)
    palette = Image.open(pixels).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    palette.save(out, format="png", optimize=True)
