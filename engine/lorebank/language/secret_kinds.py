"""What secrets look like by rule: keys and tokens by who issues them, numbers and words.

Every token here is made of at least twenty letters, digits, `_` or `-` in a row somewhere, so one
look for such a run tells whether a text is worth reading against the table.

A card and an account number carry a checksum (Luhn, ISO 7064 mod 97), so that an ordinary number of
the same length is mistaken for one in ten or one in ninety-seven cases; a PIN has none and counts
only behind its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lorebank.language.secret_values import is_random

_TOKENS = {
    "aws_key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "github_token": r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}",
    "gitlab_token": r"gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent|oas)-[\w-]{20,}",
    "slack_token": r"xox[abcdeoprs]-[A-Za-z0-9-]{18,}|xapp-\d-[A-Za-z0-9-]{18,}",
    "slack_webhook": r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_]{20,}",
    "stripe_key": r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{14,}|whsec_[A-Za-z0-9+/]{24,}={0,2}",
    "google_key": r"AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|1//0[\w-]{24,}",
    "anthropic_key": r"sk-ant-[\w-]{16,}",
    "openai_key": r"sk-(?:proj|svcacct|admin|or-v1|None)-[\w-]{16,}"
    r"|sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}(?![\w-])|sess-(?=[A-Za-z]*\d)[A-Za-z0-9]{36,}",
    "huggingface_token": r"(?:hf|api_org)_[A-Za-z0-9]{28,}",
    "npm_token": r"npm_[A-Za-z0-9]{30,}",
    "pypi_token": r"pypi-[\w-]{40,}",
    "sendgrid_key": r"SG\.[\w-]{16,}\.[\w-]{16,}",
    "twilio_key": r"SK[0-9a-f]{32}(?![0-9A-Za-z])",
    "telegram_token": r"\d{8,10}:[\w-]{35}(?![\w-])",
    "discord_token": r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}",
    "discord_webhook": r"discord(?:app)?\.com/api/webhooks/\d{16,20}/[\w-]{40,}",
    "jwt": r"eyJ[\w-]{8,}={0,2}\.[\w-]{8,}={0,2}\.[\w-]{6,}={0,2}",
    "digitalocean_token": r"do[opr]_v1_[a-f0-9]{32,}",
    "shopify_token": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "square_token": r"sq0[a-z]{3}-[\w-]{22,}|EAAA[\w-]{56,}",
    "mailgun_key": r"key-[0-9a-f]{32}(?![0-9a-f])",
    "mailchimp_key": r"[0-9a-f]{32}-us\d{1,2}(?!\w)",
    "linear_key": r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}",
    "notion_token": r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})(?!\w)",
    "airtable_token": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
    "groq_key": r"gsk_[A-Za-z0-9]{40,}",
    "xai_key": r"xai-[A-Za-z0-9]{40,}",
    "replicate_token": r"r8_[A-Za-z0-9]{30,}",
    "perplexity_key": r"pplx-[A-Za-z0-9]{32,}",
    "vault_token": r"hv[sbr]\.[\w-]{20,}",
    "doppler_token": r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{36,}",
    "grafana_token": r"gl(?:sa|c)_[\w+/=]{32,}",
    "databricks_token": r"dapi[a-f0-9]{32}(?![0-9a-f])",
    "planetscale_token": r"pscale_(?:tkn|oauth|pw)_[\w.-]{30,}",
    "postman_key": r"PMAK-[A-Za-z0-9-]{50,}",
    "sentry_token": r"sntry[su]_[\w+/=]{40,}",
    "supabase_key": r"sb(?:p|_secret|_publishable)_[\w-]{20,}",
    "figma_token": r"figd_[\w-]{36,}",
    "newrelic_key": r"NRAK-[A-Z0-9]{27}",
    "atlassian_token": r"ATATT3[\w=-]{60,}",
    "dropbox_token": r"sl\.(?:u\.)?[\w-]{100,}",
    "age_key": r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",
    "tailscale_key": r"tskey-[a-z]+-[\w-]{20,}",
    "rubygems_key": r"rubygems_[a-f0-9]{40,}",
    "terraform_token": r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}",
    "onepassword_token": r"ops_eyJ[\w-]{60,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6}(?:-[A-Z0-9]{5}){4}",
    "netlify_token": r"nfp_[A-Za-z0-9]{36,}",
    "heroku_key": r"HRKU-[\w-]{30,}",
    "fly_token": r"fm[12][ar]?_[\w+/=-]{40,}|fo1_[\w-]{40,}",
    "docker_token": r"dckr_(?:pat|oat)_[\w-]{20,}",
    "azure_key": r"(?<=AccountKey=)[A-Za-z0-9+/]{40,}={0,2}|[A-Za-z0-9_~.-]{3}8Q~[\w~.-]{34}",
    "signature": r"(?i:(?<=[?&]sig=)|(?<=[?&]x-amz-signature=)|(?<=[?&]signature=))[\w%+/=-]{20,}",
}


@cache
def token_pattern() -> re.Pattern[str]:
    """One expression for all of them; `lastgroup` names the kind that matched."""
    kinds = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TOKENS.items())
    return re.compile(rf"(?<![A-Za-z0-9])(?:{kinds})")


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
