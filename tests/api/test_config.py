"""Settings of a bank: look, change, reset, and what they do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fixtures.bank import Json, TestBank
from tests.fixtures.catalog import answer, ask
from tests.fixtures.contract import PUBLISHED

FLAGS = ("enable_text_search", "enable_temporal_retrieval", "enable_graph_retrieval", "enable_reranking")


async def change(bank: TestBank, **updates: Any) -> Json:
    return await answer(bank, "PATCH", "/config", json={"updates": updates})


async def refused(bank: TestBank, **updates: Any) -> str:
    response = await ask(bank, "PATCH", "/config", json={"updates": updates})
    assert response.status_code == 400, response.text
    detail: str = response.json()["detail"]
    return detail


async def test_a_new_bank_has_the_servers_values(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={})
    settings = await answer(bank, "GET", "/config")
    assert (settings["bank_id"], settings["overrides"]) == (bank.bank_id, {})
    config = settings["config"]
    assert [config[f"recall_budget_fixed_{budget}"] for budget in ("low", "mid", "high")] == [100, 300, 1000]
    assert [config[f"recall_budget_adaptive_{b}"] for b in ("low", "mid", "high")] == [0.025, 0.075, 0.25]
    assert (config["recall_budget_function"], config["recall_budget_min"]) == ("fixed", 20)
    assert (config["recall_budget_max"], config["retain_chunk_size"]) == (2000, 500)
    assert {config[name] for name in FLAGS} == {True}
    assert (config["recall_prefer_observations"], config["disposition_empathy"]) == (False, 3)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published document is not beside the checkout")
async def test_every_published_setting_is_there(bank: TestBank) -> None:
    document = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    published = document["components"]["schemas"]["BankTemplateConfig"]["properties"]
    assert published.keys() <= (await change(bank))["config"].keys()


async def test_a_change_makes_the_bank_and_shows_in_both_parts(bank: TestBank) -> None:
    settings = await change(bank, recall_budget_fixed_low=7, retain_mission="facts only")
    assert settings["overrides"] == {"recall_budget_fixed_low": 7, "retain_mission": "facts only"}
    assert settings["config"]["recall_budget_fixed_low"] == 7
    assert settings["config"]["retain_mission"] == "facts only"
    more = await change(bank, enable_reranking=False)
    assert more["overrides"] == {**settings["overrides"], "enable_reranking": False}
    assert await answer(bank, "GET", "/config") == more


async def test_null_is_an_override_that_means_the_servers_value(bank: TestBank) -> None:
    await change(bank, recall_budget_fixed_low=7)
    settings = await change(bank, recall_budget_fixed_low=None)
    assert settings["overrides"] == {"recall_budget_fixed_low": None}
    assert settings["config"]["recall_budget_fixed_low"] == 100


async def test_reset_goes_back_to_the_servers_values(bank: TestBank) -> None:
    before = await change(bank)
    await change(bank, enable_reranking=False, reflect_mission="remember", disposition_empathy=5)
    assert await answer(bank, "DELETE", "/config") == before
    assert await answer(bank, "GET", "/config") == before


async def test_names_of_environment_variables_work_too(bank: TestBank) -> None:
    response = await ask(
        bank,
        "PATCH",
        "/config",
        json={"updates": {"HINDSIGHT_API_RECALL_BUDGET_MIN": 5, "RECALLD_ENABLE_RERANKING": False}},
    )
    assert response.json()["overrides"] == {"recall_budget_min": 5, "enable_reranking": False}


@pytest.mark.parametrize(
    "name",
    [
        "colour",
        "database_url",
        "HINDSIGHT_API_DATABASE_URL",
        "llm_api_key",
        "Enable_Reranking",
        "a\x00b",
        "",
        "name",
    ],
)
async def test_what_is_no_setting_of_a_bank_is_400_and_makes_no_bank(bank: TestBank, name: str) -> None:
    assert "is not a setting of a bank" in await refused(bank, **{name: True})
    assert (await ask(bank, "GET", "/config")).status_code == 404


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("enable_reranking", "yes"),
        ("enable_reranking", 1),
        ("recall_budget_fixed_low", "7"),
        ("recall_budget_fixed_low", True),
        ("recall_budget_fixed_low", 7.5),
        ("recall_budget_fixed_low", 0),
        ("recall_budget_fixed_high", 10**9),
        ("recall_budget_adaptive_mid", 0),
        ("recall_budget_adaptive_mid", "x"),
        ("recall_budget_function", "clever"),
        ("recall_budget_function", ["fixed"]),
        ("retain_chunk_size", 99),
        ("retain_mission", 7),
        ("disposition_empathy", 6),
        ("mcp_enabled_tools", ["recall", 7]),
        ("entity_labels", {"key": "x"}),
        ("default_observation_scopes", "some"),
        ("default_observation_scopes", [["a"], "b"]),
        ("retain_strategies", []),
    ],
)
async def test_a_value_that_does_not_fit_is_400_and_changes_nothing(
    bank: TestBank, name: str, value: Any
) -> None:
    assert f"'{name}' must be" in await refused(bank, enable_text_search=False, **{name: value})
    assert (await ask(bank, "GET", "/config")).status_code == 404


async def test_values_nested_too_deeply_are_400(bank: TestBank) -> None:
    value: Any = {}
    for _ in range(200):
        value = {"deeper": [value]}
    assert "levels deep" in await refused(bank, retain_strategies=value)


@pytest.mark.parametrize("body", [{}, {"updates": None}, {"updates": []}, []], ids=str)
async def test_a_body_without_updates_is_422(bank: TestBank, body: Any) -> None:
    assert (await ask(bank, "PATCH", "/config", json=body)).status_code == 422


async def test_values_of_every_kind_are_kept(bank: TestBank) -> None:
    values: Json = {
        "retain_extraction_mode": "anything",
        "default_observation_scopes": [["user:*"], []],
        "mcp_enabled_tools": ["recall"],
        "retain_strategies": {"short": {"retain_chunk_size": 200}},
        "entity_labels": [{"key": "mood"}],
        "recall_budget_adaptive_low": 1,
    }
    settings = await change(bank, **values)
    assert settings["overrides"] == values
    assert {name: settings["config"][name] for name in values} == values


async def test_forbidden_characters_in_values_are_dropped(bank: TestBank) -> None:
    assert (await change(bank, retain_mission="a\x00b"))["overrides"] == {"retain_mission": "ab"}


async def test_mission_and_disposition_are_those_of_the_bank(bank: TestBank) -> None:
    settings = await change(bank, reflect_mission="remember", disposition_empathy=5)
    assert settings["overrides"] == {"reflect_mission": "remember", "disposition_empathy": 5}
    profile = await answer(bank, "GET", "/profile")
    assert (profile["mission"], profile["disposition"]["empathy"]) == ("remember", 5)
    await bank.client.put(bank.path, json={"mission": "forget", "disposition_empathy": 2})
    config = (await answer(bank, "GET", "/config"))["config"]
    assert (config["reflect_mission"], config["disposition_empathy"]) == ("forget", 2)
    settings = await change(bank, disposition_empathy=None, reflect_mission=None)
    assert settings["config"]["disposition_empathy"] == 3
    assert settings["overrides"] == {}


async def test_what_put_sets_shows_as_an_override(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={"enable_graph_retrieval": False, "retain_chunk_size": 400})
    settings = await answer(bank, "GET", "/config")
    assert settings["overrides"] == {"enable_graph_retrieval": False, "retain_chunk_size": 400}


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_reading_and_resetting_make_no_bank(bank: TestBank, method: str) -> None:
    for _ in range(2):
        response = await ask(bank, method, "/config")
        assert response.json() == {"detail": f"Bank '{bank.bank_id}' not found"}


async def test_a_bank_that_may_not_be_is_not_made(bank: TestBank) -> None:
    hidden = TestBank(bank.client, "_hidden")
    assert (await ask(hidden, "PATCH", "/config", json={"updates": {}})).status_code == 400


async def traced(bank: TestBank, **body: Any) -> Json:
    trace: Json = (await bank.recall("Where did Alice move in May 2026?", trace=True, **body))["trace"]
    return trace


async def test_budgets_of_a_bank_change_how_deep_its_recalls_look(bank: TestBank) -> None:
    await bank.retain(*(f"Alice moved to place {i}." for i in range(12)))
    await change(bank, recall_budget_fixed_low=3)
    trace = await traced(bank, budget="low", types=["world"])
    assert trace["query"]["budget"] == 3
    semantic = next(run for run in trace["retrieval_results"] if run["method_name"] == "semantic")
    assert len(semantic["results"]) == 3
    await change(
        bank, recall_budget_function="adaptive", recall_budget_adaptive_low=0.001, recall_budget_min=1
    )
    assert (await traced(bank, budget="low", max_tokens=5000))["query"]["budget"] == 5


@pytest.mark.parametrize(
    ("flag", "retriever"),
    [
        ("enable_text_search", "bm25"),
        ("enable_temporal_retrieval", "temporal"),
        ("enable_graph_retrieval", "graph"),
    ],
)
async def test_a_bank_can_do_without_a_retriever(bank: TestBank, flag: str, retriever: str) -> None:
    await bank.retain({"content": "Alice moved to Paris.", "timestamp": "2026-05-04"})

    async def ran() -> set[str]:
        return {run["method_name"] for run in (await traced(bank))["retrieval_results"]}

    assert retriever in await ran()
    await change(bank, **{flag: False})
    assert retriever not in await ran()
    await answer(bank, "DELETE", "/config")
    assert retriever in await ran()


async def test_a_bank_can_do_without_reranking(bank: TestBank) -> None:
    await bank.retain("Alice moved to Paris.")
    await change(bank, enable_reranking=False)
    (fact,) = await bank.results("Where did Alice move?")
    assert fact["scores"]["reranker"] is None


async def test_the_chunk_size_of_a_bank_is_that_of_its_next_retain(bank: TestBank) -> None:
    text = "A line about the weather. " * 20
    await change(bank, retain_chunk_size=100)
    await bank.retain({"content": text, "document_id": "log"})
    chunks = (await answer(bank, "GET", "/documents/log/chunks"))["items"]
    assert len(chunks) > 4
    assert max(len(chunk["chunk_text"]) for chunk in chunks) <= 100
