"""Dutch."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    ("never", r"(?:elke|iedere?|elk) (?:<unit>|<weekday>|<month>)"),
    ("day 0", r"vandaag"),
    ("day -1", r"gisteren"),
    ("day -2", r"eergisteren"),
    ("day 1", r"(?<!goede )(?<!guten )(?<!de )(?<!elke )morgen"),
    ("day 2", r"overmorgen"),
    ("day -1 evening", r"gisteravond|gisteren avond"),
    ("day -1 night", r"afgelopen nacht|vannacht"),
    ("day 0 evening", r"vanavond"),
    ("day 0 morning", r"vanmorgen|vanochtend"),
    ("day 0 afternoon", r"vanmiddag"),
    ("ago -1", r"<n> <unit> (?:geleden|terug)"),
    ("ago 1", r"over <n> <unit>|<n> <unit> later"),
    ("rolling -1", r"(?:(?:in )?de )?<last> <n> <unit>"),
    ("rolling -1", r"(?:in|gedurende) (?:de|het) (?:afgelopen|laatste) <unit>"),
    ("rolling 1", r"(?:(?:in )?de )?<next> <n> <unit>"),
    ("calendar -1", r"(?:de |het )?<last> <unit>"),
    ("calendar 0", r"(?:deze|dit) <unit>"),
    ("calendar 1", r"(?:de |het )?<next> <unit>"),
    ("calendar 0 weekend", r"in het weekend"),
    ("weekday 0", r"(?:op )?<weekday>"),
    ("weekday -1", r"(?:op )?<last> <weekday>"),
    ("weekday 1", r"(?:op )?<next> <weekday>"),
    ("weekday 2", r"deze <weekday>"),
    ("month", r"<month>(?: van)?,? <year>"),
    ("never", r"<month> \d{4}"),
    ("month", r"(?:in|in de maand) <month>"),
    ("month?", r"<month>"),
    ("month -1", r"<last> <month>"),
    ("month 1", r"<next> <month>"),
    ("months", r"<month> (?:tot|t/m|tot en met) <month2> <year>"),
    ("date", r"(?:op |de )?<day> <month>(?: <year>)?"),
    ("days", r"(?:van |tussen )?<day>(?: tot en met | tot | t/m | en |-)<day2> <month>(?: <year>)?"),
    ("season", r"<season>(?: van)? <year>"),
    ("season 0", r"in de <season>|in het voorjaar"),
    ("season -1", r"<last> <season>"),
    ("season 1", r"<next> <season>"),
    ("season 2", r"deze <season>|dit <season>"),
    ("quarter", r"(?:het )?<ordinal> kwartaal(?: van)? <year>"),
    ("decade", r"(?:in )?de jaren '?(?P<decade>(?:19)?\d0)"),
    ("decade 1990", r"(?:in )?de jaren negentig"),
    ("decade 1980", r"(?:in )?de jaren tachtig"),
    ("holiday", r"<holiday> <year>"),
    ("holiday?", r"<holiday>"),
    *NUMERIC_ROWS,
    ("year", r"(?:in|in het jaar|het jaar|jaar|gedurende) <year>"),
)

DUTCH = Language(
    code="nl",
    numbers=numbered("een één, twee, drie, vier, vijf, zes, zeven, acht, negen, tien, elf, twaalf")
    | {"vijftien": 15, "twintig": 20, "dertig": 30, "honderd": 100, "duizend": 1000},
    amounts={
        "een paar": FEW,
        "paar": FEW,
        "enkele": FEW,
        "een tweetal": COUPLE,
        "meerdere": SEVERAL,
        "verschillende": SEVERAL,
    },
    units=named(
        day="dag dagen",
        week="week weken",
        month="maand maanden",
        year="jaar jaren",
        decade="decennium decennia",
        weekend="weekend weekeinde",
        quarter="kwartaal kwartalen",
        hour="uur uren",
        minute="minuut minuten",
        century="eeuw",
    ),
    months=numbered(
        "januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november, december"
    ),
    weekdays=numbered("maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag", first=0),
    seasons=named(spring="lente voorjaar", summer="zomer", autumn="herfst najaar", winter="winter"),
    holidays=named(
        christmas="kerst kerstmis", new_year_eve="oudejaarsavond", new_year="nieuwjaar", easter="pasen"
    ),
    ordinals=numbered("eerste 1e, tweede 2e, derde 3e, vierde 4e"),
    fragments={
        "th": "(?:e|ste|de)?",
        "last": "(?:vorige?|afgelopen|voorbije|laatste)",
        "next": "(?:volgende?|komende?|aankomende?)",
    },
    rows=_ROWS,
    inner=(
        ("introduce", r"(?:op|in|van|voor|uit|de)"),
        ("third 0", r"(?:aan het |in het )?(?:begin|vroeg in)(?: van)?"),
        ("third 1", r"(?:in het )?(?:midden|half|medio)(?: van)?"),
        ("third 2", r"(?:aan het |op het )?(?:eind|einde)(?: van)?"),
        ("half_of 1", r"(?:in )?de eerste helft van"),
        ("half_of 2", r"(?:in )?de tweede helft van"),
        ("nth", r"(?:in )?(?:de |het )?<ordinal> <unit> van"),
        ("offset -1", r"<n> <unit> voor"),
        ("offset 1", r"<n> <unit> na"),
        ("around", r"(?:rond|omstreeks|ongeveer)"),
    ),
    outer=(("since", r"sinds|na|vanaf"), ("before", r"voor|vóór|tot")),
    suffixes=(
        ("part morning", r"(?:ochtend|morgen)"),
        ("part afternoon", r"middag"),
        ("part evening", r"avond"),
        ("part night", r"nacht"),
    ),
    range_words=r"(?:tot en met|tot|t/m)",
    list_words=r"(?:en|of)",
    range_openers=r"(?:tussen|van)",
    cues="vandaag gisteren eergisteren morgen overmorgen gisteravond vannacht vanavond vanmorgen vanochtend vanmiddag "
    "geleden kerst kerstmis oudejaarsavond nieuwjaar pasen negentig tachtig nacht",
    openers="deze dit vorige vorig afgelopen voorbije laatste volgende volgend komende komend aankomende over elke elk "
    "iedere ieder terug later weekend",
    introducers="in jaar gedurende sinds voor na tot tussen van vanaf op eind begin kwartaal jaren",
)
