"""Graph retriever: activation spreads from the best seeds along entities and links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

import networkx as nx

from recalld.domain.memory import RankedFact
from recalld.recall.types import QueryPlan, Ranking, RetrieverName
from recalld.store.engine import Database
from recalld.store.queries.graph import Neighbourhood, read_neighbourhood

SEEDS_PER_TYPE = 20
DECAY = 0.5
"""Share of a node's activation that its neighbours divide among them at each step."""
STEPS = 2


@dataclass(frozen=True, slots=True)
class GraphRetriever:
    """Facts near the best semantic hits and near the entities the query names."""

    database: Database
    min_similarity: float = 0.3
    exact_below: int = 10_000
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
                names=entity_names(plan.text),
                seeds=SEEDS_PER_TYPE,
                floor=self.min_similarity,
                indexed=plan.bank.unit_count >= self.exact_below,
            )
        activation = spread(build_graph(found), found.seeds)
        facts = [
            RankedFact(id_, found.types[id_], score)
            for id_, score in activation.items()
            if id_ not in found.seeds and id_ in found.types
        ]
        facts.sort(key=lambda fact: (-fact.score, fact.id))
        return Ranking(self.name, tuple(cap_per_type(facts, plan.depth)))


def entity_names(text: str, longest: int = 4) -> list[str]:
    """Lower-case runs of up to ``longest`` words of the query: what an entity may be called."""
    words = [word.strip(".,;:!?\"'()[]").removesuffix("'s").removesuffix("\u2019s") for word in text.lower().split()]
    runs = [
        " ".join(words[start : start + size]) for size in range(1, longest + 1) for start in range(len(words))
    ]
    return [run for run in dict.fromkeys(runs) if run]


def build_graph(found: Neighbourhood) -> nx.Graph[UUID]:
    """The bounded subgraph: facts and entities as nodes, the heaviest edge of each pair."""
    graph: nx.Graph[UUID] = nx.Graph()
    graph.add_nodes_from(found.seeds)
    for edge in found.edges:
        known = graph.get_edge_data(edge.source, edge.target)
        if known is None or known["weight"] < edge.weight:
            graph.add_edge(edge.source, edge.target, weight=edge.weight)
    return graph


def spread(graph: nx.Graph[UUID], seeds: dict[UUID, float]) -> dict[UUID, float]:
    """Activation of every node after ``STEPS`` rounds.

    In each round a node hands ``DECAY`` of what it received last to its neighbours, divided by edge
    weight, so a hub tells each of its many neighbours little. Source: spreading activation after
    Collins and Loftus (1975), with the degree normalisation of personalised PageRank.
    """
    total: dict[UUID, float] = dict(seeds)
    wave = dict(seeds)
    for _ in range(STEPS):
        received: dict[UUID, float] = defaultdict(float)
        for node, energy in wave.items():
            neighbours = graph.adj[node]
            weights = sum(data["weight"] for data in neighbours.values())
            for neighbour, data in neighbours.items():
                received[neighbour] += DECAY * energy * data["weight"] / weights
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
