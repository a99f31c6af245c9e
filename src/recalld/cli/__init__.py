"""The command line: one module per command, put together in ``program``."""

from recalld.cli.program import main

__all__ = ["main"]
