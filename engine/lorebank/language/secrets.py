"""Secrets in text: where they stand and of what kind, and the text without them.

What is found: keys and tokens by the shape their issuer gave them, private key blocks, passwords in
URLs, `Authorization:` headers, what is assigned to a name like `password` or `api_key`, payment
cards and bank accounts by their checksums, PINs, wallets and cookies (`secret_kinds`). A
redacted text is as long as it was, line for line, so every citation of it holds.

Ordinary prose is told by a few searches for fixed bytes, many times faster than any expression;
only lines that hold one of them are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lorebank.language.secret_kinds import MAY_HOLD_NUMBER, secret_numbers, token_pattern
from lorebank.language.secret_values import (
    is_mixed,
    is_passphrase,
    is_password,
    is_placeholder,
    is_random,
)
from lorebank.records import dataclass

MASK = "·"
"""One for each character; it is no letter to a search and no mark to Markdown."""
_RUN = 20
_TOKEN_BYTES = bytes(
    ord("a") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_-") else ord(" ")
    for code in range(256)
)
_NAMES_SECRETS = tuple(
    stem.encode()
    for stem in (
        *("pass", "pw", "phrase", "secret", "token", "bearer", "basic ", "key", "curl"),
        *("contrase", "passe", "senha", "kennwort", "wachtwoord", "schlüssel", "şifre"),
        *("密码", "密碼", "口令", "パスワード", "暗証", "парол"),
        *("pin", "puk", "cvv", "cvc", "geheimzahl", "code", "código", "codigo", "codice", "kodu"),
        *("combination", "kombination", "combo", "mdp", "parola"),
        *("cookie", "seed", "mnemonic", "recovery", "wallet", "metamask", "ledger"),
    )
)
_FOLLOWED_BY = {
    b"pass": b"wcp:=*`\"'_",
    b"pw": b"d:=*`\"' ",
    b"pin": b" :=-",
    b"seed": b" :=",
    b"recovery": b" :",
    b"wallet": b" :=.,",
    b"passe": b" :=,.*`\"'",
    b"ledger": b" :=.,",
}
"""Of "passes" and "upward" many stand in prose, which name nothing."""
_MAY_HOLD_TOKEN = re.compile(rf"[\w%+/=.~:-]{{{_RUN}}}")
"""A run of whatever a token is made of: told in a tenth of the time of reading the table."""
_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,40}://[^\s/@:<>\"'`]*:(?P<value>[^\s@/<>\"'`]+)@"
    r"(?=[\w\[])"
)
_PUTTY_KEY = re.compile(
    r"(?:PuTTY-User-Key-File-\d(?:[^\n]*\n){1,80}?)?Private-Lines: *\d+[ \t]*"
    r"(?:\r?\n[A-Za-z0-9+/=]{4,})+(?:\r?\nPrivate-MAC: *[0-9a-f]+)?"
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:.*?-----END (?P=label)-----|(?:[ \t>]*\r?\n[ \t>]*[A-Za-z0-9+/=:,\- ]{8,}(?=\r?\n|\Z))*)",
    re.DOTALL,
)
_HEADER = re.compile(
    r"(?i:\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|digest|token|apikey|key)\s+)?"
    r"|\bbearer\s+|\bx-api-key[\"']?\s*[:=]\s*[\"']?)(?P<value>[A-Za-z0-9_\-.~+/=]{8,})"
)
_BASIC = re.compile(r"(?i:\bbasic)\s+(?P<value>[A-Za-z0-9+/]{12,}={1,2})(?![A-Za-z0-9])")
_PASSWORD_NAMES = (
    r"pass[ _-]?words?|passwd|passwort|kennwort|passphrase|pass[ _-]?code|pwd|contraseña|contrasena"
    r"|senha|palavra[ -]passe|mot de passe|mdp|wachtwoord|parola(?: d'ordine)?|parolası"
    r"|şifre(?:si)?|пароль|hasło|lösenord|adgangskode"
    r"|密码|密碼|口令|パスワード|暗証番号"
    r"|(?:seed|recovery|secret|backup) phrase|mnemonic phrase|(?:pass|pw)(?=[\"'`*_]{0,3}\s?[:=])"
    r"|(?:wlan|wi-?fi|wep|wpa2?|netzwerk)[ -]?(?:schlüssel|key)"
)
_SURE_NAMES = (
    r"api[ _-]?(?:key|token|secret)|apikey|access[ _-]?(?:key|token)|secret[ _-]?(?:key|token)"
    r"|(?:secret[ _-]?)?access[ _-]?key|auth(?:entication|orization)?[ _-]?(?:key|token)"
    r"|(?:client|app|consumer|shared|webhook|signing|jwt|session)[ _-]?(?:secret|key)"
    r"|(?:refresh|bearer|bot|deploy|session|personal[ _-]access|id)[ _-]?token"
    r"|(?:private|encryption|master|service|account|license|licence|storage|admin)[ _-]?key"
    r"|secret|token|credentials?"
)
# Repeats are bounded, here and in `_URL`: an unbounded one that may begin anywhere takes quadratic
# time on a line of 100 kB that is all one name. Eight parts of forty letters hold any real name.
_ASSIGNED = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?P<flag>--)|(?:[A-Za-z0-9]{{1,40}}[_.-]){{0,8}}?)"
    rf"(?:(?P<password>(?i:{_PASSWORD_NAMES}))|(?P<sure>(?i:{_SURE_NAMES}))"
    r"|(?P<key>(?i:(?:[A-Za-z0-9]{1,40}_){0,8}key)))(?P<more>(?:[_-]?\d{1,2}|_BASE)?)"
    r"(?:\s(?:for|of|to|on|at|für|vom|de|del|du|do|da|di|van)(?:\s[\w'’.-]+){1,3}?)?"
    r"(?:\s?\([^()\n]{1,30}\))?"
    r"[\"'`*_\]]{0,4}\s{0,8}"
    r"(?P<sign>:=|=>|->|→|[:=：＝]|\||(?i:\bis\b(?: now| still)?:?)"
    r"|ist\b|lautet:?|es\b|est\b|è\b|é\b|是|は|(?(flag)(?<=\s)|(?!)))"
    r"\s{0,8}[*_]{0,3}\s?(?P<quote>[\"'`“”]{0,3})(?P<value>[^\s\"'`“”|]+)",
)
_NEAR_NAME = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?P<password>(?i:{_PASSWORD_NAMES}|pw|passwort))|(?P<sure>(?i:{_SURE_NAMES})))"
    r"(?![A-Za-z0-9(])"
)
_NEAR = 60
"""So many characters after its name a secret begins at most: a clause, "of the till at work"."""
_CLAUSE = re.compile(r"[\w\s'’,-]*(?:\([^()]*\))?\s?(?:[:=]|->|→)?[\s*_]*")
"""What may stand between: words, not code."""
_PREFIXES = (
    *("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-"),
    *("sk_live_", "rk_live_", "pk_live_", "sk-", "AKIA", "AIza", "hf_", "npm_", "pypi-"),
)
_SPLIT_TOKEN = re.compile(
    rf"(?<![A-Za-z0-9])(?P<head>(?:{'|'.join(_PREFIXES)})[\w-]{{4,80}})"
    r"[ \t]{0,2}(?:[ \t]|\r?\n)[ \t]{0,2}(?P<tail>[\w-]{6,80})"
)
NOT_SECRET = "<!-- not a secret -->"
"""At the end of a line, its owner's word that nothing on it is to be masked."""
_QUOTED_VALUE = re.compile(r"[^\"'`“”\n]{4,120}")
_NETRC = re.compile(r"\blogin\s+\S+\s+password\s+(?P<value>\S{4,})")
_CURL = re.compile(r"(?<!\S)(?:-u|--user)[ =][\"']?[\w.@-]+:(?P<value>[^\s\"'`]{4,})")
_LOOKED_AT = 500
"""So much of the rest of a line tells what a value is; a line may be megabytes long."""
_ENDS_VALUE = ",;)}]*_.!?>"


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret: what kind it is and where; never the secret itself."""

    kind: str
    """`github-token`, `password`, `private-key`, …"""
    start: int
    """Offset in characters."""
    end: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with its secrets masked, of the same length, and what was masked."""

    text: str
    secrets: tuple[Secret, ...]


