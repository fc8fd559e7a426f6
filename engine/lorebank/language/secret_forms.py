"""What a secret's own form says: keys and tokens by who issues them, headers, checksums, blocks.

The kinds are those that gitleaks, detect-secrets and trufflehog look for; the table is in our own
words. As there, a line is read against a form only where it holds one of the form's hints: all of
them are sought in one pass over the text.

A card and an account number carry a checksum (Luhn, ISO 7064 mod 97), so that an ordinary number of
the same length is mistaken for one in ten or one in ninety-seven cases.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from lorebank.language.secret_values import is_mixed, is_password, is_placeholder, is_random

_PREFIXES = {
    "github-token": "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
    "gitlab-token": "glpat- glptt- gldt- glrt- glcbt- glft- glffct- glimt- glsoat- glagent- gloas-",
    "slack-token": "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe.xoxp- xoxo- xoxp- xoxr- xoxs- xapp-",
    "stripe-key": "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_",
    "google-key": "GOCSPX- ya29. 1//0",
    "anthropic-key": "sk-ant-",
    "openai-key": "sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-None-",
    "huggingface-token": "hf_ api_org_",
    "npm-token": "npm_",
    "pypi-token": "pypi-",
    "digitalocean-token": "dop_v1_ doo_v1_ dor_v1_",
    "shopify-token": "shpat_ shpca_ shppa_ shpss_",
    "square-token": "sq0atp- sq0csp- sq0idp-",
    "linear-key": "lin_api_ lin_oauth_",
    "notion-token": "ntn_",
    "cloud-key": "LTAI ABSK AKCp dt0c01. CCIPAT_ CFPAT- bkua_ dnkey- rnd_ nfp_ HRKU- fo1_ fm1r_"
    " fm1a_ fm2_ dckr_pat_ dckr_oat_ pul- pnu_ tskey-auth- tskey-api- tskey-client- tk-us-"
    " sha256~ CLOJARS_ rubygems_ oy2 sgp_ squ_ sqp_ sqa_ snyk_ dop. ops_eyJ E2B_ e2b_",
    "data-key": "pscale_tkn_ pscale_oauth_ pscale_pw_ sbp_ sb_secret_ sb_publishable_ pcsk_ dapi"
    " 4b1d glsa_ glc_ NRAK- NRII- NRJS- sntrys_ sntryu_ figd_ patH rdme_ tfp_ PMAK- fio-u- lsv2_pt_"
    " lsv2_sk_ phc_ phx_",
    "model-key": "gsk_ xai- r8_ pplx- nvapi- csk- tvly- jina_ tgp_v1_ fw_ pa- fc- AQVN ico-",
    "payment-key": "shippo_live_ shippo_test_ EZAK EZTK duffel_live_ duffel_test_ FLWSECK-"
    " FLWSECK_TEST- access-production- access-sandbox- access-development- live_pub_ test_pub_",
    "mail-key": "xkeysib- xsmtpsib- re_",
    "vault-token": "hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    "bot-token": "EAACEdEose0cBA EAAM EAAC EAAG EAAB ATBB ATATT3 ATCTT3 sl.u. EAAAl EAAAE"
    " aio_ sm_aat_ sm_pat_",
}
"""What issuers put before what they drew: 16 or more letters and digits, some of them digits."""
_TOKENS = {
    "aws_key": r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"(?:[\s,;:|]{1,3}[A-Za-z0-9/+]{40}(?![\w/+]))?",  # its secret beside it
    "slack_webhook": r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_]{20,}",
    "webhook": r"discord(?:app)?\.com/api/webhooks/\d{16,20}/[\w-]{40,}"
    r"|webhook\.office\.com/webhookb2/[\w@-]{36,}/IncomingWebhook/[\w/-]{32,}",
    "google_key": r"AIza[\w-]{35}",
    "openai_key": r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}(?![\w-])"
    r"|sess-(?=[A-Za-z]*\d)[A-Za-z0-9]{36,}",
    "stripe_key": r"whsec_[A-Za-z0-9+/]{24,}={0,2}",
    "sendgrid_key": r"SG\.[\w-]{16,}\.[\w-]{16,}",
    "twilio_key": r"SK[0-9a-f]{32}(?![0-9A-Za-z])",
    "telegram_token": r"\d{8,10}:[\w-]{35}(?![\w-])",
    "discord_token": r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}",
    "mapbox_token": r"[sp]k\.eyJ[\w-]{20,}\.[\w-]{10,}",
    "facebook_token": r"EAA[A-Za-z0-9]{60,}",
    "password_hash": r"(?<=\$)(?:2[aby]\$\d\d|apr1|[156]|argon2id?|scrypt)\$[\w./$=,+-]{20,}",
    "jwt": r"eyJ[\w-]{8,}={0,2}\.[\w-]{8,}={0,2}\.[\w-]{6,}={0,2}",
    "square_token": r"EAAA[\w-]{56,}",
    "mailgun_key": r"(?:pub)?key-[0-9a-f]{32}(?![0-9a-f])",
    "mailchimp_key": r"[0-9a-f]{32}-us\d{1,2}(?!\w)",
    "notion_token": r"secret_[A-Za-z0-9]{43}(?!\w)",
    "airtable_token": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
    "harness_key": r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
    "dropbox_token": r"sl\.(?:u\.)?[\w-]{100,}",
    "braintree_token": r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    "age_key": r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",
    "terraform_token": r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}",
    "cloudflare_key": r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    "doppler_token": r"dp\.(?:st|sa|ct|pt)\.[a-z0-9_-]{2,35}\.[A-Za-z0-9]{40,44}(?!\w)",
    "kubernetes_key": r"(?<=client-key-data: )[A-Za-z0-9+/]{40,}={0,2}",
    "octopus_key": r"API-[A-Z0-9]{26}(?![A-Z0-9])",
    "maxmind_key": r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
    "onepassword_token": r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})"
    r"(?:-[A-Z0-9]{5}){3}",
    "azure_key": r"(?<=AccountKey=)[A-Za-z0-9+/]{40,}={0,2}|[A-Za-z0-9_~.-]{3}\dQ~[\w~.-]{31,34}",
    "signature": r"(?i:(?<=[?&]sig=)|(?<=[?&]x-amz-signature=)|(?<=[?&]signature=))[\w%+/=-]{20,}",
    "wallet_key": r"(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|6P[1-9A-HJ-NP-Za-km-z]{56}"
    r"|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,108}|nsec1[a-z0-9]{58}|S[A-Z2-7]{55}"
    r"|edsk[1-9A-HJ-NP-Za-km-z]{50,94}|suiprivkey1[a-z0-9]{50,70})(?![A-Za-z0-9])",
}
"""Those of another shape. All are made of twenty letters, digits, `_` or `-` in a row somewhere."""
_HEADS = "AKIA ASIA AIza eyJ SG. AGE-SECRET-KEY- whsec_ sk-"
"""Beginnings of tokens that are not among the prefixes."""
_TELLING_HEAD = 4
_SPLIT = re.compile(
    r"(?P<head>[\w.-]{7,80})"
    r"(?:[\"']\s?\+\s{0,8}[\"']|[ \t\\+>…]{0,3}(?:[ \t]|\r?\n)[ \t\\+>…]{0,3})"
    r"(?P<tail>[\w-]{4,80})"
)
_WORD = re.compile(r"(?:[A-Za-z]?[a-z]+|[\d-]+)\Z")
"""What follows a whole token: a word, a date."""
_DRAWN = r"[A-Za-z0-9_][\w+/-]{14,}(?:\.[\w-]{6,}){0,4}={0,2}"
_UNKNOWN_ISSUER = re.compile(
    r"(?<![\w/.-])(?P<prefix>[A-Za-z][A-Za-z0-9]{1,12}[_-](?:[A-Za-z0-9]{2,10}[_-]){0,3})"
    r"(?P<value>[A-Za-z0-9]{24,})(?![\w./-])"
)
"""As most issuers make tokens now: who and what it is for, and what was drawn."""
_TELLING_PREFIX = re.compile(r"(?i)key|tok|secret|live|test|prod|api|pat|sk|pk|auth")

_CARD = re.compile(r"(?<![\w.,-])(?P<value>[2-6]\d{3}(?:[ \xa0-]?\d){8,15})(?![\w-]|[.,]\d)")
_ACCOUNT = re.compile(
    r"(?<![A-Za-z0-9])(?P<value>[A-Z]{2}\d{2}(?:[ \xa0-]?[A-Z0-9]){11,30}"
    r"|[a-z]{2}\d{2}(?:[ \xa0-]?(?:[a-z]{4}|\d{4})){2,7}(?: ?\d{1,3})?)(?![A-Za-z0-9])"
)
BREAKS_NUMBER = re.compile(rb"\n(?=[ \t>]{0,8}[0-9][0-9A-Z -]{3,40}\r?(?:\n|\Z))")
"""The break of a number over two lines; the second holds nothing else."""
_REST_OF_NUMBER = re.compile(r"[ \t>]{0,8}(?P<rest>[0-9A-Z -]{3,40}[0-9A-Z])[ \t]*\r?(?=\n|\Z)")
_LONGER_HALF = 8
"""Characters: a list of short numbers is none."""
_PRODUCT_KEY = re.compile(
    r"(?<![\w-])(?=[\d-]*[A-Za-z])(?=[A-Za-z-]*\d)"
    r"(?P<value>[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4})(?![\w-])"
)
_PUTTY_KEY = re.compile(
    r"(?:PuTTY-User-Key-File-\d(?:[^\n]*\n){1,80}?)?Private-Lines: *\d+[ \t]*"
    r"(?:\r?\n[A-Za-z0-9+/=]{4,}(?=\r?\n|\Z))+(?:\r?\nPrivate-MAC: *[0-9a-f]+)?"
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
    r"(?:.*?-----END (?P=label)-----|(?:[ \t>]*\r?\n[ \t>]*[A-Za-z0-9+/=:,\- ]{8,}(?=\r?\n|\Z))*)",
    re.DOTALL,
)


class Form(NamedTuple):
    """A form of secrets: the kind, what a line that holds one holds in small letters, how it is
    written (group `value`), and which of what is written so counts."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    counts: Callable[[str], bool]


