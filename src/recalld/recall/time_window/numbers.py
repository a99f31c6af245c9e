"""Numbers as they are said: digits, words, Chinese signs, spoken years."""

from __future__ import annotations

import re
from collections.abc import Mapping

HAN_DIGITS = "\u3007零一二两三四五六七八九十百千万亿"
_HAN = {
    "\u3007": 0,
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_HUNDRED = 100
_LARGEST = 10**12


def read_han(text: str) -> int:
    """A number in Chinese signs; signs without a scale are read one by one, as in a year."""
    if not any(sign in _HAN_SCALES for sign in text):
        return int("".join(str(_HAN[sign]) for sign in text))
    total = section = digit = 0
    for sign in text:
        if sign in _HAN:
            digit = _HAN[sign]
            continue
        scale = _HAN_SCALES[sign]
        if scale >= _HAN_SCALES["万"]:
            total = (total + section + digit or 1) * scale
            section = 0
        else:
            section += (digit or 1) * scale
        digit = 0
    return total + section + digit


def read_words(text: str, words: Mapping[str, int]) -> int:
    """A number in words: "twenty-six", "two hundred thousand"."""
    total = section = 0
    for word in re.split(r"[\s-]+", text):
        if word not in words:
            continue
        value = words[word]
        if value >= _HUNDRED:
            section = (section or 1) * value
            if value > _HUNDRED:
                total, section = total + section, 0
        else:
            section += value
    return total + section


def read_number(text: str, words: Mapping[str, int]) -> int:
    """Any of the forms; a number beyond every calendar is refused."""
    digits = re.sub(r"[\s,.]", "", text)
    if digits.isdecimal():
        value = int(digits[:13])
    elif text in words:
        value = words[text]
    elif text[0] in HAN_DIGITS:
        value = read_han(text)
    else:
        value = read_words(text, words)
    if value > _LARGEST:
        raise OverflowError(text)
    return value


def read_spoken_year(text: str, words: Mapping[str, int]) -> int:
    """A year in words: "nineteen eighty six", "two thousand and fifteen"."""
    parts = [words[word] for word in re.split(r"[\s-]+", text) if word in words]
    if parts and parts[0] in {19, 20}:
        return parts[0] * _HUNDRED + sum(parts[1:])
    return read_words(text, words)
