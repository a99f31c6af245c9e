"""The house rules: named files, short modules and functions, types and docstrings everywhere."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "recalld"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

MAX_LINES = 400
MAX_MEDIAN_LINES = 150
MAX_STATEMENTS = 40
MAX_ARGUMENTS = 6
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}

TREE = (
    "cli",
    "settings.py",
    "bootstrap.py",
    "telemetry.py",
    "api/app.py",
    "api/deps.py",
    "api/errors.py",
    "api/middleware.py",
    "api/hindsight/schemas",
    "api/hindsight/routes",
    "api/hindsight/convert.py",
    "recall/service.py",
    "recall/plan.py",
    "recall/retrieve.py",
    "recall/fuse.py",
    "recall/hydrate.py",
    "recall/rerank.py",
    "recall/boost.py",
    "recall/select.py",
    "recall/assemble.py",
    "recall/types.py",
    "recall/trace.py",
    "recall/late_interaction.py",
    "recall/time_window",
    "recall/retrievers/semantic.py",
    "recall/retrievers/keyword.py",
    "recall/retrievers/graph.py",
    "recall/retrievers/temporal.py",
    "retain/service.py",
    "retain/chunk.py",
    "retain/entities.py",
    "retain/documents.py",
    "encoders/protocols.py",
    "encoders/registry.py",
    "encoders/token_counter.py",
    "encoders/embedders",
    "encoders/rerankers",
    "encoders/bundled",
    "store/engine.py",
    "store/tables.py",
    "store/where.py",
    "store/queries",
    "store/writes",
    "store/migrate.py",
    "store/embedded.py",
    "domain/memory.py",
    "domain/tags.py",
    "domain/budget.py",
    "domain/banks.py",
    "domain/errors.py",
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _arguments(function: Function) -> list[ast.arg]:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [argument for argument in (*named, *rest) if argument.arg not in {"self", "cls"}]


def _statements(function: Function) -> int:
    return sum(isinstance(node, ast.stmt) for child in function.body for node in ast.walk(child))


def test_the_names_of_the_tree_exist() -> None:
    missing = [name for name in TREE if not (PACKAGE / name).exists()]
    assert not missing


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_opens_with_a_line_that_says_what_it_is_for(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source))
    assert docstring is not None
    assert source.startswith('"""')
    assert docstring.splitlines()[0].endswith((".", ":", "?"))


@pytest.mark.parametrize("path", [*MODULES, *TESTS], ids=_name)
def test_a_file_name_says_what_is_inside(path: Path) -> None:
    words = {part for name in path.relative_to(ROOT).with_suffix("").parts for part in name.split("_")}
    assert not words & VAGUE_NAMES


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_the_module_in_the_middle_is_shorter_still() -> None:
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES]
    assert statistics.median(lengths) <= MAX_MEDIAN_LINES


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_function_is_short_and_takes_few_arguments(path: Path) -> None:
    offenders = [
        f"{function.name}: {_statements(function)} statements, {len(_arguments(function))} arguments"
        for function in _functions(path)
        if _statements(function) > MAX_STATEMENTS
        or ("cli" not in path.parts and len(_arguments(function)) > MAX_ARGUMENTS)
    ]
    assert not offenders


@pytest.mark.parametrize("path", [*MODULES, *TESTS], ids=_name)
def test_a_function_is_fully_annotated(path: Path) -> None:
    offenders = [
        function.name
        for function in _functions(path)
        if function.returns is None or any(argument.annotation is None for argument in _arguments(function))
    ]
    assert not offenders
