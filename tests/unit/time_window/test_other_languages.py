"""The period rules of the ten other languages (D17)."""

# ruff: noqa: E501 - a language is one row of sayings

from __future__ import annotations

from collections.abc import Callable

import pytest

Read = Callable[..., str | None]

YESTERDAY, TODAY, DAYS_AGO, WEEKS_AGO = "2026-09-15", "2026-09-16", "2026-09-13", "2026-09-02"
THIS_WEEK, LAST_WEEK, NEXT_WEEK = "2026-09-14..2026-09-20", "2026-09-07..2026-09-13", "2026-09-21..2026-09-27"
LAST_MONTH, NEXT_MONTH = "2026-08-01..2026-08-31", "2026-10-01..2026-10-31"
THIS_YEAR, LAST_YEAR, NEXT_YEAR = "2026-01-01..2026-12-31", "2025-01-01..2025-12-31", "2027-01-01..2027-12-31"
LAST_WEEKEND, IN_JUNE, JUNE_2024 = (
    "2026-09-12..2026-09-13",
    "2026-06-01..2026-06-30",
    "2024-06-01..2024-06-30",
)
IN_2023, SEVEN_DAYS, THREE_MONTHS = (
    "2023-01-01..2023-12-31",
    "2026-09-09..2026-09-16",
    "2026-06-16..2026-09-16",
)
BEFORE_YESTERDAY, JUNE_5 = "2026-09-14", "2024-06-05"

MEANINGS = (
    TODAY, YESTERDAY, BEFORE_YESTERDAY, DAYS_AGO, WEEKS_AGO, THIS_WEEK, LAST_WEEK, NEXT_WEEK, LAST_MONTH,
    NEXT_MONTH, THIS_YEAR, LAST_YEAR, NEXT_YEAR, LAST_WEEKEND, IN_JUNE, JUNE_2024, IN_2023, SEVEN_DAYS,
    THREE_MONTHS, JUNE_5,
)  # fmt: skip

SAID = {
    "es": "hoy|ayer|anteayer|hace 3 días|hace dos semanas|esta semana|la semana pasada|la próxima semana|el mes pasado|"
    "el próximo mes|este año|el año pasado|el próximo año|el fin de semana pasado|en junio|junio de 2024|en 2023|"
    "los últimos 7 días|los últimos tres meses|5 de junio de 2024",
    "it": "oggi|ieri|l'altro ieri|3 giorni fa|due settimane fa|questa settimana|la settimana scorsa|"
    "la prossima settimana|il mese scorso|il mese prossimo|quest'anno|l'anno scorso|l'anno prossimo|"
    "lo scorso weekend|a giugno|giugno 2024|nel 2023|negli ultimi 7 giorni|gli ultimi tre mesi|5 giugno 2024",
    "fr": "aujourd'hui|hier|avant-hier|il y a 3 jours|il y a deux semaines|cette semaine|la semaine dernière|"
    "la semaine prochaine|le mois dernier|le mois prochain|cette année|l'an dernier|l'année prochaine|"
    "le week-end dernier|en juin|juin 2024|en 2023|les 7 derniers jours|ces trois derniers mois|le 5 juin 2024",
    "de": "heute|gestern|vorgestern|vor 3 Tagen|vor zwei Wochen|diese Woche|letzte Woche|nächste Woche|letzten Monat|"
    "nächsten Monat|dieses Jahr|letztes Jahr|nächstes Jahr|letztes Wochenende|im Juni|Juni 2024|im Jahr 2023|"
    "die letzten 7 Tage|in den letzten drei Monaten|am 5. Juni 2024",
    "pt": "hoje|ontem|anteontem|há 3 dias|duas semanas atrás|esta semana|semana passada|próxima semana|mês passado|"
    "próximo mês|este ano|ano passado|próximo ano|fim de semana passado|em junho|junho de 2024|em 2023|"
    "últimos 7 dias|nos últimos três meses|5 de junho de 2024",
    "nl": "vandaag|gisteren|eergisteren|3 dagen geleden|twee weken geleden|deze week|vorige week|volgende week|"
    "vorige maand|volgende maand|dit jaar|vorig jaar|volgend jaar|vorig weekend|in juni|juni 2024|in 2023|"
    "de afgelopen 7 dagen|afgelopen drie maanden|5 juni 2024",
    "ru": "сегодня|вчера|позавчера|3 дня назад|две недели назад|на этой неделе|на прошлой неделе|"
    "на следующей неделе|в прошлом месяце|в следующем месяце|в этом году|в прошлом году|в следующем году|"
    "в прошлые выходные|в июне|в июне 2024 года|в 2023 году|последние 7 дней|за последние три месяца|"
    "5 июня 2024 года",
    "zh": "今天|昨天|前天|3天前|两周前|本周|上周|下周|上个月|下个月|今年|去年|明年|上周末|六月|2024年6月|2023年|过去7天|"
    "最近三个月|2024年6月5日",
    "ja": "今日|昨日|一昨日|3日前|二週間前|今週|先週|来週|先月|来月|今年|去年|来年|先週末|6月に|2024年6月|2023年に|"
    "過去7日間|過去3ヶ月|2024年6月5日",
    "ko": "오늘|어제|그저께|3일 전|2주 전|이번 주|지난주|다음 주|지난달|다음 달|올해|작년|내년|지난 주말|6월에|"
    "2024년 6월|2023년에|지난 7일|최근 3개월|2024년 6월 5일",
}

ROWS = [
    pytest.param(text, expected, id=f"{code}-{text}")
    for code, said in SAID.items()
    for text, expected in zip(said.split("|"), MEANINGS, strict=True)
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_d17_the_period_rules_hold_in_every_language(read: Read, text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Qué decidimos la semana pasada sobre el logo?", LAST_WEEK),
        ("Cosa abbiamo deciso nel 2023 con Marta?", IN_2023),
        ("Qu'avons-nous décidé au mois de juin 2024 ?", JUNE_2024),
        ("Was haben wir letzte Woche beschlossen?", LAST_WEEK),
        ("O que decidimos em junho de 2024 sobre o logo?", JUNE_2024),
        ("Wat hebben we vorige maand besloten?", LAST_MONTH),
        ("Что мы решили на прошлой неделе?", LAST_WEEK),
        ("先週のミーティングで何を決めましたか", LAST_WEEK),
        ("지난주 회의에서 무엇을 결정했나요?", LAST_WEEK),
        ("上周的会议决定了什么?", LAST_WEEK),
        ("desde junio", "2026-06-01..2026-09-16"),
        ("seit Juni", "2026-06-01..2026-09-16"),
        ("depuis juin", "2026-06-01..2026-09-16"),
        ("3月から5月まで", "2026-03-01..2026-05-31"),
        ("de marzo a mayo de 2024", "2024-03-01..2024-05-31"),
        ("05.06.2024", JUNE_5),
    ],
)
def test_d17_other_languages_are_read_inside_a_question(read: Read, text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5 czerwca 2024", JUNE_5), ("15 Haziran 2024", "2024-06-15"), ("5 juni 2024", JUNE_5)],
)
def test_f3_a_written_date_in_a_language_without_rules_is_left_to_dateparser(
    read: Read, text: str, expected: str
) -> None:
    assert read(f"notes: {text}") == expected


@pytest.mark.parametrize(
    "text", ["Was ist hier passiert?", "Wat is hier gebeurd?", "Guten Morgen!", "Goede morgen!"]
)
def test_d17_a_word_of_one_language_is_no_date_in_another(read: Read, text: str) -> None:
    assert read(text) is None
