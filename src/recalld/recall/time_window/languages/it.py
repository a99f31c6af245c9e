"""Italian."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    ("never", r"(?:ogni|tutt[ei] (?:i|le|gli)) (?:<unit>|<weekday>|<month>)"),
    ("day 0", r"oggi"),
    ("day -1", r"ieri"),
    ("day -2", r"l'altro ieri|altroieri|avantieri|ieri l'altro"),
    ("day 1", r"domani"),
    ("day 2", r"dopodomani"),
    ("day -1 night", r"ieri notte|stanotte|la scorsa notte"),
    ("day -1 evening", r"ieri sera"),
    ("day 0 evening", r"stasera|questa sera"),
    ("day 0 morning", r"stamattina|questa mattina|stamani"),
    ("ago -1", r"<n> <unit> (?:fa|or sono)"),
    ("ago 1", r"(?:tra|fra) <n> <unit>"),
    (
        "rolling -1",
        r"(?:(?:gli|le|i|negli|nelle|nei) )?(?:ultim[ie]|scors[ie]|passat[ie]) <n> <unit>|(?:(?:i|gli|le) )?<n> (?:ultim[ie]|scors[ie]) <unit>",
    ),
    ("rolling -1", r"(?:nell'|durante l')ultim[oa] (?P<unit>settimana|mese|anno|decennio)"),
    ("rolling 1", r"(?:(?:i|le|gli|nei|nelle) )?prossim[ie] <n> <unit>"),
    (
        "calendar -1",
        r"(?:(?:la|lo|il) |l'|nell'|nello |nella )?<unit> (?:scors[oa]|passat[oa])|(?:(?:la|lo|il|nella|nello) |l')?(?:scors[oa]|passat[oa]|ultim[oa]) <unit>",
    ),
    ("calendar 0", r"(?:quest[oa] |quest')<unit>"),
    (
        "calendar 1",
        r"(?:(?:la|il) |l')?<unit> (?:prossim[oa]|che viene|venturo)|(?:(?:la|il) )?prossim[oa] <unit>",
    ),
    ("weekday 0", r"<weekday>"),
    ("weekday -1", r"(?:<weekday> scors[oa]|scors[oa] <weekday>)"),
    ("weekday 1", r"(?:<weekday> prossim[oa]|prossim[oa] <weekday>)"),
    ("weekday 2", r"quest[oa] <weekday>"),
    ("month", r"<month>(?: del| dell'anno)?,? <year>"),
    ("never", r"<month> (?:del )?\d{4}"),
    ("month", r"(?:a|in|nel mese di) <month>"),
    ("month?", r"<month>"),
    ("month -1", r"(?:lo )?<month> scorso|scorso <month>"),
    ("month 1", r"<month> prossimo|prossimo <month>"),
    ("months", r"<month> (?:a|ad|al) <month2>(?: del)? <year>"),
    ("date", r"(?:il |l'|lo )?<day>(?: di)? <month>(?:(?: del|,)? <year>)?"),
    ("days", r"(?:dal(?:l')? ?|tra il |il )?<day>(?: al | e il | e |-)<day2> <month>(?: <year>)?"),
    ("season", r"(?:nell'|l')?<season> (?:del )?<year>"),
    ("season 0", r"(?:in|nell'|d') ?<season>"),
    ("season -1", r"(?:l')?(?:<season> scors[oa]|scors[oa] <season>)"),
    ("season 2", r"quest[oa']? ?<season>"),
    ("quarter", r"(?:il |nel )?<ordinal> trimestre (?:del )?<year>"),
    ("decade", r"(?:negli |gli )anni '?(?P<decade>(?:19)?\d0)"),
    ("decade 1990", r"(?:negli |gli )anni novanta"),
    ("decade 1980", r"(?:negli |gli )anni ottanta"),
    ("holiday", r"<holiday> (?:del )?<year>"),
    ("holiday?", r"<holiday>"),
    *NUMERIC_ROWS,
    ("year", r"(?:nel|nell'anno|durante il|anno|in) ?<year>"),
)

ITALIAN = Language(
    code="it",
    numbers=numbered("un una uno, due, tre, quattro, cinque, sei, sette, otto, nove, dieci, undici, dodici")
    | {"quindici": 15, "venti": 20, "trenta": 30, "cento": 100, "mille": 1000},
    amounts={
        "un paio di": COUPLE,
        "qualche": FEW,
        "alcuni": FEW,
        "alcune": FEW,
        "pochi": FEW,
        "diversi": SEVERAL,
        "diverse": SEVERAL,
        "parecchi": SEVERAL,
    },
    units=named(
        day="giorno giorni",
        week="settimana settimane",
        month="mese mesi",
        year="anno anni",
        decade="decennio decenni",
        weekend="fine_settimana weekend week-end",
        quarter="trimestre trimestri",
        hour="ora ore",
        minute="minuto minuti",
        century="secolo",
    ),
    months=numbered(
        "gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre, "
        "dicembre"
    ),
    weekdays=numbered("lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica", first=0),
    seasons=named(spring="primavera", summer="estate", autumn="autunno", winter="inverno"),
    holidays=named(christmas="natale", new_year="capodanno", easter="pasqua"),
    ordinals=numbered("primo prima, secondo seconda, terzo terza, quarto quarta"),
    fragments={"th": "º?"},
    rows=_ROWS,
    inner=(
        ("introduce", r"(?:il|a|di|del|dal|durante|per|in|nel)"),
        ("third 0", r"(?:a|agli|all')? ?inizi?o? (?:di|del|dell'anno)?"),
        ("third 1", r"(?:a )?metà (?:di|del)?"),
        ("third 2", r"(?:a |alla )?fine (?:di|del)?"),
        ("half_of 1", r"(?:la |nella )?prima metà (?:di|del)"),
        ("half_of 2", r"(?:la |nella )?seconda metà (?:di|del)"),
        ("nth", r"(?:la |il |nella )?<ordinal> <unit> (?:di|del)"),
        ("offset -1", r"<n> <unit> prima (?:di|del)"),
        ("offset 1", r"<n> <unit> dopo(?: il)?"),
        ("around", r"(?:intorno al?|verso|circa)(?: il)?"),
    ),
    outer=(("since", r"da|dal|dall'|dopo(?: il)?"), ("before", r"prima (?:di|del|dell')|fino (?:a|al|all')")),
    suffixes=(("part morning", r"mattina"), ("part afternoon", r"pomeriggio"), ("part evening", r"sera")),
    range_words=r"(?:ad?|al|fino al?)(?: il)?",
    list_words=r"(?:e|o|ed)(?: il)?",
    range_openers=r"(?:tra|fra|da|dal|dall')(?: il)?",
    cues="oggi ieri altroieri avantieri domani dopodomani stanotte stasera stamattina stamani fa natale capodanno "
    "pasqua novanta ottanta",
    openers="questa questo quest scorsa scorso scorsi scorse ultimi ultime ultimo ultima passata passato prossima "
    "prossimo prossimi prossime tra fra ogni",
    introducers="nel in durante anno dal da dopo prima fino tra fra del di il trimestre",
)
