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

_FIXED = """
    new-year 0101, epiphany 0106, burns-night 0125, australia-day 0126, candlemas 0202,
    setsubun 0203, foundation-jp 0211, valentine 0214, emperor-jp 0223, hinamatsuri 0303,
    womens-day 0308, pi-day 0314, st-patrick 0317, st-joseph 0319, april-fools 0401,
    tiradentes 0421, earth-day 0422, st-george 0423, liberation-it 0425, kings-day-nl 0427,
    showa-jp 0429, walpurgis 0430, labour-day 0501, constitution-jp 0503, golden-week 0429,
    cinco-de-mayo 0505, children-jp 0505, victory-fr 0508, children-cn 0601, republic-it 0602,
    lovers-br 0612, juneteenth 0619, music-fr 0621, st-john 0624, canada-day 0701,
    independence-us 0704, tanabata 0707, bastille 0714, mountain-jp 0811, obon 0813,
    assumption 0815, rentree 0901, independence-br 0907, teachers-cn 0910, national-cn 1001,
    golden-week-cn 1001, unity-de 1003, hispanic-day 1012, reformation 1031, halloween 1031,
    all-saints 1101, all-souls 1102, culture-jp 1103, bonfire-night 1105, eleven-eleven 1111,
    shichigosan 1115, republic-br 1115, consciousness-br 1120, labour-thanks-jp 1123,
    sinterklaas 1205, st-nicholas 1206, constitution-es 1206, immaculate 1208, st-lucy 1213,
    christmas-eve 1224, christmas 1225, boxing-day 1226, between-years 1227, holidays 1224,
    new-year-eve 1231, turn-of-year 1231
"""
"""Holiday and its month and day."""

_FROM_EASTER = """
    fat-thursday -52, rose-monday -48, carnival -47, ash-wednesday -46, lent -46,
    mothering-sunday -21, palm-sunday -7, holy-week -7, maundy-thursday -3, good-friday -2,
    easter-saturday -1, easter +0, easter-monday +1, easter-weekend -2, pentecost-weekend +48,
    ascension +39, pentecost +49, whit-monday +50, corpus-christi +60
"""
"""Holiday and its days from Easter Sunday."""


def _pairs(table: str) -> list[tuple[str, str]]:
    return [(key, value) for key, value in map(str.split, table.split(","))]


HOLIDAYS: dict[str, Finder] = {
    **{key: _fixed(int(day[:2]), int(day[2:])) for key, day in _pairs(_FIXED)},
    **{key: _from_easter(int(days)) for key, days in _pairs(_FROM_EASTER)},
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