def redact(text: str) -> Redacted:
    """The text with each character of a secret masked; line endings stay."""
    secrets = find_secrets(text)
    pieces: list[str] = []
    position = 0
    for secret in secrets:
        masked = re.sub(r"[^\r\n]", MASK, text[secret.start : secret.end])
        pieces += (text[position : secret.start], masked)
        position = secret.end
    return Redacted("".join([*pieces, text[position:]]) if pieces else text, secrets)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text by place, none within another.

    >>> [(s.kind, s.start) for s in find_secrets("key AKIAIOSFODNN7EXAMPLE, see wiki")]
    [('aws-key', 4)]
    """
    data = text.encode("utf-8", "surrogatepass")
    places = sorted({*_long_runs(data), *_named(data), *_urls(data), *_numbers(data)})
    blocks = list(_key_blocks(text)) if b"PRIVATE KEY" in data or b"Private-Lines" in data else []
    if not places and not blocks:
        return ()
    found = list(blocks)
    for line, offset in _lines(text, data, places):
        if not line.rstrip().endswith(NOT_SECRET):
            found += [Secret(s.kind, offset + s.start, offset + s.end) for s in _in_line(line)]
    if any(prefix.encode() in data for prefix in _PREFIXES):
        found += _split_tokens(text)
    return _apart(found)


def _long_runs(data: bytes) -> Iterator[int]:
    """Where twenty or more letters and digits in a row begin."""
    runs = data.translate(_TOKEN_BYTES)
    sought = b"a" * _RUN
    place = runs.find(sought)
    while place >= 0:
        end = runs.find(b" ", place)
        run = data[place : end if end >= 0 else len(data)].strip(b"-_")
        if run and not (run.isalpha() and run.islower()):
            yield place
        place = runs.find(sought, end) if end >= 0 else -1


def _named(data: bytes) -> Iterator[int]:
    """Where a word stands that names a secret; one place a line is enough."""
    low = data.lower()
    for stem in _NAMES_SECRETS:
        followed = _FOLLOWED_BY.get(stem)
        place = low.find(stem)
        while place >= 0:
            after = place + len(stem)
            if followed is not None and low[after : after + 1] not in followed:
                place = low.find(stem, after)
                continue
            yield place
            end = low.find(b"\n", place)
            place = low.find(stem, end) if end >= 0 else -1


def _numbers(data: bytes) -> Iterator[int]:
    return (found.start() for found in MAY_HOLD_NUMBER.finditer(data))


def _urls(data: bytes) -> Iterator[int]:
    place = data.find(b"://") if b"@" in data else -1
    while place >= 0:
        end = data.find(b"\n", place)
        if b"@" in data[place : end if end >= 0 else len(data)]:
            yield place
        place = data.find(b"://", end) if end >= 0 else -1


def _lines(text: str, data: bytes, places: list[int]) -> Iterator[tuple[str, int]]:
    """The lines around byte places, each once, with their offset in characters."""
    ascii_only = len(data) == len(text)
    counted = characters = 0
    done = -1
    for place in places:
        if place < done:
            continue
        start = data.rfind(b"\n", 0, place) + 1
        end = data.find(b"\n", place)
        done = end if end >= 0 else len(data)
        if ascii_only:
            characters = start
        else:
            characters += len(data[counted:start].decode("utf-8", "surrogatepass"))
            counted = start
        yield data[start:done].decode("utf-8", "surrogatepass"), characters


def _in_line(line: str) -> Iterator[Secret]:
    tokens = token_pattern().finditer(line) if _MAY_HOLD_TOKEN.search(line) else ()
    for token in tokens:
        assert token.lastgroup is not None
        if not is_placeholder(token.group()):
            yield Secret(token.lastgroup.replace("_", "-"), *token.span())
    for kind, pattern in (("url-password", _URL), ("basic-auth", _BASIC), ("password", _NETRC)):
        for found in pattern.finditer(line):
            if kind != "url-password" or is_password(found["value"], "", quoted=True):
                yield Secret(kind, *found.span("value"))
    for found in _HEADER.finditer(line):
        value = found["value"]
        if any(map(str.isdigit, value)) and is_random(value, sure=True):
            yield Secret("authorization", *found.span("value"))
    for found in _CURL.finditer(line):
        if is_password(found["value"], "", quoted=True):
            yield Secret("password", *found.span("value"))
    for kind, start, end in secret_numbers(line):
        yield Secret(kind, start, end)
    yield from _assigned(line)
    yield from _near_names(line)


def _near_names(line: str) -> Iterator[Secret]:
    """What stands in the same clause as a name and cannot be a word: the password of "the password
    in the new flat is plinth-Otter-46"."""
    for name in _NEAR_NAME.finditer(line):
        for value in re.finditer(r"[^\s\"'`“”|]+", line[name.end() : name.end() + _NEAR + 80]):
            if value.start() > _NEAR:
                break
            start = name.end() + value.start()
            text = _trimmed(value.group().lstrip("([:=：＝"))
            start += value.group().index(text)
            if not _CLAUSE.fullmatch(line, name.end(), start):
                break
            follows = not line[name.end() : start].strip(" ,:=")
            if is_random(text, sure=True) or (name["password"] and is_mixed(text, stated=follows)):
                kind = "password" if name["password"] else _kind_of(name["sure"])
                yield Secret(kind, start, start + len(text))
                break


