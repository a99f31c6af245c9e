"""What Chinese and Japanese write alike."""

from __future__ import annotations

MONTHS = {
    f"{sign}月": number
    for number, signs in enumerate(
        (
            "一 1 01",
            "二 2 02",
            "三 3 03",
            "四 4 04",
            "五 5 05",
            "六 6 06",
            "七 7 07",
            "八 8 08",
            "九 9 09",
            "十 10",
            "十一 11",
            "十二 12",
        ),
        1,
    )
    for sign in signs.split()
}
ORDINALS = "一 1, 二 2, 三 3, 四 4"
