"""How processes of the shell end, besides 0 for success."""

FAILED, INTERRUPTED = 2, 130
