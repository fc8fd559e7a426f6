"""Holidays: the days of a year that each one falls on, fixed, computed or looked up.

Those that follow the moon are in `movable.tsv`: a row is a holiday and its month and day in each
year from 2000, `-` where it is not known. Islamic dates are those of Umm al-Qura.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

from lorebank.dates.calendar import Days, month_days, nth_weekday, shift

_MOVABLE_FILE = Path(__file__).with_name("movable.tsv")
_FIRST_YEAR = 2000

Finder = Callable[[int], "date | None"]


def holiday_days(key: str, year: int) -> Days | None:
    """First and last day of the holiday in that year; None where it is not known.

    >>> holiday_days("easter", 2026)
    (datetime.date(2026, 4, 5), datetime.date(2026, 4, 5))
    """
    first = HOLIDAYS[key](year)
    if first is None:
        return None
    last = _LAST_DAYS[key](year) if key in _LAST_DAYS else shift(first, _LENGTHS.get(key, 1) - 1)
    return None if last is None else (first, last)


def long_weekend(day: date) -> Days:
    """The free days that a holiday makes with its Saturday and Sunday."""
    weekday = day.weekday()
    if weekday <= 1:  # Monday or Tuesday
        return shift(day, -2 - weekday), day
    return shift(day, min(5 - weekday, 0)), shift(day, 6 - weekday)


def _easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (the algorithm of Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day0 = divmod(h + k - 7 * m + 114, 31)
    return date(year, month, day0 + 1)


def _from_easter(days: int) -> Finder:
    return lambda year: shift(_easter(year), days)


def _fixed(month: int, day: int) -> Finder:
    return lambda year: date(year, month, day)


def _nth_in_month(month: int, weekday: int, n: int, plus: int = 0) -> Finder:
    def holiday(year: int) -> date:
        found = nth_weekday(month_days(year, month), weekday, n)
        assert found is not None, "every month has four of each weekday"
        return shift(found, plus)

    return holiday


def _before_christmas(weekday: int, weeks: int, plus: int = 0) -> Finder:
    """The weekday so many weeks before Christmas Eve, which itself counts as the first."""

    def holiday(year: int) -> date:
        eve = date(year, 12, 24)
        return shift(eve, -((eve.weekday() - weekday) % 7) - 7 * (weeks - 1) + plus)

    return holiday


def _fete_des_meres(year: int) -> date:
    """The last Sunday of May, or the one after where that is Pentecost."""
    last = date(year, 5, 31)
    sunday = shift(last, -((last.weekday() + 1) % 7))
    return shift(sunday, 7) if sunday == shift(_easter(year), 49) else sunday


def _equinox(month: int, base: float) -> Finder:
    """The day of an equinox in Japan, right from 1980 to 2099."""

    def holiday(year: int) -> date:
        passed = year - 1980
        day = int(base + 0.242194 * passed) - passed // 4
        return date(year, month, min(max(day, 1), monthrange(year, month)[1]))

    return holiday


@cache
def _movable() -> dict[str, list[str]]:
    lines = _MOVABLE_FILE.read_text(encoding="utf-8").split("\n")
    return {key: days.split() for key, _, days in (line.partition("\t") for line in lines) if key}


def _listed(key: str, plus: int = 0) -> Finder:
    def holiday(year: int) -> date | None:
        days = _movable()[key]
        index = year - _FIRST_YEAR
        if not 0 <= index < len(days) or days[index] == "-":
            return None
        return shift(date(year, int(days[index][:2]), int(days[index][2:])), plus)

    return holiday


def _ramadan_end(year: int) -> date | None:
    """The day before the feast that ends it; in a year of two Ramadans the feast is another's."""
    first, feast = _listed("ramadan")(year), _listed("eid-al-fitr")(year)
    if first is None or feast is None:
        return None
    return shift(feast, -1) if first < feast else shift(first, 29)


