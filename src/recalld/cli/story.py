"""The story that the demo stores, and the six questions it asks about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from recalld.domain.tags import TagMatch, flat_filter
from recalld.recall.types import RecallQuery, RetrieverName
from recalld.retain.types import RetainItem

BANK = "demo"
ASKED_AT = datetime(2026, 9, 16, 12, tzinfo=UTC)
"""The Wednesday on which the questions are asked, so that "last month" means the same on any day."""

SEMANTIC, KEYWORD, GRAPH, TEMPORAL = RetrieverName


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened."""

    date: str
    text: str
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ("shop",)
    context: str | None = None

    def item(self) -> RetainItem:
        """The fact as retain takes it; a document of its own."""
        day = datetime.fromisoformat(self.date)
        return RetainItem(
            content=self.text,
            document_id=f"{BANK}-{self.date}",
            timestamp=day.replace(hour=12, tzinfo=UTC),
            context=self.context,
            entities=self.entities,
            tags=self.tags,
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the text that must come first, who must have found it and who must have missed it."""

    text: str
    shows: str
    answer: str
    found_by: tuple[RetrieverName, ...]
    missed_by: tuple[RetrieverName, ...] = ()
    tags: tuple[str, ...] = ()

    def query(self) -> RecallQuery:
        """The question as recall takes it."""
        tags = flat_filter(self.tags, TagMatch.ANY_STRICT)
        return RecallQuery(BANK, self.text, anchor=ASKED_AT, tags=tags)


HOME = ("home",)
REPAIRS = "maintenance log"

FACTS = (
    Fact(
        "2025-10-03",
        "Mira and Tomas opened the Copper Kettle, a small coffee roastery by the harbour.",
        ("Mira", "Tomas", "Copper Kettle"),
    ),
    Fact(
        "2025-10-20",
        "The espresso machine stopped with error E-4021, and Tomas cleared it by descaling the boiler.",
        ("Tomas",),
        context=REPAIRS,
    ),
    Fact("2025-11-05", "Error E-4017 on the espresso machine means an empty water tank.", context=REPAIRS),
    Fact("2025-11-18", "Tomas silenced the roaster's rattling cooling fan.", ("Tomas",), context=REPAIRS),
    Fact("2025-12-02", "Mira breaks out in hives whenever she eats peanuts.", ("Mira",), HOME),
    Fact("2025-12-14", "Tomas gave Mira an old record player for her birthday.", ("Tomas", "Mira"), HOME),
    Fact("2025-12-15", "Mira counted the stock: 120 kg of green coffee.", ("Mira",)),
    Fact("2026-01-09", "Mira flew to Colombia to meet the growers of the Huila lot.", ("Mira", "Huila")),
    Fact("2026-01-21", "The front door code of the roastery is 2290.", ("Copper Kettle",)),
    Fact("2026-01-22", "The front door code of the flat is 4711.", (), HOME),
    Fact("2026-02-11", "The bank lent 40,000 euros for a second roaster."),
    Fact("2026-02-27", "Tomas adopted a grey cat and called it Pixel.", ("Tomas", "Pixel"), HOME),
    Fact("2026-03-16", "Mira counted the stock: 85 kg of green coffee.", ("Mira",)),
    Fact("2026-04-20", "Mira counted the stock: 140 kg of green coffee.", ("Mira",)),
    Fact("2026-05-06", "Mira ran the harbour half marathon in just under two hours.", ("Mira",), HOME),
    Fact(
        "2026-05-12",
        "The keys are under the third flower pot, and the alarm goes off with 5519.",
        ("Lindqvist",),
        HOME,
    ),
    Fact("2026-06-28", "Mira moved the morning deliveries from Tuesday to Thursday.", ("Mira",)),
    Fact("2026-07-12", "Mira practises the cello on Sunday evenings.", ("Mira",), HOME),
    Fact("2026-07-30", "美咲さんは七月に京都で茶碗を五つ買った。", ("美咲",)),
    Fact("2026-08-19", "美咲さんは八月に宇治の抹茶を二十缶注文した。", ("美咲",)),
    Fact("2026-08-27", "A food critic praised the Huila pour-over in the weekend paper.", ("Huila",)),
    Fact("2026-09-04", "Tomas wants to learn to sail before next summer.", ("Tomas",), HOME),
)

QUESTIONS = (
    Question(
        "Is anyone allergic to nuts?",
        "meaning: the answer shares no word with the question, so only the semantic retriever finds it",
        "Mira breaks out in hives whenever she eats peanuts.",
        found_by=(SEMANTIC,),
        missed_by=(KEYWORD,),
    ),
    Question(
        "What fixed E-4021?",
        "exact words: a code tells one error from the other, E-4017",
        "The espresso machine stopped with error E-4021, and Tomas cleared it by descaling the boiler.",
        found_by=(KEYWORD,),
    ),
    Question(
        "What do we know about Lindqvist?",
        "the graph: the text never says Lindqvist and is no paraphrase either, but the two are linked",
        "The keys are under the third flower pot, and the alarm goes off with 5519.",
        found_by=(GRAPH,),
        missed_by=(SEMANTIC,),
    ),
    Question(
        "How much green coffee was in stock in March?",
        "time: three stock counts in the same words, and only one of them was made in March",
        "Mira counted the stock: 85 kg of green coffee.",
        found_by=(TEMPORAL,),
    ),
    Question(
        "What is the door code?",
        "tags: only what is tagged 'shop' is searched, so the code of the flat stays out",
        "The front door code of the roastery is 2290.",
        found_by=(SEMANTIC, KEYWORD),
        tags=("shop",),
    ),
    Question(
        "先月、抹茶を注文したのは誰ですか",
        "all together, in Japanese: who ordered matcha last month? Words, meaning and date agree",
        "美咲さんは八月に宇治の抹茶を二十缶注文した。",
        found_by=(SEMANTIC, KEYWORD, TEMPORAL),
    ),
)