def _split_tokens(text: str) -> Iterator[Secret]:
    """Tokens that a mail program or a second message broke in two."""
    for found in _SPLIT_TOKEN.finditer(text):
        if is_random(found["tail"], sure=True):
            whole = token_pattern().fullmatch(found["head"] + found["tail"])
            if whole is not None and whole.lastgroup is not None:
                yield Secret(whole.lastgroup.replace("_", "-"), *found.span())


def _assigned(line: str) -> Iterator[Secret]:
    """What is assigned to names: `password: …`, `API_KEY=…`, `"token": "…"`, `Passwort ist …`."""
    position = 0
    while found := _ASSIGNED.search(line, position):
        position = max(found.end("sign"), found.start() + 1)
        secret = _judged(line, found)
        if secret is not None:
            yield secret
            position = secret.end


def _judged(line: str, found: re.Match[str]) -> Secret | None:
    sign = found["sign"].strip().lower()
    if not sign and not found["flag"]:
        return None
    start = found.start("value")
    quoted = bool(found["quote"])
    value = found["value"]
    if quoted and (whole := _QUOTED_VALUE.match(line, start)):
        value = whole.group().rstrip()
    else:
        value = _trimmed(value)
    end = start + len(value)
    rest = line[end : end + _LOOKED_AT]
    if found["password"]:
        stated = sign not in (":", "=", ":=", "：", "＝", "=>") and not found["flag"]
        reads = sign.startswith("lautet")  # what the password reads is the password, a plain word
        ends = len(line) - start <= _LOOKED_AT
        if not stated and not quoted and ends and is_passphrase(line[start:].rstrip(" .")):
            return Secret("password", start, len(line.rstrip(" .\r")))
        if quoted and " " in value and not is_passphrase(value.lower()):
            return None
        if is_password(value, rest, quoted=quoted, stated=stated and not reads):
            return Secret("password", start, end)
        return None
    named = found["sure"] or ""
    sure = bool(named) or (found["key"] or "").upper() == found["key"] != "KEY"
    if " " not in value and is_random(value, sure=sure):
        return Secret(_kind_of(named), start, end)
    return None


