"""recalld when: the window a text names."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run


def test_a_named_time_is_printed_as_a_window(run: Run) -> None:
    result = run("when", "last spring", "--at", "2026-09-16")
    assert result.exit_code == 0
    assert result.stdout == "2026-03-01 00:00:00+00:00 to 2026-05-31 23:59:59+00:00\n"


@pytest.mark.parametrize(("order", "start"), [("MDY", "2024-06-05"), ("DMY", "2024-05-06")])
def test_the_setting_for_the_order_of_a_date_holds(run: Run, order: str, start: str) -> None:
    result = run("when", "06/05/2024", "--at", "2026-09-16", env={"RECALLD_DATE_ORDER": order})
    assert result.stdout.startswith(start)


def test_a_text_without_a_time_says_so(run: Run) -> None:
    assert run("when", "who is Mira?").stdout == "No time is named.\n"


def test_an_unreadable_moment_is_refused(run: Run) -> None:
    result = run("when", "last spring", "--at", "soon")
    assert result.exit_code == 1
    assert result.stderr.startswith("Invalid query_timestamp format.")
