"""Graph retriever: activation spreads from the best seeds along entities and links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recalld.domain.memory import RankedFact
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import Database
from recalld.store.queries.graph import Seeding, read_neighbourhood

SEEDS_PER_TYPE = 20
DECAY = 0.5
"""Share of a node's activation that its neighbours divide among them at each step."""
STEPS = 2


@dataclass(frozen=True, slots=True)
class GraphRetriever:
    """Facts near the best semantic hits and near the entities the query names."""

    database: Database
    min_similarity: float = 0.3
    name: RetrieverName = RetrieverName.GRAPH

    def applies(self, plan: QueryPlan) -> bool:
        """Unless graph retrieval is off."""
        return plan.config.enable_graph_retrieval

    async def retrieve(self, plan: QueryPlan) -> Ranking:
        """The most activated facts that are not seeds, best first."""
        async with self.database.read() as connection:
            found = await read_neighbourhood(
                connection,
                plan.facts,
                plan.embedding.vector,
                Seeding(SEEDS_PER_TYPE, self.min_similarity, entity_names(plan.text)),
            )
        activation = spread(found.edges, found.seeds)
        facts = [
            RankedFact(id_, found.types[id_], score)
            for id_, score in activation.items()
            if id_ not in found.seeds and id_ in found.types
        ]
        facts.sort(key=lambda fact: (-fact.score, fact.id))
        return Ranking(self.name, tuple(cap_per_type(facts, plan.depth)))


def entity_names(text: str, longest: int = 4) -> list[str]:
    """Lower-case runs of up to ``longest`` words of the query: what an entity may be called."""
    words = [
        word.strip(".,;:!?\"'()[]").removesuffix("'s").removesuffix("\u2019s")
        for word in text.lower().split()
    ]
    runs = [
        " ".join(words[start : start + size]) for size in range(1, longest + 1) for start in range(len(words))
    ]
    return [run for run in dict.fromkeys(runs) if run]


def spread(edges: Iterable[tuple[str, str, float]], seeds: Mapping[str, float]) -> dict[str, float]:
    """Activation of every node after ``STEPS`` rounds over an undirected graph.

    In each round a node hands ``DECAY`` of what it received last to its neighbours, divided by edge
    weight, so a hub tells each of its many neighbours little. Of parallel edges the heaviest counts.
    Source: spreading activation after Collins and Loftus (1975), with the degree normalisation of
    personalised PageRank.
    """
    graph: dict[str, dict[str, float]] = defaultdict(dict)
    for node, other, weight in edges:
        if weight > graph[node].get(other, 0.0):
            graph[node][other] = graph[other][node] = weight
    total = dict(seeds)
    wave: Mapping[str, float] = seeds
    for _ in range(STEPS):
        received: dict[str, float] = defaultdict(float)
        for node, energy in wave.items():
            neighbours = graph.get(node, {})
            share = DECAY * energy / (sum(neighbours.values()) or 1.0)
            for neighbour, weight in neighbours.items():
                received[neighbour] += share * weight
        for node, energy in received.items():
            total[node] = total.get(node, 0.0) + energy
        wave = received
    return total


def cap_per_type(facts: Iterable[RankedFact], limit: int) -> list[RankedFact]:
    """At most ``limit`` facts of each type, order kept."""
    counts: dict[str, int] = defaultdict(int)
    kept = []
    for fact in facts:
        counts[fact.fact_type] += 1
        if counts[fact.fact_type] <= limit:
            kept.append(fact)
    return kept