def _is_typed(value: str) -> bool:
    return is_password(value, "", quoted=True)


def _is_drawn(value: str) -> bool:
    return is_random(value, sure=True)


def _is_login(value: str) -> bool:
    """Whether it is `user:password` in base64."""
    try:
        decoded = b64decode(value, validate=True)
    except ValueError:
        return False
    return re.fullmatch(rb"[!-9;-~]+:[ -~]+", decoded) is not None


# Repeats are bounded: an unbounded one that may begin anywhere takes quadratic time on a line of
# 100 kB that is all one name.
FORMS = (
    Form(
        "url-password",
        ("://",),
        re.compile(
            r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,40}://[^\s/@:<>\"'`]{0,200}:"
            r"(?P<value>[^\s@/<>\"'`]{1,200})@(?=[\w\[])"
        ),
        _is_typed,
    ),
    Form(
        "basic-auth",
        ("basic ",),
        re.compile(r"(?i:\bbasic)\s+(?P<value>[A-Za-z0-9+/]{12,}={1,2})(?![A-Za-z0-9])"),
        bool,
    ),
    Form(
        "basic-auth",
        ('"auth"', "_auth"),  # Docker, npm
        re.compile(r"\b_?auth[\"']?\s{0,8}[:=]\s{0,8}[\"']?(?P<value>[A-Za-z0-9+/]{8,400}={0,2})"),
        _is_login,
    ),
    Form(
        "authorization",
        ("authorization", "bearer ", "api-key"),
        re.compile(
            r"(?i:\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?"
            r"(?:(?:basic|digest|token|apikey|key)\s+)?"
            r"|\bbearer\s+|\bx-api-key[\"']?\s*[:=]\s*[\"']?)(?P<value>[A-Za-z0-9_\-.~+/=]{8,})"
        ),
        lambda value: any(map(str.isdigit, value)) and _is_drawn(value),
    ),
    Form(
        "password", (" login ",), re.compile(r"\blogin\s+\S+\s+password\s+(?P<value>\S{4,})"), bool
    ),
    Form(
        "password",
        ("curl ",),
        re.compile(r"(?<!\S)(?:-u|--user)[ =][\"']?[\w.@-]{1,80}:(?P<value>[^\s\"'`]{4,})"),
        _is_typed,
    ),
    Form(
        "password",
        (" -p", " -a", " --pass", "env ", "setenv ", "/add"),
        re.compile(
            r"\b(?:(?:sshpass|(?:docker|podman|npm|az|helm registry) login|smbclient|redis-cli"
            r"|htpasswd)(?:\s[^\n]{0,120}?)?\s(?:-p|-a|--pass)[ =]?"
            r"|(?:mysql\w*|mariadb\w*|mongo\w*)\s(?:[^\n]{0,120}?\s)?-p"
            r"|(?:ENV|setenv)\s+\w{0,40}(?:PASS|PASSWORD|PWD|SECRET|TOKEN|KEY)\s+|net user \w+ )"
            r"[\"']?(?P<value>[^\s\"'`]{4,})"
        ),
        _is_typed,
    ),
    Form(
        "password",
        ("pass", "pwd", "secret", "token"),
        re.compile(
            r"<(?:[\w-]{1,20}[:_-])?(?i:pass|passwd|password|pwd|secret|token|api-?key)>"
            r"(?P<value>[^<>\s]{4,200})</"
        ),
        _is_typed,
    ),
    Form(
        "password",
        ("@",),
        re.compile(
            r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\s?[/:|]\s{1,2}"
            r"(?P<value>[^\s\"'`]{8,80})"
        ),
        lambda value: is_mixed(value, stated=False) and value.lower() != value != value.upper(),
    ),
    Form(
        "wallet-key",
        (
            *("wallet", "metamask", "ledger", "private", "secret", "signing", "eth ", "ether"),
            "bitcoin",
        ),
        re.compile(
            r"(?i:wallet|metamask|ledger|\beth|bitcoin|(?:private|secret|signing)[ _-]?key)"
            r"[^\n]{0,60}?(?<!\w)(?P<value>(?:0x)?[0-9a-fA-F]{64})\b"
        ),
        bool,
    ),
    Form(
        "cookie",
        ("cookie", "sessionid=", "sessid=", "session=", "sid="),
        re.compile(r"(?<![\w.-])[\w.-]{1,60}=(?P<value>[^;,\s\"']{8,})"),
        _is_drawn,
    ),
)
"""Read where one of their hints stands."""


