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
from functools import cache
from typing import Any

from lorebank.language.secret_kinds import (
    MAY_HOLD_NUMBER,
    secret_numbers,
    seed_phrases,
    token_pattern,
)
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
_STEMS = (
    *("secret", "token", "key", "psk", "bearer", "basic ", "curl", "mysql", "mariadb", "redis-cli"),
    *("psw", "sshpass", "_pass ", "phrase", "contrase", "senha", "kennwort", "wachtwoord", "şifre"),
    *("schlüssel", "clave", "clé ", "mdp", "parola", "парол", "密码", "密碼", "口令", "パスワード"),
    *("暗証", 'auth"', "puk", "cvv", "cvc", "geheimzahl", "code", "código", "codigo", "codice"),
    *("kodu", "combo", "combin", "kombin", "cookie", "sessionid", "session_id", "sessid"),
    *("metamask", "login", "logon", "creds", "credential", "credenc", "credenz", "zugangsdaten"),
    *("anmeldedaten", "identifiant", "inloggegevens", "giriş", "wifi", "wi-fi", "wlan", "ssid"),
    "hotspot",
    *(
        "key safe",
        "lock box",
        "lockbox",
        "s with ",
        "ouvre avec",
        "abre con",
        "apre con",
        "sperrt mit",
    ),
)
"""What a line holds that names a secret."""
_FOLLOWED_STEMS = {
    "pass": "wcp:=*`\"'_",
    "passe": " :=,.*`\"'",
    "pw": "d:=*`\"' ",
    "pin": " :=-'’c",
    "admin": " :/",
    "wallet": " :=.,",
    "ledger": " :=.,",
}
"""Those that name one before these characters only: prose has "passes" and "upward"."""
_SEED_STEMS = (
    *(
        "seed",
        "mnemonic",
        "recovery ",
        "wallet",
        "ledger",
        "trezor",
        "p phrase",
        "t phrase",
        "12 w",
    ),
    *("24 w", "12-w", "24-w", "twelve w", "four w", "wiederherstell", "zwölf w", "frase se"),
    *("frase de", "frase di", "phrase de", "phrase se", "palabras", "palavras", " mots", " parole"),
    *(" woorden", "herstel", "kurtarma", "cüzdan", "monedero", "billetera", "carteira"),
    *("portefeuille", "portafogli"),
)
_MAY_HOLD_TOKEN = re.compile(rf"[\w%+/=.~:-]{{{_RUN}}}")
"""A run of whatever a token is made of: told in a tenth of the time of reading the table."""
_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,40}://[^\s/@:<>\"'`]*:(?P<value>[^\s@/<>\"'`]+)@"
    r"(?=[\w\[])"
)
_PUTTY_KEY = re.compile(
    r"(?:PuTTY-User-Key-File-\d(?:[^\n]*\n){1,80}?)?Private-Lines: *\d+[ \t]*"
    r"(?:\r?\n[A-Za-z0-9+/=]{4,}(?=\r?\n|\Z))+(?:\r?\nPrivate-MAC: *[0-9a-f]+)?"
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
    r"pass[ _-]?words?|passwd|psw|passwort|kennwort|passphrase|pass[ _-]?code|pwd|contraseña"
    r"|contrasena|senha|palavra[ -]passe|mot de passe|mdp|wachtwoord"
    r"|parola(?: d'ordine|[ms]\w{0,4})?"
    r"|şifre(?:[ms]\w{0,4})?|пароль|hasło|lösenord|adgangskode"
    r"|密码|密碼|口令|パスワード|暗証番号"
    r"|(?:seed|recovery|secret|backup) phrase|mnemonic phrase|(?:pass|pw)(?=[\"'`*_]{0,3}\s?[:=])"
    r"|(?:wlan|wi-?fi|wep|wpa2?|netzwerk)[ -]?(?:schlüssel|key)"
)
_SURE_NAMES = (
    r"api[ _-]?(?:key|token|secret)|apikey|access[ _-]?(?:key|token)|secret[ _-]?(?:key|token)"
    r"|(?:secret[ _-]?)?access[ _-]?key|auth(?:entication|orization)?[ _-]?(?:key|token)"
    r"|(?:client|app|consumer|shared|webhook|signing|jwt|session)[ _-]?(?:secret|key)"
    r"|(?:PHP|J)?sess(?:ion)?[ _-]?id|pre[ _-]?shared[ _-]?key|psk"
    r"|(?:refresh|bearer|bot|deploy|session|personal[ _-]access|id)[ _-]?token"
    r"|(?:private|encryption|master|service|account|license|licence|storage|admin)[ _-]?key"
    r"|secret|token|credentials?|auth(?=[\"']\s?:)"
)
# Repeats are bounded, here and in `_URL`: an unbounded one that may begin anywhere takes quadratic
# time on a line of 100 kB that is all one name. What stands before `_KEY` is read once it matched.
_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<flag>--)|[A-Z]{2,8}(?=PASS))?"
    rf"(?:(?P<password>(?i:{_PASSWORD_NAMES}))|(?P<sure>(?i:{_SURE_NAMES}))"
    r"|(?P<key>(?i:key)))(?:[_-]?\d{1,2}|_BASE)?"
    r"(?:\s(?:for|of|to|on|at|für|vom|de|del|du|do|da|di|van)(?:\s[\w'’.-]+){1,3}?)?"
    r"(?:\s?\([^()\n]{1,30}\))?"
    r"[\"'`*_\]]{0,4}\s{0,8}"
    r"(?P<sign>:=|=>|->|→|[:=：＝]|\||(?i:\bis\b(?: now| still)?:?)"
    r"|ist\b|lautet:?|es\b|est\b|è\b|é\b|是|は|(?(flag)(?<=\s)|(?!)))"
    r"\s{0,8}[*_]{0,3}\s?(?P<quote>[\"'`“”]{0,3})(?P<value>[^\s\"'`“”|]+)",
)
_NEAR_NAME = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?P<password>(?i:{_PASSWORD_NAMES}|pw|clave|clé|schlüssel))"
    rf"|(?P<sure>(?i:{_SURE_NAMES}))"
    r"|(?P<login>(?i:log-?ins?|logons?|creds?|zugangsdaten|anmeldedaten|identifiants?|credencia\w+"
    r"|credenziali|inloggegevens|giriş(?: bilgi\w+)?|wi-?fi|wlan|ssid|hotspot"
    r"|(?:admin|root)(?=\s?[/:]))))(?![A-Za-z0-9(])"
)
_NEAR = 60
"""So many characters after its name a secret begins at most: a clause, "of the till at work"."""
_CLAUSE = re.compile(
    r"[:=]?(?:[\w\s'’,-]|(?<=\w)[.@](?=\w)|(?<=\w):(?=\s)|\s/(?=\s))*(?:\([^()]*\))?\s?(?:[:=/]|->|→)?[\s*_]*"
)
"""What may stand between: words and addresses, not code."""
_JOINER = re.compile(
    r"(?i)\b(?:is|now|to|ist|jetzt|nun|lautet|auf|es|ahora|est|maintenant|è|adesso|é|agora|nu|wordt"
    r"|artık|oldu|key|schlüssel|clé|clave|chiave|chave|sleutel)[\s:]+[\"'`*]*\Z|[:=/>→]\s*\Z"
)
"""What stands right before a value that is stated."""
_NUMBER = re.compile(r"(?!(?:19|20)\d\d\b)\d{4,12}(?=\s*(?:[.,;)!]|\Z))")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PASSWORD_BEFORE = re.compile(
    rf"(?<!\S)[\"'`]?(?P<value>[^\s\"'`]{{6,80}})[\"'`]?\s(?:is|was|ist|es|est|è|é)\s"
    rf"(?:[^\W\d][\w-]*['’\s]){{0,4}}?(?:[\w-]{{0,20}}-)?(?i:{_PASSWORD_NAMES}|pw)(?!\w)"
)
"""The other way round: `plinth-46 is the new password`."""
_PREFIXED = re.compile(
    r"(?<![\w/.-])(?P<prefix>[A-Za-z][A-Za-z0-9]{1,12}[_-](?:[A-Za-z0-9]{2,10}[_-]){0,3})"
    r"(?P<drawn>[A-Za-z0-9]{24,})(?![\w./-])"
)
"""As most issuers make tokens now: who and what it is for, and what was drawn."""
_TELLING_PREFIX = re.compile(r"(?i)key|tok|secret|live|test|prod|api|pat|sk|pk|auth")
_ELEMENT = re.compile(
    rf"<(?P<tag>(?:[\w-]{{1,20}}[:_-])?(?i:{_PASSWORD_NAMES}|{_SURE_NAMES}))>(?P<value>[^<>\s]{{4,200}})</"
)
_COMMAND = re.compile(
    r"\b(?:(?:sshpass|(?:docker|podman|npm|az|helm registry) login|smbclient|redis-cli|htpasswd)"
    r"(?:\s[^\n]{0,120}?)?\s(?:-p|-a|--pass)[ =]?"
    r"|(?:mysql\w*|mariadb\w*|mongo\w*)\s(?:[^\n]{0,120}?\s)?-p"
    r"|(?:ENV|setenv)\s+\w*(?:PASS|PASSWORD|PWD|SECRET|TOKEN|KEY)\s+)"
    r"[\"']?(?P<value>[^\s\"'`]{4,})"
)
_PREFIXES = (
    *("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-"),
    *("sk_live_", "rk_live_", "pk_live_", "sk-", "AKIA", "AIza", "hf_", "npm_", "pypi-", "eyJ"),
    *("SG.", "xapp-", "dop_v1_", "shpat_", "AGE-SECRET-KEY-", "gsk_", "whsec_"),
)
_SPLIT_TOKEN = re.compile(
    rf"(?<![A-Za-z0-9])(?P<head>(?:{'|'.join(_PREFIXES)})[\w.-]{{4,80}})"
    r"[ \t\\+>…]{0,3}(?:[ \t]|\r?\n)[ \t\\+>…]{0,3}(?P<tail>[\w-]{4,80})"
)
NOT_SECRET = "<!-- not a secret -->"
"""At the end of a line, its owner's word that nothing on it is to be masked."""
_MARKED = re.compile(rf"[^\n]*{NOT_SECRET}\s*$", re.MULTILINE)
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
    data = text.encode("latin-1", "replace")  # a byte a character
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower()[0] for char in text)
    places = {*_long_runs(data), *_urls(data), *(m.start() for m in MAY_HOLD_NUMBER.finditer(data))}
    may_hold_seed = False
    for end, (stem, of_seed) in _stems().iter(low):
        may_hold_seed |= of_seed
        if stem in _STEMS or low[end + 1 : end + 2] in _FOLLOWED_STEMS.get(stem, "\0"):
            places.add(end)
    found = list(_key_blocks(text)) if b"PRIVATE KEY" in data or b"Private-Lines" in data else []
    done = -1
    for place in sorted(places):
        if place > done:
            start = text.rfind("\n", 0, place) + 1
            done = text.find("\n", place)
            done = done if done >= 0 else len(text)
            line = text[start:done]
            if not line.rstrip().endswith(NOT_SECRET):
                found += [Secret(s.kind, start + s.start, start + s.end) for s in _in_line(line)]
    if may_hold_seed:
        found += [
            Secret("seed-phrase", start, end)
            for start, end in seed_phrases(text)
            if not _MARKED.match(text, end)
        ]
    if any(prefix.encode() in data for prefix in _PREFIXES):
        found += _split_tokens(text)
    return _apart(found)


