"""The answer to a recall: its keys, its parts, its numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from recalld.bootstrap import Application
from recalld.domain.memory import FactType
from tests.fixtures.bank import TestBank
from tests.fixtures.facts import add_fact, add_link, add_observation

RESULT_KEYS = [
    "id",
    "text",
    "type",
    "entities",
    "context",
    "occurred_start",
    "occurred_end",
    "mentioned_at",
    "document_id",
    "metadata",
    "chunk_id",
    "tags",
    "source_fact_ids",
    "scores",
]
EMPTY: dict[str, Any] = {
    "results": [],
    "trace": None,
    "entities": None,
    "chunks": None,
    "source_facts": None,
    "source_facts_truncated": None,
}
PARIS = "Alice moved to Paris."


async def test_d1_the_minimal_answer(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={})
    answer = await bank.recall("anything")
    assert answer == EMPTY
    assert list(answer) == list(EMPTY)


async def test_d1_declared_keys_are_always_there_and_attachments_only_when_filled(bank: TestBank) -> None:
    await bank.retain("A plain fact.")
    (fact,) = await bank.results("plain fact")
    assert list(fact) == RESULT_KEYS
    assert list(fact["scores"]) == ["final", "reranker", "semantic", "keyword"]


async def test_one_hit_in_full(bank: TestBank) -> None:
    item = {
        "content": PARIS,
        "timestamp": "2026-09-15T14:00:00+02:00",
        "context": "chat",
        "metadata": {"k": "1", "gone": None},
        "document_id": "doc 1",
        "entities": [{"text": "Alice"}],
        "tags": ["b", "a"],
    }
    await bank.retain(item)
    answer = await bank.recall("Where did Alice move?")
    (fact,) = answer["results"]
    scores = fact.pop("scores")
    assert fact == {
        "id": fact["id"],
        "text": PARIS,
        "type": "world",
        "entities": ["Alice"],
        "context": "chat",
        "occurred_start": None,
        "occurred_end": None,
        "mentioned_at": "2026-09-15T12:00:00+00:00",
        "document_id": "doc 1",
        "metadata": {"k": "1"},
        "chunk_id": f"{bank.bank_id}_doc 1_0",
        "tags": ["b", "a"],
        "source_fact_ids": None,
    }
    assert 0 < scores["reranker"] <= 1
    assert 0 < scores["semantic"] <= 1
    assert scores["keyword"] > 0
    assert answer["entities"]["Alice"]["canonical_name"] == "Alice"
    assert answer["entities"]["Alice"]["observations"] == []
    assert answer["chunks"] is answer["source_facts"] is answer["trace"] is None


async def test_a_fact_without_anything_has_empty_values_as_published(bank: TestBank) -> None:
    await bank.retain({"content": "bare fact", "timestamp": "unset"})
    (fact,) = await bank.results("bare fact")
    assert (fact["context"], fact["metadata"], fact["tags"]) == ("", {}, [])
    assert (fact["entities"], fact["mentioned_at"]) == (None, None)


async def test_results_come_best_first_by_final_score(bank: TestBank) -> None:
    await bank.retain(
        PARIS, "Bob likes hiking.", "Paris is the capital of France.", "Carol sells sea shells."
    )
    found = await bank.results("Where did Alice move?")
    assert found[0]["text"] == PARIS
    finals = [fact["scores"]["final"] for fact in found]
    assert finals == sorted(finals, reverse=True)


async def test_d14_the_same_question_has_the_same_answer(bank: TestBank) -> None:
    await bank.retain(*["the very same words"] * 12)
    first, second = [await bank.results("same words", query_timestamp="2030-01-01") for _ in range(2)]
    assert first == second
    assert len(first) == 12
    assert len({fact["id"] for fact in first}) == 12


async def test_d6_duplicate_types_are_one(bank: TestBank) -> None:
    await bank.retain("one fact", "another fact")
    answer = await bank.recall("fact", types=["world", "world"], trace=True)
    assert len(answer["results"]) == 2
    assert len(answer["trace"]["rrf_merged"]) == 2
    assert {found["fact_type"] for found in answer["trace"]["retrieval_results"]} == {"world"}


async def test_d6_types_come_in_their_fixed_order(bank: TestBank) -> None:
    await bank.retain("one fact")
    for types in (None, ["observation", "experience", "world"]):
        trace = (await bank.recall("fact", types=types, trace=True))["trace"]
        kinds = list(dict.fromkeys(found["fact_type"] for found in trace["retrieval_results"]))
        assert kinds == ["world", "experience", "observation"]


async def test_types_are_the_types_asked_for(app: Application, bank: TestBank) -> None:
    for kind in FactType:
        await add_fact(app, bank.bank_id, f"a {kind} fact", fact_type=kind)
    for kind in FactType:
        assert [fact["type"] for fact in await bank.results("fact", types=[str(kind)])] == [str(kind)]
    assert len(await bank.results("fact", types=["observation", "world"])) == 2


async def test_a_budget_of_tokens_spans_the_texts(app: Application, bank: TestBank) -> None:
    texts = [f"fact number {i} about the same old story" for i in range(6)]
    await bank.retain(*texts)
    cost = app.tokens.count(texts[0])
    assert len(await bank.results("old story", max_tokens=3 * cost)) == 3
    assert len(await bank.results("old story", max_tokens=1)) == 1
    assert await bank.results("old story", max_tokens=0) == []
    assert await bank.results("old story", max_tokens=-1) == []


async def test_d3_chunks_come_even_when_no_fact_may(bank: TestBank) -> None:
    await bank.retain("the story of the fox")
    answer = await bank.recall("fox", max_tokens=0, include={"chunks": {}})
    assert answer["results"] == []
    assert [chunk["text"] for chunk in answer["chunks"].values()] == ["the story of the fox"]


async def test_chunks_are_whole_while_they_fit_then_one_is_cut(app: Application, bank: TestBank) -> None:
    texts = [f"story {word} of the fox and the hen" for word in ("one", "two", "three")]
    await bank.retain(*({"content": text, "document_id": text} for text in texts))
    cost = app.tokens.count(texts[0])
    found = await bank.results("story fox hen")
    answer = await bank.recall("story fox hen", include={"chunks": {"max_tokens": cost + 2}})
    assert list(answer["chunks"]) == [fact["chunk_id"] for fact in found[:2]]
    whole, cut = answer["chunks"].values()
    assert (whole["truncated"], cut["truncated"]) == (False, True)
    assert whole["text"] == found[0]["text"]
    assert found[1]["text"].startswith(cut["text"])
    assert app.tokens.count(cut["text"]) <= 2
    assert list(whole) == ["id", "text", "chunk_index", "truncated"]


@pytest.mark.parametrize("budget", [0, -1])
async def test_no_budget_no_chunks(bank: TestBank, budget: int) -> None:
    await bank.retain("the fox")
    assert (await bank.recall("fox", include={"chunks": {"max_tokens": budget}}))["chunks"] is None


async def test_chunks_of_documents_whose_tags_do_not_pass_stay_hidden(
    app: Application, bank: TestBank
) -> None:
    await bank.retain(
        {"content": "the open fox", "tags": ["open"]}, {"content": "the closed fox", "tags": ["closed"]}
    )
    (closed,) = await bank.results("fox", tags=["closed"], tags_match="all_strict")
    await add_observation(app, bank.bank_id, "foxes are about", [closed["id"]], tags=["open"])
    answer = await bank.recall("fox", tags=["open"], tags_match="any_strict", include={"chunks": {}})
    assert [chunk["text"] for chunk in answer["chunks"].values()] == ["the open fox"]


async def test_entities_can_be_left_out(bank: TestBank) -> None:
    await bank.retain({"content": PARIS, "entities": [{"text": "Alice"}]})
    answer = await bank.recall("Alice", include={"entities": None})
    assert answer["entities"] is None
    assert answer["results"][0]["entities"] is None


async def test_d4_entities_carry_their_newest_observations_within_the_budget(
    app: Application, bank: TestBank
) -> None:
    await bank.retain({"content": PARIS, "entities": [{"text": "Alice"}]})
    (fact,) = await bank.results("Alice")
    for month in (1, 3, 2):
        when = datetime(2026, month, 1, tzinfo=UTC)
        await add_observation(app, bank.bank_id, f"Seen in month {month}.", [fact["id"]], mentioned_at=when)
    answer = await bank.recall("Alice", types=["world"])
    observations = answer["entities"]["Alice"]["observations"]
    assert [one["text"] for one in observations] == [f"Seen in month {month}." for month in (3, 2, 1)]
    assert observations[0] == {"text": "Seen in month 3.", "mentioned_at": "2026-03-01T00:00:00+00:00"}
    cost = app.tokens.count("Seen in month 3.")
    few = await bank.recall("Alice", types=["world"], include={"entities": {"max_tokens": 2 * cost}})
    assert len(few["entities"]["Alice"]["observations"]) == 2
    none = await bank.recall("Alice", types=["world"], include={"entities": {"max_tokens": 0}})
    assert none["entities"]["Alice"]["observations"] == []


async def test_an_observation_shows_the_entities_of_its_sources(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": PARIS, "entities": [{"text": "Alice"}, {"text": "Paris"}]})
    (fact,) = await bank.results("Alice")
    await add_observation(app, bank.bank_id, "She lives in France.", [fact["id"]])
    (seen,) = await bank.results("lives in France", types=["observation"])
    assert sorted(seen["entities"]) == ["Alice", "Paris"]
    assert (seen["document_id"], seen["chunk_id"]) == (None, None)


async def test_source_facts_come_with_observations(app: Application, bank: TestBank) -> None:
    await bank.retain({"content": PARIS, "entities": [{"text": "Alice"}]}, "Alice bought a flat.")
    facts = await bank.results("Alice", types=["world"])
    ids = [fact["id"] for fact in facts]
    await add_observation(app, bank.bank_id, "Alice settled in Paris.", ids)
    plain = await bank.recall("Alice", types=["observation"])
    assert (plain["source_facts"], plain["source_facts_truncated"]) == (None, None)
    assert plain["results"][0]["source_fact_ids"] is None
    answer = await bank.recall("Alice", types=["observation"], include={"source_facts": {}})
    assert answer["results"][0]["source_fact_ids"] == ids
    assert list(answer["source_facts"]) == ids
    assert answer["source_facts_truncated"] is False
    source = answer["source_facts"][ids[0]]
    assert (source["scores"], source["entities"], source["source_fact_ids"], source["tags"]) == (None,) * 4
    tight = await bank.recall("Alice", types=["observation"], include={"source_facts": {"max_tokens": 0}})
    assert (tight["source_facts"], tight["source_facts_truncated"]) == (None, True)


async def test_source_facts_without_an_observation_are_not_truncated(bank: TestBank) -> None:
    await bank.retain(PARIS)
    answer = await bank.recall("Alice", include={"source_facts": {}})
    assert (answer["source_facts"], answer["source_facts_truncated"]) == (None, False)
    assert answer["results"][0]["source_fact_ids"] is None


async def test_f16_source_facts_pass_the_tag_filter_too(app: Application, bank: TestBank) -> None:
    await bank.retain(
        {"content": "open fact", "tags": ["open"]}, {"content": "secret fact", "tags": ["secret"]}
    )
    ids = [fact["id"] for fact in await bank.results("fact")]
    await add_observation(app, bank.bank_id, "An observation of facts.", ids, tags=["open"])
    answer = await bank.recall(
        "observation",
        types=["observation"],
        tags=["open"],
        tags_match="any_strict",
        include={"source_facts": {}},
    )
    assert [fact["text"] for fact in answer["source_facts"].values()] == ["open fact"]


async def test_prefer_observations_replaces_their_sources(app: Application, bank: TestBank) -> None:
    await bank.retain(PARIS, "Alice has a dog.")
    (moved, *_) = await bank.results("Where did Alice move?")
    await add_observation(app, bank.bank_id, "Alice lives in Paris now.", [moved["id"]])
    texts = await bank.texts("Where did Alice move?", prefer_observations=True)
    assert set(texts) == {"Alice lives in Paris now.", "Alice has a dog."}
    assert len(await bank.texts("Where did Alice move?")) == 3


async def test_floors_prune_their_retriever_or_every_result(bank: TestBank) -> None:
    await bank.retain(PARIS, "Bob likes hiking in the mountains.", "Alice met Bob.")
    now = {"query_timestamp": "2030-01-01"}
    found = await bank.results("Alice", **now)
    middle = found[len(found) // 2]["scores"]
    kept = await bank.results("Alice", min_scores={"final": middle["final"]}, **now)
    assert [fact["id"] for fact in kept] == [
        f["id"] for f in found if f["scores"]["final"] >= middle["final"]
    ]
    relevant = await bank.results("Alice", min_scores={"reranker": middle["reranker"]}, **now)
    assert {f["id"] for f in relevant} == {
        f["id"] for f in found if f["scores"]["reranker"] >= middle["reranker"]
    }
    assert await bank.results("Alice", min_scores={"final": 2}) == []
    strict = await bank.results("Alice", min_scores={"semantic": 1.1})
    assert {fact["scores"]["semantic"] for fact in strict} == {None}
    wide = await bank.results("Alice", min_scores={"semantic": -1})
    assert all(fact["scores"]["semantic"] is not None for fact in wide)
    assert len(wide) == 3


async def test_an_echoed_keyword_score_keeps_its_row(bank: TestBank) -> None:
    await bank.retain("the quick brown fox", "a quick note", "nothing of the kind")
    scores = [fact["scores"]["keyword"] for fact in await bank.results("quick fox")]
    best = max(score for score in scores if score is not None)
    kept = await bank.results("quick fox", min_scores={"keyword": best})
    assert [f["scores"]["keyword"] for f in kept if f["scores"]["keyword"] is not None] == [best]


async def test_d11_a_relevance_floor_is_refused_where_reranking_is_off(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={"enable_reranking": False})
    await bank.retain(PARIS)
    response = await bank.post_recall("Alice", min_scores={"reranker": 0.5})
    assert response.status_code == 400
    assert response.json()["detail"].startswith(
        "min_scores.reranker is not supported with the 'rrf' reranker"
    )
    (fact,) = await bank.results("Alice", min_scores={"final": 0.1})
    assert fact["scores"]["reranker"] is None


async def test_a_window_ranks_and_never_filters(bank: TestBank) -> None:
    dates = {month: f"2026-{month:02}-15T12:00:00Z" for month in (1, 4, 7)}
    await bank.retain(*({"content": f"meeting notes {m}", "timestamp": date} for m, date in dates.items()))
    span = {"start": "2026-04-01T00:00:00Z", "end": "2026-04-30T00:00:00Z"}
    found = await bank.results("meeting notes", temporal_window=span, query_timestamp="2026-08-01")
    assert found[0]["text"] == "meeting notes 4"
    assert len(found) == 3


async def test_d17_a_date_in_the_query_makes_a_window_that_a_header_names(bank: TestBank) -> None:
    await bank.retain({"content": "met Bob", "timestamp": "2026-08-10T12:00:00Z"}, "met Carol")
    response = await bank.post_recall("who did I meet last month?", query_timestamp="2026-09-16T12:00:00Z")
    start, _, end = response.headers["X-Recall-Window"].partition("/")
    assert (start[:10], end[:10]) == ("2026-08-01", "2026-08-31")
    plain = await bank.post_recall("who did I meet?")
    assert "X-Recall-Window" not in plain.headers


async def test_with_temporal_retrieval_off_a_given_window_means_nothing(bank: TestBank) -> None:
    await bank.client.put(bank.path, json={"enable_temporal_retrieval": False})
    await bank.retain("met Bob")
    span = {"start": "2026-04-01T00:00:00Z", "end": "2026-04-30T00:00:00Z"}
    trace = (await bank.recall("met Bob", temporal_window=span, trace=True))["trace"]
    assert trace["query"]["temporal_constraint"] is None
    assert {found["method_name"] for found in trace["retrieval_results"]} == {"semantic", "bm25", "graph"}


@pytest.mark.parametrize(
    ("switch", "method"),
    [("enable_text_search", "bm25"), ("enable_graph_retrieval", "graph")],
)
async def test_a_retriever_can_be_switched_off_for_a_bank(bank: TestBank, switch: str, method: str) -> None:
    await bank.retain("met Bob")
    before = (await bank.recall("met Bob", trace=True))["trace"]["retrieval_results"]
    await bank.client.patch(bank.path, json={switch: False})
    after = (await bank.recall("met Bob", trace=True))["trace"]["retrieval_results"]
    assert method in {found["method_name"] for found in before}
    assert method not in {found["method_name"] for found in after}


@pytest.mark.parametrize(
    ("texts", "query", "expected"),
    [
        (["我昨天在上海吃了火锅", "他喜欢爬山"], "上海火锅", "我昨天在上海吃了火锅"),
        (["東京タワーに行きました", "猫が好きです"], "東京タワー", "東京タワーに行きました"),
        (["서울에서 친구를 만났다", "고양이를 좋아한다"], "서울 친구", "서울에서 친구를 만났다"),
    ],
)
async def test_d16_unspaced_scripts_are_found_by_keyword(
    bank: TestBank, texts: list[str], query: str, expected: str
) -> None:
    await bank.retain(*texts)
    found = await bank.results(query)
    by_keyword = [fact["text"] for fact in found if fact["scores"]["keyword"]]
    assert by_keyword == [expected]


async def test_accents_make_no_difference_to_keywords(bank: TestBank) -> None:
    await bank.retain("We met at the Café Zürich", "nothing here")
    for query in ("cafe zurich", "CAFÉ ZÜRICH", "cafe\u0301 zu\u0308rich"):
        found = await bank.results(query)
        assert [fact["text"] for fact in found if fact["scores"]["keyword"]] == ["We met at the Café Zürich"]


async def test_a_stop_word_query_still_has_an_answer(bank: TestBank) -> None:
    await bank.retain("to be or not to be")
    assert (await bank.post_recall("the")).status_code == 200


async def test_a_name_in_the_query_reaches_facts_that_do_not_spell_it(bank: TestBank) -> None:
    await bank.retain(
        {"content": "Prefers the window seat.", "entities": [{"text": "Zbigniew"}]}, "Something else."
    )
    assert (await bank.texts("Zbigniew"))[0] == "Prefers the window seat."


async def test_a_bank_knows_nothing_of_another(client: httpx.AsyncClient, bank: TestBank) -> None:
    other = TestBank(client, f"{bank.bank_id}-other")
    await bank.retain({"content": "the shared secret", "document_id": "d", "entities": [{"text": "Eve"}]})
    await other.retain({"content": "the other secret", "document_id": "d", "entities": [{"text": "Eve"}]})
    for one, text in ((bank, "the shared secret"), (other, "the other secret")):
        answer = await one.recall("secret of Eve", include={"chunks": {}, "source_facts": {}})
        assert [fact["text"] for fact in answer["results"]] == [text]
        assert [chunk["text"] for chunk in answer["chunks"].values()] == [text]


@pytest.mark.parametrize(
    "bank_id", ["user:1@x.org", "with space", " ", "日本語", "100%", "a.b-c_d~e", "q?x#y"]
)
async def test_any_proper_bank_id_works_in_the_path(client: httpx.AsyncClient, bank_id: str) -> None:
    bank = TestBank(client, bank_id)
    await bank.retain("a fact of its own")
    answer = await bank.recall("fact", include={"chunks": {}})
    (fact,) = answer["results"]
    assert list(answer["chunks"]) == [fact["chunk_id"]]
    assert (await client.delete(f"/v1/default/banks/{quote(bank_id, safe='')}")).json()["success"] is True


async def test_an_answer_of_a_kilobyte_is_compressed_on_request(bank: TestBank) -> None:
    await bank.retain(*(f"fact number {i}" for i in range(20)))
    asked = {"query": "fact", "query_timestamp": "2030-01-01"}
    packed = await bank.client.post(
        f"{bank.path}/memories/recall", json=asked, headers={"accept-encoding": "gzip"}
    )
    assert packed.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in packed.headers["vary"].lower()
    plain = await bank.client.post(
        f"{bank.path}/memories/recall", json=asked, headers={"accept-encoding": "identity"}
    )
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


async def test_f2_a_fact_found_only_over_the_graph_has_its_metadata(app: Application, bank: TestBank) -> None:
    shared: dict[str, Any] = {"entities": [{"text": "Xanthippe"}]}
    await bank.retain(
        {"content": "Xanthippe runs the bakery on the corner.", **shared},
        {"content": "0441 7788 9921", "metadata": {"kind": "number"}, **shared},
    )
    found = await bank.results("bakery on the corner")
    (number,) = [fact for fact in found if fact["text"] == "0441 7788 9921"]
    assert (number["scores"]["semantic"], number["scores"]["keyword"]) == (None, None)
    assert number["metadata"] == {"kind": "number"}


async def test_the_cause_of_what_happened_then_is_found(app: Application, bank: TestBank) -> None:
    effect = await add_fact(
        app, bank.bank_id, "The harbour was closed.", mentioned_at=datetime(2026, 5, 5, tzinfo=UTC)
    )
    cause = await add_fact(
        app, bank.bank_id, "A crane fell over.", mentioned_at=datetime(2026, 4, 28, tzinfo=UTC)
    )
    await add_link(app, bank.bank_id, (effect, cause), "caused_by", 1.0)
    span = {"start": "2026-05-01", "end": "2026-05-31"}
    answer = await bank.recall("Why was the harbour closed?", temporal_window=span, trace=True)
    temporal = [r for r in answer["trace"]["retrieval_results"] if r["method_name"] == "temporal"]
    found = {result["text"] for entry in temporal for result in entry["results"]}
    assert found == {"The harbour was closed.", "A crane fell over."}