@cache
def _tokens() -> re.Pattern[str]:
    """One expression for all issuers; `lastgroup` names the kind where the prefix does not."""
    kinds = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TOKENS.items())
    prefixes = "|".join(map(re.escape, sorted(_kind_of_prefix(), key=len, reverse=True)))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{kinds}|(?P<prefix>{prefixes})(?P<drawn>{_DRAWN}))")


@cache
def _kind_of_prefix() -> dict[str, str]:
    return {prefix: kind for kind, prefixes in _PREFIXES.items() for prefix in prefixes.split()}


def _token_kind(token: re.Match[str]) -> str | None:
    """The kind of a token; None: only its prefix looks like one."""
    if token["prefix"] is None:
        return None if is_placeholder(token.group()) else str(token.lastgroup).replace("_", "-")
    return _kind_of_prefix()[token["prefix"]] if _is_drawn(token["drawn"]) else None


def tokens(line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each token and key in a line."""
    for token in _tokens().finditer(line):
        kind = _token_kind(token)
        if kind is not None:
            yield kind, *token.span()
    for found in _UNKNOWN_ISSUER.finditer(line):
        sure = _TELLING_PREFIX.search(found["prefix"]) is not None
        if any(map(str.isdigit, found["value"])) and is_random(found["value"], sure=sure):
            yield "token", *found.span()
    for found in _PRODUCT_KEY.finditer(line):
        yield "product-key", *found.span()


def numbers(line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each card and account number in a line."""
    for found in _CARD.finditer(line):
        digits = re.sub(r"\D", "", found.group())
        if len(digits) in (13, 14, 15, 16, 19) and _luhn(digits) and len(set(digits)) > 1:
            yield "card-number", *found.span()
    for found in _ACCOUNT.finditer(line):
        places = [at for at in range(*found.span()) if line[at].isalnum()]
        number = "".join(line[at] for at in places).upper()
        for length in range(len(places), 14, -1):
            end = places[length - 1] + 1
            if not line[end : end + 1].isalnum() and _mod_97(number[:length]):
                yield "bank-account", places[0], end
                break


def broken_number(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of both halves of a card or account number that is broken in two: the
    line of the second begins at `at`."""
    first = text.rfind("\n", 0, at - 1) + 1
    above, below = text[first:at].rstrip(), _REST_OF_NUMBER.match(text, at)
    if below is None or not above[-1:].isalnum():
        return
    begin, cut = below.start("rest"), len(above)
    for kind, start, end in numbers(f"{above} {below['rest']}"):
        halves = (cut - start, end - cut - 1)
        if min(halves) > 0 and max(halves) >= _LONGER_HALF:
            yield kind, first + start, first + cut
            yield kind, begin, begin + halves[1]


def heads() -> list[str]:
    """Beginnings of tokens, long enough to tell one that goes on after a break."""
    return [*(head for head in _kind_of_prefix() if len(head) >= _TELLING_HEAD), *_HEADS.split()]


def split_token(text: str, start: int) -> tuple[str, int, int] | None:
    """Kind, start and end of a token that begins there and was broken in two: by a mail program, a
    second message, a `+` of a program."""
    found = _SPLIT.match(text, start)
    if found is None or found["tail"].isdigit() or _WORD.match(found["tail"]):
        return None
    whole = _tokens().fullmatch(found["head"] + found["tail"])
    kind = _token_kind(whole) if whole is not None else None
    return (kind, *found.span()) if kind is not None else None


def key_blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of private keys that go over several lines."""
    if any(each in text for each in ("PRIVATE KEY", "Private-Lines", "OpenVPN Static key")):
        for pattern in (_KEY_BLOCK, _PUTTY_KEY):
            for block in pattern.finditer(text):
                yield "private-key", *block.span()


def _luhn(digits: str) -> bool:
    doubled = (int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _mod_97(account: str) -> bool:
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1
