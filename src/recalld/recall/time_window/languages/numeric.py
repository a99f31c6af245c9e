"""Dates in digits: the rows every language shares."""

from __future__ import annotations

from recalld.recall.time_window.language import Row

_START = r"(?<!\d[-/.,])(?<![$€£#@])"
_PAIR = r"(?P<one>\d{1,2})/(?P<two>\d{1,2})"
_PAIR2 = r"(?P<three>\d{1,2})/(?P<four>\d{1,2})"
_END = r"(?![-/.]?\d)(?!%)"

NUMERIC_ROWS: tuple[Row, ...] = (
    (
        "date",
        _START
        + r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?:[t ]\d\d:\d\d\S*)?"
        + _END,
    ),
    ("date", _START + r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日"),
    ("month", _START + r"(?P<year>\d{4})(?P<mark>[-/])(?P<month>\d{1,2})" + _END),
    ("month", _START + r"(?P<month>0?[1-9]|1[0-2])[-/](?P<year>(?:19|20)\d\d)" + _END),
    (
        "numeric",
        _START + r"(?P<one>\d{1,2})(?P<mark>[-/])(?P<two>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)" + _END,
    ),
    ("numeric 0 dotted", _START + r"(?P<one>\d{1,2})\. ?(?P<two>\d{1,2})\. ?(?P<year>(?:19|20)\d\d)" + _END),
    ("numeric", _START + r"(?P<one>\d{1,2})(?P<mark>[/])(?P<two>\d{1,2})(?P=mark)(?P<year>\d\d)" + _END),
    ("numeric?", _START + r"(?P<one>\d{1,2})/(?P<two>\d{1,2})" + _END),
    ("date", _START + r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)" + _END),
    (
        "numeric_range",
        _START
        + _PAIR
        + r"(?:/(?P<year>\d{4}))? ?- ?"
        + _PAIR2
        + r"(?:(?:/|, ?| )(?P<year2>(?:19|20)\d\d))"
        + _END,
    ),
    (
        "numeric_range",
        _START
        + _PAIR.replace("/", "-")
        + r"-(?P<year>\d{4}) ?- ?"
        + _PAIR2.replace("/", "-")
        + r"-(?P<year2>\d{4})"
        + _END,
    ),
    ("years", _START + r"(?P<year>(?:19|20)\d\d) ?- ?(?P<year2>(?:19|20)\d\d)" + _END),
    ("year?", r"<year>"),
)