def _kind_of(name: str) -> str:
    low = name.lower()
    if "key" in low or not low:
        return "api-key"
    return "token" if "token" in low else "secret"


def _trimmed(value: str) -> str:
    """The value without the punctuation of the sentence around it."""
    trimmed = value.rstrip(_ENDS_VALUE)
    if value.startswith("http") or not trimmed:
        return value
    # `hunter2!` keeps its mark: at the end of a password one is likely.
    marks = value[len(trimmed) :]
    kept = re.match(r"[!?*_]+(?=[.,;)]*\Z)", marks)
    return trimmed + kept.group() if kept and "**" not in marks else trimmed


def _key_blocks(text: str) -> Iterator[Secret]:
    for block in _KEY_BLOCK.finditer(text):
        yield Secret("private-key", *block.span())
    for block in _PUTTY_KEY.finditer(text):
        yield Secret("private-key", *block.span())


def _apart(found: list[Secret]) -> tuple[Secret, ...]:
    """By place; of two that overlap, the wider takes in the other."""
    kept: list[Secret] = []
    for secret in sorted(found, key=lambda s: (s.start, -s.end)):
        if kept and secret.start < kept[-1].end:
            if secret.end > kept[-1].end:
                kept[-1] = Secret(kept[-1].kind, kept[-1].start, secret.end)
            continue
        kept.append(secret)
    return tuple(kept)
