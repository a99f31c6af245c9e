"""French."""

# ruff: noqa: E501 - a rule is one line
from __future__ import annotations

from recalld.recall.time_window.language import COUPLE, FEW, SEVERAL, Language, named, numbered
from recalld.recall.time_window.languages.numeric import NUMERIC_ROWS

_ROWS = (
    ("never", r"(?:chaque|tous les|toutes les) (?:<unit>|<weekday>|<month>)"),
    ("day 0", r"aujourd'hui"),
    ("day -1", r"hier"),
    ("day -2", r"avant-hier|avant hier"),
    ("day 1", r"demain"),
    ("day 2", r"après-demain|après demain"),
    ("day -1 evening", r"hier soir"),
    ("day -1 night", r"la nuit dernière|hier nuit"),
    ("day 0 evening", r"ce soir"),
    ("day 0 morning", r"ce matin"),
    ("day 0 afternoon", r"cet après-midi"),
    ("ago -1", r"il y a (?:environ )?<n> <unit>|<n> <unit> plus tôt"),
    ("ago 1", r"dans <n> <unit>|d'ici <n> <unit>|<n> <unit> plus tard"),
    (
        "rolling -1",
        r"(?:(?:les|ces|des) )?<n> (?:derni[eè]re?s|passée?s) <unit>|(?:(?:les|ces) )?derni[eè]re?s <n> <unit>",
    ),
    ("rolling 1", r"(?:(?:les|ces) )?<n> prochaine?s <unit>|(?:les )?prochaine?s <n> <unit>"),
    (
        "calendar -1",
        r"(?:(?:la|le|du) |l')?<unit> (?:derni[eè]re?|passée?|précédente?)|(?:la |le )?derni[eè]re? <unit>",
    ),
    ("calendar 0", r"(?:cette|ce|cet) <unit>(?:-ci)?"),
    ("calendar 1", r"(?:(?:la|le) |l')?<unit> (?:prochaine?|suivante?)|(?:la |le )?prochaine? <unit>"),
    ("weekday 0", r"(?:le )?<weekday>"),
    ("weekday -1", r"<weekday> (?:dernier|passé)"),
    ("weekday 1", r"<weekday> prochain"),
    ("weekday 2", r"ce <weekday>"),
    ("month", r"<month>(?: de)?,? <year>"),
    ("never", r"<month> \d{4}"),
    ("month", r"(?:en|au mois de|courant) <month>"),
    ("month?", r"<month>"),
    ("month -1", r"(?:en )?<month> dernier"),
    ("month 1", r"(?:en )?<month> prochain"),
    ("months", r"<month> (?:à|au) <month2> <year>"),
    ("date", r"(?:le )?<day> <month>(?: <year>)?"),
    ("days", r"(?:du |entre le |le )?<day>(?: au | et le | et |-)<day2> <month>(?: <year>)?"),
    ("season", r"(?:l')?<season> <year>"),
    ("season 0", r"(?:en|au|pendant l') ?<season>"),
    ("season -1", r"(?:(?:le|au) |l')?<season> derni[eè]re?"),
    ("season 1", r"(?:(?:le|au) |l')?<season> prochain"),
    ("season 2", r"cet? <season>"),
    ("quarter", r"(?:le |au )?<ordinal> trimestre (?:de )?<year>"),
    ("decade", r"(?:les|des|dans les) années (?P<decade>(?:19)?\d0)"),
    ("decade 1990", r"(?:les|des|dans les) années quatre-vingt-dix"),
    ("decade 1980", r"(?:les|des|dans les) années quatre-vingts?"),
    ("holiday", r"<holiday> <year>"),
    ("holiday?", r"<holiday>"),
    *NUMERIC_ROWS,
    ("year", r"(?:en|dans|pendant|durant|(?:en )?l'année|année|courant) <year>"),
)

FRENCH = Language(
    code="fr",
    numbers=numbered("un une, deux, trois, quatre, cinq, six, sept, huit, neuf, dix, onze, douze")
    | {"quinze": 15, "vingt": 20, "trente": 30, "cent": 100, "mille": 1000},
    amounts={"quelques": FEW, "deux ou trois": COUPLE, "plusieurs": SEVERAL},
    units=named(
        day="jour jours",
        week="semaine semaines",
        month="mois",
        year="an ans année années",
        decade="décennie décennies",
        weekend="week-end weekend week-ends week_end",
        fortnight="quinzaine",
        quarter="trimestre trimestres",
        hour="heure heures",
        minute="minute minutes",
        century="siècle",
    ),
    months=numbered(
        "janvier, février, mars, avril, mai, juin, juillet, août, septembre, octobre, novembre, décembre"
    ),
    weekdays=numbered("lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche", first=0),
    seasons=named(spring="printemps", summer="été", autumn="automne", winter="hiver"),
    holidays=named(christmas="noël", easter="pâques"),
    ordinals=numbered("premier première 1er, deuxième second seconde, troisième, quatrième"),
    fragments={"th": "(?:er|e)?"},
    rows=_ROWS,
    inner=(
        ("introduce", r"(?:le|en|de|du|d'|pendant|durant|pour)"),
        ("third 0", r"(?:au |dès le )?début(?: de| du| d')?"),
        ("third 1", r"(?:à la )?(?:mi|milieu(?: de| du| d')?)"),
        ("third 2", r"(?:à la |vers la )?fin(?: de| du| d')?"),
        ("half_of 1", r"(?:la |au )?première moitié (?:de|du|d')"),
        ("half_of 2", r"(?:la )?(?:seconde|deuxième) moitié (?:de|du|d')"),
        ("nth", r"(?:la |le )?<ordinal> <unit> (?:de|du|d')"),
        ("offset -1", r"<n> <unit> avant(?: le)?"),
        ("offset 1", r"<n> <unit> après(?: le)?"),
        ("around", r"(?:vers|autour de|autour du|environ)(?: le)?"),
    ),
    outer=(
        ("since", r"depuis(?: le| la)?|après(?: le)?|à partir (?:de|du)"),
        ("before", r"avant(?: le| la)?|jusqu'(?:à|au|en)"),
    ),
    suffixes=(
        ("part morning", r"(?:au )?matin"),
        ("part afternoon", r"après-midi"),
        ("part evening", r"(?:au )?soir"),
    ),
    range_words=r"(?:à|au|jusqu'à|jusqu'au|jusqu'en)(?: la)?",
    list_words=r"(?:et|ou)(?: le| la)?",
    range_openers=r"(?:entre|de|du|depuis)(?: le| la)?",
    cues="aujourd hier demain soir matin nuit dernière noël pâques quatre vingt ago",
    openers="cette ce cet dernière dernier dernières derniers passée passé passés passées prochaine prochain "
    "prochaines prochains suivante suivant précédente précédent a dans plus chaque tous toutes années",
    introducers="en dans pendant durant année depuis avant après entre jusqu de du le trimestre courant",
    rivals="ist sind war was wie wer und der das ich wir nicht gibt hat haben auch noch "
    "is het een wat waar ik wij niet zijn heeft hebben ook nog the",
)
