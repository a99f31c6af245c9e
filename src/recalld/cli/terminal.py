"""What the terminal shows: two consoles, and errors as one red sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO

import typer
from pydantic import ValidationError
from rich.console import Console

from recalld.cli.database import DATABASE_ERRORS, database_problem
from recalld.domain.errors import RecalldError
from recalld.encoders.protocols import EncoderFailed

PIPED_WIDTH = 100


def out() -> Console:
    """Where answers go."""
    return _console(sys.stdout)


def err() -> Console:
    """Where progress and errors go."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    """Rich takes 80 columns for anything that is not a terminal; tables want a little more."""
    piped = not stream.isatty() and "COLUMNS" not in os.environ
    return Console(file=stream, width=PIPED_WIDTH if piped else None, highlight=False)


def fail(sentence: str) -> NoReturn:
    """Print the sentence in red and leave with exit code 1."""
    err().print(sentence, style="red", markup=False, soft_wrap=True)
    raise typer.Exit(1)


@contextmanager
def plain_errors() -> Iterator[None]:
    """What a user can meet becomes a sentence; a traceback is left to defects."""
    try:
        yield
    except RecalldError as error:
        fail(error.message)
    except EncoderFailed as error:
        fail(f"A model failed: {error}")
    except ValidationError as error:
        fail(first_problem(error))
    except DATABASE_ERRORS as error:
        fail(database_problem(error))
    except ModuleNotFoundError as error:
        fail(f"The Python package '{error.name}' is missing; install the extra that brings it.")
    except OSError as error:
        fail(next(iter(str(error).splitlines()), type(error).__name__))


def first_problem(error: ValidationError) -> str:
    """The first complaint, with the name of the value it is about."""
    problem = error.errors()[0]
    name = ".".join(str(part) for part in problem["loc"])
    message = problem["msg"].removeprefix("Value error, ")
    return message if not name or message.startswith(name) else f"{name}: {message}"


def counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def words(values: list[str] | None) -> list[str]:
    """Values of an option that may be repeated or hold several parts joined by commas."""
    parts = (part.strip() for value in values or () for part in value.split(","))
    return [part for part in parts if part]
