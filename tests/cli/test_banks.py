"""recalld bank: create, list, delete."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_a_bank_is_created_once(run: Run, bank_id: str) -> None:
    first, second = run("bank", "create", bank_id), run("bank", "create", bank_id)
    assert (first.exit_code, first.stdout) == (0, f"Bank '{bank_id}' created.\n")
    assert (second.exit_code, second.stdout) == (0, f"Bank '{bank_id}' exists already.\n")


def test_a_created_bank_is_listed(run: Run, bank_id: str) -> None:
    run("bank", "create", bank_id)
    assert bank_id in run("bank", "list").stdout
    assert bank_id in run("bank", "list", "--search", bank_id[4:]).stdout
    assert bank_id not in run("bank", "list", "--search", "no such bank").stdout


def test_deleting_asks_first(run: Run, bank_id: str) -> None:
    run("bank", "create", bank_id)
    refused = run("bank", "delete", bank_id, answer="n\n")
    assert refused.exit_code == 1
    assert "with 0 facts?" in refused.output
    assert bank_id in run("bank", "list").stdout
    assert run("bank", "delete", bank_id, answer="y\n").exit_code == 0
    assert bank_id not in run("bank", "list").stdout


def test_deleting_with_yes_does_not_ask(run: Run, bank_id: str) -> None:
    run("bank", "create", bank_id)
    assert run("bank", "delete", bank_id, "--yes").stdout == f"Bank '{bank_id}' deleted.\n"


def test_a_bank_that_does_not_exist_cannot_be_deleted(run: Run) -> None:
    result = run("bank", "delete", "nobody-made-this", "--yes")
    assert (result.exit_code, result.stderr) == (1, "Bank 'nobody-made-this' not found\n")


def test_an_id_the_server_refuses_is_refused_here(run: Run) -> None:
    result = run("bank", "create", "_hidden")
    assert (result.exit_code, result.stderr) == (1, "bank_id must not start with '_'\n")
