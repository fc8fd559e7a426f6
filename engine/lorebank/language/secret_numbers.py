"""Secrets that are numbers or words by rule: payment cards, bank accounts, PINs, wallets, cookies.

A card and an account number carry a checksum (Luhn, ISO 7064 mod 97), so that an ordinary number of
the same length is mistaken for one in ten or one in ninety-seven cases; a PIN has none and counts
only behind its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lorebank.language.secret_values import is_random

MAY_HOLD_NUMBER = re.compile(rb"[0-9]{2}[ -]?[0-9A-Z]{4}[ -]?[0-9]{2}")
"""Fixed runs that every card and account has; told before any line is read."""
_CARD = re.compile(r"(?<![\w.,-])[3-6]\d{3}(?:[ -]?\d){8,15}(?![\w-]|[.,]\d)")
_ACCOUNT = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)"
)
_CODE_NAMES = (
    r"(?:SIM[ -]?)?PIN(?:[ -]?(?:code|number|nummer|Nr\.?))?|PUK|CVV2?|CVC2?|TAN"
    r"|(?i:pin[ -]?code|geheimzahl|pincode|code pin|código pin|codice pin|passcode|şifre(?:si)?"
    r"|(?:door|gate|alarm|entry|access|safe|lock|garage|key ?pad|key ?box|security|locker)"
    r" (?:code|combo|combination|number)|combination"
    r"|(?:tür|tor|alarm|safe|tresor|zugangs|schließfach|deur|toegangs|kluis|garage)n?[ -]?"
    r"(?:code|kombination)"
    r"|(?:code|código|codigo|codice) (?:secret[oa]?|d['’]accès|d['’]entrée|de acceso|di accesso"
    r"|(?:de la|de|du|del|della|do|da|de l['’]|dell['’]) ?(?:porte|portail|alarme|coffre|puerta"
    r"|alarma|caja|portón|porta|allarme|cancello|cassaforte|portão|cofre|garage|garaje|garagem))"
    r"|(?:kapı|alarm|kasa) (?:kodu|şifresi))"
)
_CODE = re.compile(
    rf"(?<!\w)(?:{_CODE_NAMES})(?!\w)[^\n\d:=]{{0,60}}?\s*"
    r"(?:[:=]|->|→|\bis\b|['’]s\b|\bnow\b|\bjetzt\b|\bist\b|\blautet\b|\bes\b|\best\b|\bè\b|\bé\b"
    r"|(?<=PIN)(?=\s))\s*[\"'`*]{0,2}"
    r"(?P<value>\d{3,8}|\d{1,2}(?:[ -]{1,3}\d{1,2}){2,3})"
    r"(?![\d.,/-]*\d|\s?(?:%|€|\$|mm|cm|km|kg|V|mA|pins?\b))"
)
_WALLET = re.compile(
    r"(?<![A-Za-z0-9])(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,108})"
    r"(?![A-Za-z0-9])"
)
_HEX_KEY = re.compile(
    r"(?i:(?:private|secret|signing)[ _-]?key|wallet|metamask|ledger)[^\n]{0,60}?\W"
    r"(?P<value>(?:0x)?[0-9a-fA-F]{64})\b"
)
_SEED = re.compile(
    r"\b(?i:seed|mnemonic|recovery|wallet|ledger|backup phrase|secret phrase)\b[^\n]{0,60}?[:=.,]"
    r"\s*[\"'`]?(?P<value>[a-zà-ÿ]{3,9}(?: [a-zà-ÿ]{3,9}){11,23})(?![a-zà-ÿ])"
)
_SEED_LENGTHS = (12, 15, 18, 21, 24)
"""Words of a seed phrase, by BIP 39."""
_COOKIE = re.compile(r"(?i:\b(?:set-)?cookie)\b[\"']?\s*[:=]\s*(?P<value>[^\n\"']+)")
_COOKIE_VALUE = re.compile(r"(?P<name>[\w.-]+)=(?P<value>[^;,\s]{8,})")


def secret_numbers(line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each in a line."""
    for found in _CARD.finditer(line):
        digits = re.sub(r"\D", "", found.group())
        if len(digits) in (13, 14, 15, 16, 19) and _luhn(digits) and len(set(digits)) > 1:
            yield "card-number", *found.span()
    for found in _ACCOUNT.finditer(line):
        if 15 <= len(found.group().replace(" ", "")) <= 34 and _mod_97(found.group()):
            yield "bank-account", *found.span()
    for found in _CODE.finditer(line):
        yield "pin", *found.span("value")
    for found in _WALLET.finditer(line):
        yield "wallet-key", *found.span()
    for found in _HEX_KEY.finditer(line):
        yield "wallet-key", *found.span("value")
    for found in _SEED.finditer(line):
        if len(found["value"].split()) in _SEED_LENGTHS:
            yield "seed-phrase", *found.span("value")
    for found in _COOKIE.finditer(line):
        for cookie in _COOKIE_VALUE.finditer(line, *found.span("value")):
            if is_random(cookie["value"], sure=True):
                yield "cookie", *cookie.span("value")


def _luhn(digits: str) -> bool:
    doubled = (int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _mod_97(account: str) -> bool:
    packed = account.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in packed[4:] + packed[:4])) % 97 == 1
