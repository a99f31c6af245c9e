"""recalld when: the time a text names, as recall would read it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from recalld.api.hindsight.convert import query_timestamp
from recalld.cli.terminal import out, plain_errors
from recalld.recall.time_window import find_window
from recalld.settings import Settings


def when(
    text: Annotated[str, typer.Argument(help="A question or a phrase, for example 'last spring'.")],
    at: Annotated[str | None, typer.Option(help="Moment it is said, ISO; now by default.")] = None,
) -> None:
    """Print the time window that a text names."""
    with plain_errors():
        settings = Settings()
        anchor = query_timestamp(at) or datetime.now(UTC)
    window = find_window(text, anchor, date_order=settings.date_order, southern=settings.southern_seasons)
    if window is None:
        out().print("No time is named.", style="yellow")
        return
    start, end = (moment.isoformat(sep=" ", timespec="seconds") for moment in (window.start, window.end))
    out().print(f"{start} to {end}")
