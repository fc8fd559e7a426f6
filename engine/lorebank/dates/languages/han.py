"""Han numerals, shared by Chinese and Japanese."""

_DIGITS = "零一二三四五六七八九"


def _written(number: int) -> str:
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else ("" if tens == 1 else _DIGITS[tens]) + "十"
    return head + (_DIGITS[ones] if ones else "")


def numerals(last: int) -> dict[int, str]:
    """The numbers from 1 in Han letters: `{1: "一", …, 21: "二十一"}`."""
    return {number: _written(number) for number in range(1, last + 1)}


def tagged_numerals(extra: dict[int, str]) -> dict[str, dict[int, str]]:
    """`NUM`, `DAY`, `MNUM` and `ORD` tables; `extra` adds spellings of numbers."""
    numbers = numerals(99)
    for number, spelling in extra.items():
        numbers[number] = f"{numbers[number]}|{spelling}" if number in numbers else spelling
    return {
        "NUM": numbers,
        "ORD": {n: s for n, s in numbers.items() if n <= 12},
        "DAY": numerals(31),
        "MNUM": numerals(12),
    }