_MON, _THU, _SUN = 0, 3, 6

HOLIDAYS: dict[str, Finder] = {
    "new-year": _fixed(1, 1),
    "epiphany": _fixed(1, 6),
    "burns-night": _fixed(1, 25),
    "australia-day": _fixed(1, 26),
    "candlemas": _fixed(2, 2),
    "setsubun": _fixed(2, 3),
    "foundation-jp": _fixed(2, 11),
    "valentine": _fixed(2, 14),
    "emperor-jp": _fixed(2, 23),
    "hinamatsuri": _fixed(3, 3),
    "womens-day": _fixed(3, 8),
    "pi-day": _fixed(3, 14),
    "st-patrick": _fixed(3, 17),
    "st-joseph": _fixed(3, 19),
    "april-fools": _fixed(4, 1),
    "tiradentes": _fixed(4, 21),
    "earth-day": _fixed(4, 22),
    "st-george": _fixed(4, 23),
    "liberation-it": _fixed(4, 25),
    "kings-day-nl": _fixed(4, 27),
    "showa-jp": _fixed(4, 29),
    "walpurgis": _fixed(4, 30),
    "labour-day": _fixed(5, 1),
    "constitution-jp": _fixed(5, 3),
    "golden-week": _fixed(4, 29),
    "cinco-de-mayo": _fixed(5, 5),
    "children-jp": _fixed(5, 5),
    "victory-fr": _fixed(5, 8),
    "children-cn": _fixed(6, 1),
    "republic-it": _fixed(6, 2),
    "lovers-br": _fixed(6, 12),
    "juneteenth": _fixed(6, 19),
    "music-fr": _fixed(6, 21),
    "st-john": _fixed(6, 24),
    "canada-day": _fixed(7, 1),
    "independence-us": _fixed(7, 4),
    "tanabata": _fixed(7, 7),
    "bastille": _fixed(7, 14),
    "mountain-jp": _fixed(8, 11),
    "obon": _fixed(8, 13),
    "assumption": _fixed(8, 15),
    "rentree": _fixed(9, 1),
    "independence-br": _fixed(9, 7),
    "teachers-cn": _fixed(9, 10),
    "national-cn": _fixed(10, 1),
    "golden-week-cn": _fixed(10, 1),
    "unity-de": _fixed(10, 3),
    "hispanic-day": _fixed(10, 12),
    "reformation": _fixed(10, 31),
    "halloween": _fixed(10, 31),
    "all-saints": _fixed(11, 1),
    "all-souls": _fixed(11, 2),
    "culture-jp": _fixed(11, 3),
    "bonfire-night": _fixed(11, 5),
    "eleven-eleven": _fixed(11, 11),
    "shichigosan": _fixed(11, 15),
    "republic-br": _fixed(11, 15),
    "consciousness-br": _fixed(11, 20),
    "labour-thanks-jp": _fixed(11, 23),
    "sinterklaas": _fixed(12, 5),
    "st-nicholas": _fixed(12, 6),
    "constitution-es": _fixed(12, 6),
    "immaculate": _fixed(12, 8),
    "st-lucy": _fixed(12, 13),
    "christmas-eve": _fixed(12, 24),
    "christmas": _fixed(12, 25),
    "boxing-day": _fixed(12, 26),
    "between-years": _fixed(12, 27),
    "holidays": _fixed(12, 24),
    "new-year-eve": _fixed(12, 31),
    "turn-of-year": _fixed(12, 31),
    "fat-thursday": _from_easter(-52),
    "rose-monday": _from_easter(-48),
    "carnival": _from_easter(-47),
    "ash-wednesday": _from_easter(-46),
    "lent": _from_easter(-46),
    "mothering-sunday": _from_easter(-21),
    "palm-sunday": _from_easter(-7),
    "holy-week": _from_easter(-7),
    "maundy-thursday": _from_easter(-3),
    "good-friday": _from_easter(-2),
    "easter-saturday": _from_easter(-1),
    "easter": _from_easter(0),
    "easter-monday": _from_easter(1),
    "easter-weekend": _from_easter(-2),
    "pentecost-weekend": _from_easter(48),
    "ascension": _from_easter(39),
    "pentecost": _from_easter(49),
    "whit-monday": _from_easter(50),
    "corpus-christi": _from_easter(60),
    "coming-of-age-jp": _nth_in_month(1, _MON, 2),
    "mlk-day": _nth_in_month(1, _MON, 3),
    "super-bowl": _nth_in_month(2, _SUN, 2),
    "presidents-day": _nth_in_month(2, _MON, 3),
    "early-may-uk": _nth_in_month(5, _MON, 1),
    "mothers-day-es": _nth_in_month(5, _SUN, 1),
    "mothers-day": _nth_in_month(5, _SUN, 2),
    "mothers-day-fr": _fete_des_meres,
    "memorial-day": _nth_in_month(5, _MON, -1),
    "fathers-day": _nth_in_month(6, _SUN, 3),
    "marine-jp": _nth_in_month(7, _MON, 3),
    "fathers-day-br": _nth_in_month(8, _SUN, 2),
    "summer-bank-uk": _nth_in_month(8, _MON, -1),
    "labor-day": _nth_in_month(9, _MON, 1),
    "aged-jp": _nth_in_month(9, _MON, 3),
    "columbus-day": _nth_in_month(10, _MON, 2),
    "sports-jp": _nth_in_month(10, _MON, 2),
    "harvest-de": _nth_in_month(10, _SUN, 1),
    "election-us": _nth_in_month(11, _MON, 1, plus=1),
    "thanksgiving": _nth_in_month(11, _THU, 4),
    "black-friday": _nth_in_month(11, _THU, 4, plus=1),
    "cyber-monday": _nth_in_month(11, _THU, 4, plus=4),
    "repentance-de": _before_christmas(_SUN, 5, plus=-4),
    "mourning-de": _before_christmas(_SUN, 6),
    "dead-sunday-de": _before_christmas(_SUN, 5),
    "advent": _before_christmas(_SUN, 4),
    "advent-1": _before_christmas(_SUN, 4),
    "advent-2": _before_christmas(_SUN, 3),
    "advent-3": _before_christmas(_SUN, 2),
    "advent-4": _before_christmas(_SUN, 1),
    "spring-equinox-jp": _equinox(3, 20.8431),
    "autumn-equinox-jp": _equinox(9, 23.2488),
    "chinese-new-year": _listed("chinese-new-year"),
    "chinese-new-year-eve": _listed("chinese-new-year", -1),
    "lantern": _listed("chinese-new-year", 14),
    **{
        key: _listed(key)
        for key in (
            "qingming", "dragon-boat", "mid-autumn", "double-ninth", "ramadan", "eid-al-fitr",
            "eid-al-adha", "diwali", "holi", "purim", "passover", "rosh-hashanah", "yom-kippur",
            "sukkot", "hanukkah",
        )
    },
}  # fmt: skip
"""Holiday → its first day in a year, None where that is not known."""

_LENGTHS = {
    "easter-weekend": 4, "pentecost-weekend": 3,
    "rosh-hashanah": 2, "sukkot": 7, "passover": 8, "hanukkah": 8, "holy-week": 8, "obon": 4,
    "golden-week": 7, "golden-week-cn": 7, "between-years": 5,
}  # fmt: skip
"""Holiday → its days, where it has more than one."""

_LAST_DAYS: dict[str, Finder] = {
    "lent": _from_easter(-1),
    "advent": _fixed(12, 24),
    "ramadan": _ramadan_end,
    "holidays": lambda year: date(year + 1, 1, 1),
    "turn-of-year": lambda year: date(year + 1, 1, 1),
}
"""Holiday → its last day, where its length differs."""
