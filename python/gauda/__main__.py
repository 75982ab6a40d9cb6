"""The console script, and `python -m gauda`: starts the shell, or says what it lacks."""

from __future__ import annotations

import sys

from gauda._support.exit_codes import FAILED, INTERRUPTED
from gauda._support.optional import need


def main() -> None:
    """Run the shell on the arguments of this process."""
    try:
        need("click", extra="cli")
        from gauda.cli.group import shell  # noqa: PLC0415 (it needs click)
    except ImportError as error:
        print(f"gauda: {error}", file=sys.stderr)  # noqa: T201 (click is missing)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    shell(prog_name="gauda")


if __name__ == "__main__":
    main()
