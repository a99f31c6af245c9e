"""A recall as a person reads it: the ranked facts, who found them, and the time of each stage."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from recalld.recall.types import RecallOutcome, RetrieverName, ScoredCandidate

COLUMNS = (
    (RetrieverName.SEMANTIC, "sem"),
    (RetrieverName.KEYWORD, "key"),
    (RetrieverName.GRAPH, "graph"),
    (RetrieverName.TEMPORAL, "time"),
)


def ranked_table(outcome: RecallOutcome, limit: int, right: str | None = None) -> Table:
    """The first ``limit`` facts; under each retriever its own rank. ``right`` is the id to mark."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("#", justify="right")
    table.add_column("score", justify="right")
    for _, title in COLUMNS:
        table.add_column(title, justify="right")
    table.add_column("date", no_wrap=True)
    table.add_column("text", overflow="fold")
    for rank, scored in enumerate(outcome.selection.kept[:limit], start=1):
        style = "bold green" if scored.memory.id == right else ""
        table.add_row(*_cells(rank, scored), style=style)
    return table


def _cells(rank: int, scored: ScoredCandidate) -> list[str | Text]:
    ranks = scored.candidate.fused.ranks
    happened = scored.memory.happened_at
    return [
        str(rank),
        f"{scored.final:.3f}",
        *(str(ranks[name]) if name in ranks else "\u00b7" for name, _ in COLUMNS),
        f"{happened:%Y-%m-%d}" if happened else "",
        Text(" ".join(scored.memory.text.split())),
    ]


def stage_line(outcome: RecallOutcome) -> str:
    """Milliseconds in total and per stage, on one line."""
    stages = " ".join(f"{timing.name} {timing.seconds * 1000:.1f}" for timing in outcome.timings)
    total = sum(timing.seconds for timing in outcome.timings) * 1000
    return f"{total:.1f} ms: {stages}"


def window_line(outcome: RecallOutcome) -> str | None:
    """The time the question was understood to name."""
    window = outcome.plan.window
    return None if window is None else f"time: {window.start:%Y-%m-%d} to {window.end:%Y-%m-%d}"