@cache
def _stems() -> Any:
    """An automaton that finds all stems in one pass; each hit is the stem, and whether it is one of
    a seed phrase."""
    import ahocorasick  # an extension module, not needed to import this one

    automaton = ahocorasick.Automaton()
    for stem in {*_STEMS, *_FOLLOWED_STEMS, *_SEED_STEMS}:
        automaton.add_word(stem, (stem, stem in _SEED_STEMS))
    automaton.make_automaton()
    return automaton


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


def _urls(data: bytes) -> Iterator[int]:
    place = data.find(b"://") if b"@" in data else -1
    while place >= 0:
        end = data.find(b"\n", place)
        if b"@" in data[place : end if end >= 0 else len(data)]:
            yield place
        place = data.find(b"://", end) if end >= 0 else -1


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
    for found in _PREFIXED.finditer(line):
        drawn, sure = found["drawn"], _TELLING_PREFIX.search(found["prefix"]) is not None
        if any(map(str.isdigit, drawn)) and is_random(drawn, sure=sure):
            yield Secret("token", *found.span())
    for found in _PASSWORD_BEFORE.finditer(line):
        value = found["value"]
        if is_password(value, "", quoted=False, stated=True) and not _ADDRESS.fullmatch(value):
            yield Secret("password", *found.span("value"))
    for pattern in (_CURL, _COMMAND, _ELEMENT):
        for found in pattern.finditer(line):
            if is_password(found["value"], "", quoted=True):
                yield Secret("password", *found.span("value"))
    for kind, start, end in secret_numbers(line):
        yield Secret(kind, start, end)
    yield from _assigned(line)
    yield from _near_names(line)


