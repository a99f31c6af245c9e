"""Portuguese."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    ("never", r"(?:cada|tod[oa]s [oa]s|tod[oa]) (?:<unit>|<weekday>|<month>)"),
    ("day 0", r"hoje"),
    ("day -1", r"ontem"),
    ("day -2", r"anteontem|antes de ontem"),
    ("day 1", r"amanhã"),
    ("day 2", r"depois de amanhã"),
    ("day -1 night", r"ontem à noite"),
    ("day 0 night", r"(?:esta|hoje à) noite"),
    ("day 0 morning", r"(?:esta|hoje de) manhã"),
    ("ago -1", r"(?:há|faz|fazem) (?:cerca de )?<n> <unit>(?: atrás)?|<n> <unit> atrás"),
    ("ago 1", r"(?:daqui a|dentro de) <n> <unit>|<n> <unit> depois"),
    ("rolling -1", r"(?:n?[oa]s )?(?:últim[oa]s|passad[oa]s) <n> <unit>|(?:n?[oa]s )?<n> últim[oa]s <unit>"),
    ("rolling -1", r"(?:n[oa]|durante [oa]) últim[oa] (?P<unit>semana|mês|ano|década)"),
    ("rolling 1", r"(?:n?[oa]s )?próxim[oa]s <n> <unit>"),
    ("calendar -1", r"(?:n?[oa] )?<unit> (?:passad[oa]|anterior|retrasad[oa])|(?:[oa] )?últim[oa] <unit>"),
    ("calendar 0", r"(?:n?est[ea]|n?ess[ea]|deste|desta) <unit>"),
    ("calendar 1", r"(?:n?[oa] )?próxim[oa] <unit>|(?:n?[oa] )?<unit> (?:que vem|seguinte|próxim[oa])"),
    ("weekday 0", r"(?:n?[oa] )?<weekday>"),
    ("weekday -1", r"(?:n?[oa] )?(?:<weekday> passad[oa]|últim[oa] <weekday>)"),
    ("weekday 1", r"(?:n?[oa] )?(?:próxim[oa] <weekday>|<weekday> que vem)"),
    ("weekday 2", r"n?est[ea] <weekday>"),
    ("month", r"<month>(?: d[eo])?,? <year>"),
    ("never", r"<month> (?:de )?\d{4}"),
    ("month", r"(?:em|no mês de) <month>"),
    ("month?", r"<month>"),
    ("month -1", r"(?:em )?<month> passado|(?:no )?último <month>"),
    ("month 1", r"(?:no )?próximo <month>|<month> que vem"),
    ("months", r"<month> (?:a|até) <month2>(?: de)? <year>"),
    ("date", r"(?:n?o )?(?:dia )?<day>(?: de)? <month>(?:(?: de|,)? <year>)?"),
    ("days", r"(?:de |entre (?:os dias )?)?<day>(?: a | e |-)<day2> de <month>(?:(?: de)? <year>)?"),
    ("season", r"<season> de <year>"),
    ("season 0", r"n[oa] <season>"),
    ("season -1", r"(?:n?[oa] )?(?:<season> passad[oa]|últim[oa] <season>)"),
    ("season 2", r"n?est[ea] <season>"),
    ("quarter", r"(?:n?o )?<ordinal> trimestre (?:de )?<year>"),
    ("decade", r"(?:n?os )?anos (?P<decade>(?:19)?\d0)"),
    ("decade 1990", r"(?:n?os )?anos noventa"),
    ("decade 1980", r"(?:n?os )?anos oitenta"),
    ("holiday", r"<holiday> de <year>"),
    ("holiday?", r"<holiday>"),
    *NUMERIC_ROWS,
    ("year", r"(?:em|durante|no ano(?: de)?|ano) <year>"),
)

PORTUGUESE = Language(
    code="pt",
    numbers=numbered("um uma, dois duas, três, quatro, cinco, seis, sete, oito, nove, dez, onze, doze")
    | {"quinze": 15, "vinte": 20, "trinta": 30, "cem": 100, "mil": 1000},
    amounts={
        "um par de": COUPLE,
        "alguns": FEW,
        "algumas": FEW,
        "poucos": FEW,
        "uns": FEW,
        "umas": FEW,
        "vários": SEVERAL,
        "várias": SEVERAL,
    },
    units=named(
        day="dia dias",
        week="semana semanas",
        month="mês meses",
        year="ano anos",
        decade="década décadas",
        weekend="fim_de_semana fins_de_semana final_de_semana",
        quarter="trimestre trimestres",
        fortnight="quinzena",
        hour="hora horas",
        minute="minuto minutos",
        century="século",
    ),
    months=numbered(
        "janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro"
    ),
    weekdays=numbered(
        "segunda-feira segunda_feira, terça-feira terça_feira terça, quarta-feira quarta_feira, "
        "quinta-feira quinta_feira, sexta-feira sexta_feira, sábado, domingo",
        first=0,
    ),
    seasons=named(spring="primavera", summer="verão", autumn="outono", winter="inverno"),
    holidays=named(christmas="natal", new_year="ano_novo", easter="páscoa", new_year_eve="réveillon"),
    ordinals=numbered("primeiro primeira, segundo, terceiro terceira, quarto"),
    fragments={"th": "º?"},
    rows=_ROWS,
    inner=(
        ("introduce", r"(?:o|a|em|de|no|na|do|da|durante|para)"),
        ("third 0", r"(?:n?o )?(?:início|começo) d[eo]"),
        ("third 1", r"(?:em )?meados d[eo]"),
        ("third 2", r"(?:n?o )?(?:fim|final) d[eo]"),
        ("half_of 1", r"(?:n?a )?primeira metade d[eo]"),
        ("half_of 2", r"(?:n?a )?segunda metade d[eo]"),
        ("nth", r"(?:n?[oa] )?<ordinal> <unit> d[eo]"),
        ("offset -1", r"<n> <unit> antes d[eo]"),
        ("offset 1", r"<n> <unit> depois d[eo]"),
        ("around", r"(?:por volta d[eo]|cerca d[eo]|perto d[eo])"),
    ),
    outer=(
        ("since", r"desde(?: [oa])?|depois d[eoa]|após(?: [oa])?|a partir d[eo]"),
        ("before", r"antes d[eoa]|até(?: [oa])?"),
    ),
    suffixes=(
        ("part morning", r"de manhã|pela manhã"),
        ("part afternoon", r"à tarde"),
        ("part night", r"à noite"),
    ),
    range_words=r"(?:a|até)(?: [oa])?",
    list_words=r"(?:e|ou)(?: [oa])?",
    range_openers=r"(?:entre|de|desde)(?: [oa])?",
    cues="hoje ontem anteontem amanhã noite manhã natal páscoa réveillon noventa oitenta atrás novo",
    openers="esta este nesta neste essa esse nessa nesse últimos últimas último última passado passada passados "
    "passadas próximo próxima próximos próximas vem seguinte anterior daqui dentro há faz cada todo toda todos todas",
    introducers="em durante ano desde antes depois após entre até de do no trimestre",
)
