"""Spanish."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    ("never", r"(?:cada|tod[oa]s l[oa]s) (?:<unit>|<weekday>|<month>)"),
    ("day 0", r"hoy"),
    ("day -1", r"ayer"),
    ("day -2", r"anteayer|antier|antes de ayer"),
    ("day 1", r"(?<!la )(?<!esta )(?<!de )mañana"),
    ("day 2", r"pasado mañana"),
    ("day -1 night", r"anoche|ayer (?:por|en) la noche"),
    ("day 0 night", r"esta noche"),
    ("day 0 morning", r"esta mañana"),
    ("day 0 afternoon", r"esta tarde"),
    ("ago -1", r"hace (?:unos |unas |casi )?<n> <unit>|hace <n> <unit>|<n> <unit> atrás"),
    ("ago 1", r"dentro de <n> <unit>"),
    (
        "rolling -1",
        r"(?:l[oa]s )?(?:últim[oa]s|pasad[oa]s) <n> <unit>|(?:l[oa]s )?<n> (?:últim[oa]s|pasad[oa]s) <unit>",
    ),
    ("rolling -1", r"(?:en|durante) (?:el|la) últim[oa] (?P<unit>semana|mes|año|década)"),
    ("rolling 1", r"(?:l[oa]s )?próxim[oa]s <n> <unit>|(?:l[oa]s )?<n> próxim[oa]s <unit>"),
    (
        "calendar -1",
        r"(?:(?:el|la) )?<unit> (?:pasad[oa]|anterior|últim[oa])|(?:(?:el|la) )?(?:pasad[oa]|últim[oa]) <unit>(?! de(?! (?:<month>|\d)))",
    ),
    ("calendar 0", r"(?:est[ea]|el presente) <unit>"),
    (
        "calendar 1",
        r"(?:(?:el|la) )?<unit> (?:próxim[oa]|que viene|siguiente)|(?:(?:el|la) )?(?:próxim[oa]|siguiente) <unit>",
    ),
    ("weekday 0", r"(?:el )?<weekday>"),
    ("weekday -1", r"(?:el )?(?:<weekday> pasado|pasado <weekday>|último <weekday>)"),
    ("weekday 1", r"(?:el )?(?:<weekday> que viene|próximo <weekday>|<weekday> próximo)"),
    ("weekday 2", r"este <weekday>"),
    ("month", r"<month>(?: del? año)?(?: del?)?,? <year>"),
    ("never", r"<month> (?:de )?\d{4}"),
    ("month", r"en (?:el mes de )?<month>"),
    ("month?", r"<month>"),
    ("month -1", r"<month> pasado|(?:el )?(?:pasado|último) <month>"),
    ("month 1", r"(?:el )?próximo <month>|<month> que viene"),
    ("month 0 -1", r"<month> del año pasado"),
    ("months", r"<month> (?:a|hasta) <month2>(?: del?)? <year>"),
    ("date", r"(?:el )?(?:día )?<day>(?: de)? <month>(?:(?: del?|,)? <year>)?"),
    ("days", r"(?:del? |el |entre el )?<day>(?: al? | y el | y |-)<day2> de <month>(?:(?: del?)? <year>)?"),
    ("season", r"<season> del? <year>"),
    ("season 0", r"en (?:el |la )?<season>"),
    ("season -1", r"(?:el |la )?(?:<season> pasad[oa]|(?:pasad[oa]|últim[oa]) <season>)"),
    ("season 2", r"est[ea] <season>"),
    ("quarter", r"(?:el )?<ordinal> trimestre del? <year>"),
    ("decade", r"(?:en )?los (?:años )?(?P<decade>(?:19|20)?\d0)"),
    ("decade 1990", r"los (?:años )?noventa"),
    ("decade 1980", r"los (?:años )?ochenta"),
    ("holiday", r"<holiday> del? <year>"),
    ("holiday?", r"<holiday>"),
    *NUMERIC_ROWS,
    ("year", r"(?:en|durante|(?:en )?el año|año)(?: el)? <year>"),
)

SPANISH = Language(
    code="es",
    numbers=numbered("un una uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce")
    | {"quince": 15, "veinte": 20, "treinta": 30, "cien": 100, "mil": 1000},
    amounts={
        "un par de": COUPLE,
        "unos": FEW,
        "unas": FEW,
        "unos pocos": FEW,
        "pocos": FEW,
        "algunos": FEW,
        "algunas": FEW,
        "unos cuantos": FEW,
        "varios": SEVERAL,
        "varias": SEVERAL,
    },
    units=named(
        day="día días",
        week="semana semanas",
        month="mes meses",
        year="año años",
        decade="década décadas",
        weekend="fin_de_semana fines_de_semana",
        quarter="trimestre trimestres",
        fortnight="quincena",
        hour="hora horas",
        minute="minuto minutos",
        century="siglo",
    ),
    months=numbered(
        "enero ene, febrero, marzo, abril abr, mayo, junio, julio, agosto ago, septiembre setiembre, "
        "octubre, noviembre, diciembre dic"
    ),
    weekdays=numbered("lunes, martes, miércoles, jueves, viernes, sábado, domingo", first=0),
    seasons=named(spring="primavera", summer="verano", autumn="otoño", winter="invierno"),
    holidays=named(
        christmas="navidad", christmas_eve="nochebuena", new_year_eve="nochevieja", easter="pascua"
    ),
    ordinals=numbered("primer primera primero 1er, segundo segunda, tercer tercera tercero, cuarto cuarta"),
    fragments={"th": "º?"},
    rows=_ROWS,
    inner=(
        ("introduce", r"(?:el|en|de|del|durante|por)"),
        ("third 0", r"(?:a )?(?:principios|comienzos|inicios) del?"),
        ("third 1", r"(?:a )?(?:mediados|mitad) del?"),
        ("third 2", r"(?:a )?(?:finales|fines|final) del?"),
        ("half_of 1", r"(?:la )?primera mitad del?"),
        ("half_of 2", r"(?:la )?segunda mitad del?"),
        ("nth", r"(?:la |el )?<ordinal> <unit> del?"),
        ("offset -1", r"<n> <unit> antes del?"),
        ("offset 1", r"<n> <unit> después del?"),
        ("around", r"(?:alrededor de|cerca de|hacia)(?: el)?"),
    ),
    outer=(("since", r"desde(?: el| la)?|después del?"), ("before", r"antes del?|hasta(?: el| la)?")),
    suffixes=(
        ("part morning", r"por la mañana"),
        ("part afternoon", r"por la tarde"),
        ("part night", r"por la noche"),
    ),
    range_words=r"(?:al?|hasta)(?: el| la)?",
    list_words=r"(?:y|o|e)(?: el| la)?",
    range_openers=r"(?:entre|desde|del?)(?: el| la)?",
    cues="hoy ayer anteayer antier mañana anoche navidad nochebuena nochevieja pascua noventa ochenta hace atrás",
    openers="esta este últimos últimas último última pasado pasada pasados pasadas próximo próxima próximos próximas "
    "viene siguiente anterior dentro cada hace todos todas",
    introducers="en durante año desde antes después entre hasta de del el trimestre",
)