def _near_names(line: str) -> Iterator[Secret]:
    """What stands in the same clause as a name and cannot be a word: the password of "the password
    in the new flat is plinth-Otter-46"."""
    following = {True: len(line), False: len(line)}  # the next name of a login, or of a secret
    for name in reversed(list(_NEAR_NAME.finditer(line))):
        near = min(_NEAR, following[bool(name["login"])] - name.end())
        following[bool(name["login"])] = name.start()
        for value in re.finditer(r"[^\s\"'`“”|]+", line[name.end() : name.end() + _NEAR + 80]):
            if value.start() > near:
                break
            start = name.end() + value.start()
            text = _trimmed(value.group().lstrip("([:=：＝"))
            start += value.group().index(text)
            if not _CLAUSE.fullmatch(line, name.end(), start):
                break
            follows = bool(name["password"]) and not line[name.end() : start].strip(" ,:=")
            mixed = not name["sure"] and is_mixed(text, stated=follows)
            if name["login"] and not _JOINER.search(line, name.end(), start):
                continue
            if (
                name["password"]
                and not _ADDRESS.fullmatch(text)
                and _JOINER.search(line, name.end(), start)
            ):
                stated = is_password(text, "", quoted=False, stated=True)
                mixed = mixed or stated or _NUMBER.match(line, start) is not None
            if mixed or (not name["login"] and is_random(text, sure=True)):
                kind = _kind_of(name["sure"]) if name["sure"] else "password"
                yield Secret(kind, start, start + len(text))
                break


def _split_tokens(text: str) -> Iterator[Secret]:
    """Tokens that a mail program or a second message broke in two."""
    for found in _SPLIT_TOKEN.finditer(text):
        tail = found["tail"]
        if not (tail.isalpha() and (tail.islower() or tail.istitle())):
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
    before = line[max(0, found.start() - _NEAR) : found.start()]
    sure = bool(named) or (found["key"] == "KEY" and re.search("[A-Z0-9]_\\Z", before) is not None)
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
