"""German."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    ("never", r"jede[nmrs]? (?:<unit>|<weekday>|<month>|morgen|abend)"),
    ("day 0", r"heute"),
    ("day -1", r"gestern"),
    ("day -2", r"vorgestern"),
    (
        "day 1",
        r"(?<!guten )(?<!goede )(?<!am )(?<!jeden )(?<!heute )(?<!gestern )(?<!diesen )(?<!der )morgen",
    ),
    ("day 2", r"übermorgen"),
    ("day -1 evening", r"gestern abend"),
    ("day -1 night", r"(?:gestern|letzte|vergangene) nacht"),
    ("day 0 evening", r"heute abend"),
    ("day 0 morning", r"heute (?:morgen|früh|vormittag)|diesen morgen"),
    ("ago -1", r"vor (?:etwa |rund |ca\. )?<n> <unit>"),
    ("ago 1", r"in <n> <unit>|<n> <unit> später"),
    ("rolling -1", r"(?:(?:in |während )?de[nr] |die )?<last> <n> <unit>"),
    ("rolling -1", r"(?:im|in der|in dem) (?:letzten|vergangenen) (?P<unit>monat|jahr|jahrzehnt|woche)(?= )"),
    ("rolling 1", r"(?:(?:in )?de[nr] |die )?<next> <n> <unit>"),
    ("calendar -1", r"(?:(?:in der|im|am|die|der|das|den) )?<last> <unit>"),
    ("calendar 0", r"(?:in |an )?diese[nmrs]? <unit>"),
    ("calendar 1", r"(?:(?:in der|im|am|die|der|das|den) )?<next> <unit>"),
    ("calendar 0 weekend", r"am wochenende"),
    ("weekday 0", r"(?:am )?<weekday>"),
    ("weekday -1", r"(?:am )?<last> <weekday>"),
    ("weekday 1", r"(?:am )?<next> <weekday>"),
    ("weekday 2", r"diesen <weekday>"),
    ("month", r"<month>(?: des jahres)?,? <year>"),
    ("never", r"<month> \d{4}"),
    ("month", r"(?:im|im monat) <month>"),
    ("month?", r"<month>"),
    ("month -1", r"(?:im )?<last> <month>"),
    ("month 1", r"(?:im )?<next> <month>"),
    ("months", r"<month> (?:bis|-) <month2> <year>"),
    ("date", r"(?:am |der |den |dem )?<day> <month>(?:,? <year>)?"),
    (
        "days",
        r"(?:vom |zwischen dem |am )?<day>(?: bis zum | bis | und dem | und |-)<day2> <month>(?: <year>)?",
    ),
    ("numeric?", r"(?P<one>\d{1,2})\.(?P<two>\d{1,2})\.(?!\d)"),
    ("season", r"<season> <year>"),
    ("season 0", r"im <season>"),
    ("season -1", r"(?:im )?<last> <season>"),
    ("season 1", r"(?:im )?<next> <season>"),
    ("season 2", r"diesen <season>"),
    ("quarter", r"(?:im )?<ordinal> quartal <year>"),
    ("decade", r"(?:in den |die |den )?(?P<decade>(?:19)?\d0)er(?: |-)?(?:jahren?|jahre)?"),
    ("decade 1990", r"(?:in den |die |den )neunzigern?(?: ?jahren?)?|neunziger ?jahren?"),
    ("decade 1980", r"(?:in den |die |den )achtzigern?(?: ?jahren?)?|achtziger ?jahren?"),
    ("holiday", r"<holiday> <year>"),
    ("holiday?", r"<holiday>"),
    *NUMERIC_ROWS,
    ("year", r"(?:im jahre?|in|jahr|während|anno) <year>"),
)

GERMAN = Language(
    code="de",
    numbers=numbered(
        "ein eine einer einem einen eines eins, zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, "
        "elf, zwölf"
    )
    | {"fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "hundert": 100, "tausend": 1000},
    amounts={
        "ein paar": FEW,
        "paar": FEW,
        "einigen": FEW,
        "wenigen": FEW,
        "zwei bis drei": COUPLE,
        "mehreren": SEVERAL,
        "mehrere": SEVERAL,
        "einige": FEW,
    },
    units=named(
        day="tag tage tagen",
        week="woche wochen",
        month="monat monate monaten monats",
        year="jahr jahre jahren jahres",
        decade="jahrzehnt jahrzehnte jahrzehnten",
        weekend="wochenende wochenenden",
        quarter="quartal quartale quartalen",
        hour="stunde stunden",
        minute="minute minuten",
        century="jahrhundert",
    ),
    months=numbered(
        "januar jänner, februar feber, märz, april, mai, juni, juli, august, september, oktober, november, "
        "dezember"
    ),
    weekdays=numbered(
        "montag montags_, dienstag, mittwoch, donnerstag, freitag, samstag sonnabend, sonntag", first=0
    ),
    seasons=named(spring="frühling frühjahr", summer="sommer", autumn="herbst", winter="winter"),
    holidays=named(
        christmas="weihnachten",
        christmas_eve="heiligabend",
        new_year_eve="silvester",
        new_year="neujahr",
        easter="ostern",
    ),
    ordinals=numbered(
        "ersten erste erstes 1., zweiten zweite zweites 2., dritten dritte drittes 3., "
        "vierten vierte viertes 4."
    ),
    fragments={
        "th": r"\.?",
        "last": "(?:letzte[nmrs]?|vergangene[nmrs]?|vorige[nmrs]?)",
        "next": "(?:nächste[nmrs]?|kommende[nmrs]?)",
    },
    rows=_ROWS,
    inner=(
        ("introduce", r"(?:am|im|zu|an|vom|von|für|der|dem)"),
        ("introduce year", r"(?:von|zwischen|des jahres)"),
        ("third 0", r"(?:am |zu )?(?:anfang|beginn)(?: des| der)?"),
        ("third 1", r"mitte(?: des| der)?"),
        ("third 2", r"(?:am |gegen )?ende(?: des| der)?"),
        ("half_of 1", r"(?:in der |die )?ersten? hälfte (?:des|der|von)?"),
        ("half_of 2", r"(?:in der |die )?zweiten? hälfte (?:des|der|von)?"),
        ("nth", r"(?:in der |die |der |am )?<ordinal> <unit> (?:im|des|von)?"),
        ("offset -1", r"<n> <unit> vor(?: dem)?"),
        ("offset 1", r"<n> <unit> nach(?: dem)?"),
        ("around", r"(?:um den|um|gegen|etwa|rund um den)"),
    ),
    outer=(
        ("since", r"seit(?: dem| der)?|nach(?: dem| der)?|ab(?: dem)?"),
        ("before", r"vor(?: dem| der)?|bis(?: zum| zur)?"),
    ),
    suffixes=(
        ("part morning", r"(?:morgen|früh|vormittag)"),
        ("part afternoon", r"nachmittag"),
        ("part evening", r"abend"),
        ("part night", r"nacht"),
    ),
    range_words=r"bis(?: zum| zur)?",
    list_words=r"(?:und|oder)(?: dem| der| den| im)?",
    range_openers=r"(?:zwischen|von|vom)(?: dem)?",
    cues="heute gestern vorgestern morgen übermorgen nacht weihnachten heiligabend silvester neujahr ostern "
    "neunziger neunzigern achtziger achtzigern wochenende",
    openers="diese dieser dieses diesen diesem letzte letzten letzter letztes letztem vergangene vergangenen "
    "vergangenes vorige vorigen voriges nächste nächsten nächster nächstes nächstem kommende kommenden kommendes vor "
    "in jede jeden jedes später",
    introducers="im in jahr jahre während seit vor nach bis zwischen von vom des am quartal ende anfang mitte den",
)
