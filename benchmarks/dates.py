"""Agreement with a file of dated expressions, and the cost of undated and dated queries.

Usage: ``python benchmarks/dates.py CASES.json [--list] [--undated QUESTIONS.txt]``. A case has a text, an
anchor and the accepted windows as inclusive days; any listed window is right and an empty list means none.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dateparser.search import search_dates

from recalld.recall.time_window import find_window

UNDATED = (
    "Where does the team keep the release checklist?",
    "Which database did we choose for the billing service and why?",
    "What did April say about the new logo?",
    "Does the gateway listen on port 8080?",
    "Who recommended the book about gardens?",
)
DATED = (
    "What did we decide last week?",
    "Who joined the project in June 2024?",
    "What changed between June 3 and 7?",
    "Which invoices arrived two weeks ago?",
    "What happened in 2023?",
)
ANCHOR = datetime(2026, 9, 16, 12, tzinfo=UTC)
ROUNDS = 50


def found_days(case: dict[str, Any]) -> list[str] | None:
    window = find_window(case["text"], datetime.fromisoformat(case["anchor"]))
    return None if window is None else [window.start.date().isoformat(), window.end.date().isoformat()]


def disagreements(cases: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], list[str] | None]]:
    wrong = []
    for case in cases:
        found = found_days(case)
        if (found not in case["windows"]) if case["windows"] else found is not None:
            wrong.append((case, found))
    return wrong


def microseconds(
    call: Callable[[str], object], texts: Iterable[str], rounds: int = ROUNDS
) -> dict[str, float]:
    """The median cost of one call per text, and over the texts the mean, the median and the worst."""
    costs = []
    for text in texts:
        call(text)
        samples = []
        for _ in range(rounds):
            begun = time.perf_counter()
            call(text)
            samples.append((time.perf_counter() - begun) * 1e6)
        costs.append(statistics.median(samples))
    return {"mean": statistics.mean(costs), "median": statistics.median(costs), "worst": max(costs)}


def report(name: str, costs: dict[str, float]) -> None:
    print(f"{name:32}" + "".join(f"  {key} {value:9.1f} us" for key, value in costs.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--list", action="store_true", help="print every disagreement")
    parser.add_argument(
        "--undated", type=Path, help="a file with one undated question a line, to time as well"
    )
    arguments = parser.parse_args()
    cases = json.loads(arguments.cases.read_text(encoding="utf-8"))
    wrong = disagreements(cases)
    print(f"agreement {len(cases) - len(wrong)}/{len(cases)} = {1 - len(wrong) / len(cases):.1%}")
    if arguments.list:
        for case, found in wrong:
            print(
                f"  {case['anchor'][:10]}  {case['text'][:90]!r}  found {found}  accepted {case['windows']}"
            )

    def find(text: str) -> object:
        return find_window(text, ANCHOR)

    def search(text: str) -> object:
        return search_dates(text, languages=["en"], settings={"RELATIVE_BASE": ANCHOR.replace(tzinfo=None)})

    undated = arguments.undated.read_text(encoding="utf-8").splitlines() if arguments.undated else UNDATED
    report("undated, find_window", microseconds(find, undated))
    report("undated, dateparser search", microseconds(search, UNDATED, rounds=5))
    report("dated, find_window", microseconds(find, DATED))
    report("all cases, find_window", microseconds(find, (case["text"] for case in cases), rounds=5))
    report("dated, dateparser search", microseconds(search, DATED, rounds=5))


if __name__ == "__main__":
    main()
