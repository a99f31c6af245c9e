"""Feast days by name: a fixed day, a counted weekday, or a distance from Easter."""

from __future__ import annotations

from datetime import date, timedelta

from recalld.recall.time_window.spans import easter, nth_weekday

FIXED = {
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year": (1, 1),
    "new year eve": (12, 31),
    "valentine": (2, 14),
    "halloween": (10, 31),
    "saint patrick": (3, 17),
    "april fools": (4, 1),
    "earth day": (4, 22),
    "workers day": (5, 1),
    "juneteenth": (6, 19),
    "independence day": (7, 4),
    "veterans day": (11, 11),
}
COUNTED = {
    "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1),
    "cyber monday": (11, 3, 4, 4),
    "labor day": (9, 0, 1, 0),
    "memorial day": (5, 0, -1, 0),
    "martin luther king day": (1, 0, 3, 0),
    "presidents day": (2, 0, 3, 0),
    "columbus day": (10, 0, 2, 0),
    "mothers day": (5, 6, 2, 0),
    "fathers day": (6, 6, 3, 0),
}
FROM_EASTER = {"easter": 0, "good friday": -2, "easter monday": 1}


def holiday(name: str, year: int) -> date:
    """The date of a feast in a year."""
    if name in FIXED:
        return date(year, *FIXED[name])
    if name in FROM_EASTER:
        return easter(year) + timedelta(days=FROM_EASTER[name])
    number, weekday, position, later = COUNTED[name]
    return nth_weekday(year, number, weekday, position) + timedelta(days=later)
