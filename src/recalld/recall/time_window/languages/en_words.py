"""The longer word tables of English: numbers, ordinals, feasts, and fragments its rules share."""

# ruff: noqa: E501 - a fragment is one line
from __future__ import annotations

from recalld.recall.time_window.language import numbered

NUMBERS = numbered(
    "zero, one a an, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, "
    "fifteen, sixteen, seventeen, eighteen, nineteen, twenty",
    first=0,
) | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

ORDINALS = numbered(
    "first 1st, second 2nd, third 3rd, fourth 4th, fifth 5th, sixth, seventh, eighth, ninth, tenth, eleventh, "
    "twelfth, thirteenth, fourteenth, fifteenth, sixteenth, seventeenth, eighteenth, nineteenth 19th, "
    "twentieth 20th, twenty-first twenty_first 21st, twenty-second twenty_second, twenty-third twenty_third, "
    "twenty-fourth twenty_fourth, twenty-fifth twenty_fifth, twenty-sixth twenty_sixth, "
    "twenty-seventh twenty_seventh, twenty-eighth twenty_eighth, twenty-ninth twenty_ninth, thirtieth, "
    "thirty-first thirty_first"
) | {"last": -1, "final": -1}

HOLIDAYS = {
    word.replace("_", " "): name.replace("_", " ")
    for name, words in {
        "christmas": "christmas xmas christmas_day",
        "christmas_eve": "christmas_eve",
        "boxing_day": "boxing_day",
        "new_year": "new_year's_day new_years_day new_year_day new_year's new_years new_year",
        "new_year_eve": "new_year's_eve new_years_eve new_year_eve nye",
        "valentine": "valentine's_day valentines_day valentine's valentines",
        "halloween": "halloween",
        "saint_patrick": "st_patrick's_day st._patrick's_day saint_patrick's_day st_patricks_day",
        "april_fools": "april_fools'_day april_fool's_day april_fools_day april_fools",
        "earth_day": "earth_day",
        "workers_day": "international_workers'_day workers'_day international_workers_day workers_day may_day",
        "juneteenth": "juneteenth",
        "independence_day": "independence_day",
        "veterans_day": "veterans_day veteran's_day veterans'_day",
        "thanksgiving": "thanksgiving thanksgiving_day",
        "black_friday": "black_friday",
        "cyber_monday": "cyber_monday",
        "labor_day": "labor_day labour_day",
        "memorial_day": "memorial_day",
        "martin_luther_king_day": "martin_luther_king_day mlk_day",
        "presidents_day": "presidents'_day presidents_day president's_day",
        "columbus_day": "columbus_day",
        "mothers_day": "mother's_day mothers_day mothers'_day",
        "fathers_day": "father's_day fathers_day fathers'_day",
        "easter": "easter easter_sunday easter_day",
        "good_friday": "good_friday",
        "easter_monday": "easter_monday",
    }.items()
    for word in words.split()
}

FRAGMENTS = {
    "th": "(?:st|nd|rd|th)?",
    "spoken_year": (
        r"(?:nineteen|twenty)[ -](?:hundred|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
        r"|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six"
        r"|seven|eight|nine))?)|two thousand(?:(?: and)?[ -](?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
        r"|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty)(?:[ -](?:one|two|three"
        r"|four|five|six|seven|eight|nine))?))?"
    ),
    "more": "(?: and <n2> <unit2>)?(?: and <n3> <unit3>)?",
    "number_link": r"(?:\s+and\s+|[\s-]+)",
    "of": r"(?:(?:,| of| in|,? of the year| in the year|-)? ?)",
    "last": "(?:last|previous|preceding|prior)",
    "next": "(?:next|following|coming|upcoming|this coming)",
    "this": "(?:this|current|the current)",
    "span": "(?P<unit>days?|weeks?|months?|years?|decades?|fortnight|hours?|minutes?|yrs?)",
    "clean": (
        r"(?!\s*'s)(?=\s*(?:\Z|[?.!,;:)\]\"-]|\d|(?:did|do|does|was|were|is|are|am|has|have|had|will|would|can|could"
        r"|should|i|you|he|she|it|we|they|who|what|where|when|why|how|and|or|but|to|until|till|til|through|thru|of|in|on"
        r"|at|for|with|from|by|about|before|after|since|during|this|that|last|next|my|our|your|his|her|their|a|an|the"
        r"|because|so|then|as|morning|afternoon|evening|night|weekend|onwards?)\b))"
    ),
    "part": "(?:morning|afternoon|evening|night)",
    "not_of": r"(?! of (?!(?:january|february|march|april|may|june|july|august|september|october|november|december|\d)))",
    "no_quantity": (
        r"(?!\s+(?:people|persons?|pieces|words|items|times|dollars|euros|tokens|characters|lines|miles|km|kilometers"
        r"|meters|steps|calories|users|rows|files|units|points|votes|ms|mb|gb|kg|lbs?|feet|books|pages)\b)"
    ),
    "mine": r"(?<!\bmy )(?<!\bour )(?<!\bhis )(?<!\bher )(?<!\byour )(?<!\btheir )(?<!\bwhose )",
    "full_weekday": "(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)",
    "sure_month_name": r"(?P<month>january|february|july|september|october|november|december)(?!\s*'s)",
    "not_money": r"(?<![$€£]\s)(?<![$€£])",
}
