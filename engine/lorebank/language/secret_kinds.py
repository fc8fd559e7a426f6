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
from itertools import zip_longest

from lorebank.language.secret_values import is_random
from lorebank.language.words import stop_words

_TOKENS = {
    "aws_key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"(?:[\s,;:|]{1,3}[A-Za-z0-9/+]{40}(?![\w/+]))?",  # its secret beside it
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
    "mapbox_token": r"[sp]k\.eyJ[\w-]{20,}\.[\w-]{10,}",
    "facebook_token": r"EAA[A-Za-z0-9]{60,}",
    "bitbucket_token": r"ATBB[A-Za-z0-9]{24,}",
    "password_hash": r"(?<=\$)(?:2[aby]\$\d\d|apr1|[156]|argon2id?|scrypt)\$[\w./$=,+-]{20,}",
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
_CARD = re.compile(r"(?<![\w.,-])[2-6]\d{3}(?:[ \xa0-]?\d){8,15}(?![\w-]|[.,]\d)")
_ACCOUNT = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2}\d{2}(?:[ \xa0-]?[A-Z0-9]){11,30}"
    r"|[a-z]{2}\d{2}(?:[ \xa0-]?(?:[a-z]{4}|\d{4})){2,7}(?: ?\d{1,3})?)(?![A-Za-z0-9])"
)
_LOCKED = (
    r"(?:front |back |bike |suitcase )?(?:door|lock|padlock)|gate|alarm|entry|entrance|access|safe"
    r"|vault|locker|lock ?box|garage|key ?pad|key ?box|security|building|unlock|screen|phone|tablet"
    r"|(?:bank|debit|credit|sim|cash)? ?card|\w{0,12}(?:tür|schloss|karte|deur|slot|kluis|poort)"
    r"|tor|tresor|zugang|eingang|schließfach|handy|koffer|portes?|portail|alarme|coffre|carte"
    r"|cadenas|téléphone|immeuble|puerta|alarma|caja|portón|tarjeta|móvil|candado|porta|allarme"
    r"|cancello|cassaforte|carta|bancomat|lucchetto|telefono|portão|cofre|cartão|garag[em]m?|cadeado"
    r"|toegang|pas|fiets|kapı|kasa|kart|telefon|kilit|apartman|bina|garaj|gebouw|gebäude|edif[ií]cio"
    r"|prédio|portone|valise|valigia|maleta|bavul|portail|giriş"
)
_CODE_WORD = (
    r"(?:secret |numeric |zahlen)?(?:codes?|combo|combination|kombination|códigos?|codigo|codice)"
    r"|combinación|combinaison|combinazione|combinação|combinatie|kombinasyonu|clave|senha|pass(?:word"
    r"|wort)|contraseña|mot de passe|wachtwoord|kodu|şifresi|pin(?:code)?"
)
_CODE_NAMES = (
    r"(?:SIM[ -]?)?PIN(?:[ -]?(?:code|kodu|number|nummer|Nr\.?))?|PUK|(?i:CVV2?|CVC2?)"
    r"|TAN|(?i:pin(?=:?\s(?!(?:19|20)\d\d\b)\d{4,6}(?!\d))|geheimzahl|passcode|pin[ -]?code"
    r"|digicode|(?:código|codigo|codice|code) (?:pin|secret[oa]?|d['’]accès|d['’]entrée|de acceso"
    r"|di accesso)"
    rf"|(?:{_LOCKED})\w{{0,3}}(?:[ -]?|: (?:\w{{2,5}} )?)(?:{_CODE_WORD}|number)"
    rf"|(?:{_CODE_WORD})\s(?:[^\W\d]+['’\s]){{0,4}}?(?:{_LOCKED})|(?:key|lock)[ -]?(?:safe|box)"
    r"|(?:(?:unlock|open)s? with|entsperrt mit|s['’]ouvre avec|se abre con|si apre con|abre com)"
    r"(?=(?-i:[ \dA-Z#-]{4,16})(?:[,;.)!]|\Z)))"
)
_JOINED = (
    r"[^\n\d:=]{0,60}?\s*(?:[:=]|->|→|['’]s\b|\be['’](?=\s)|\b(?:is|are|now|jetzt|ist|sind"
    r"|lautet|es|est|sont|è|é|são)\b|\b(?:to|auf|naar|su)\b(?! (?:19|20)\d\d\b))"
)
_CODE_NAME = re.compile(
    rf"(?<!\w)(?:(?P<sure>{_CODE_NAMES})|(?i:combination|pin))(?:['’]\w{{1,3}})?(?!\w)"
)
_PLATE = r"(?=[A-Z]?\d+[A-Z]|[A-Z]\d)(?=[A-Z\d]{4,8}#?(?!\w))(?:[A-Z]?\d+){1,3}[A-Z]?#?"
"""Digits with single capitals between, as a keypad of a door has them: `5531C`, `C3Z7`."""
_CODE_VALUE = (
    rf"\s*[\"'`*]{{0,2}}(?P<value>{_PLATE}|\d{{3,8}}#?|\d{{1,2}}(?:[ -]{{1,3}}\d{{1,2}}){{2,5}})"
    r"(?![\d.,/-]*\d|\s?(?:%|€|\$|mm|cm|km|kg|V|mA|pins?\b))"
)
_CODE_JOINED = re.compile(_JOINED + _CODE_VALUE)
_CODE_BESIDE = re.compile(
    rf"{_CODE_VALUE}|(?:\s[^\W\d][\w'’-]{{0,30}}){{1,2}}\s(?!(?:19|20)\d\d\b)"
    rf"(?P<last>{_PLATE}|\d{{4,8}}#?)(?=\s*(?:[,;)!]|\.?\s*\Z))"
)
"""Right behind its name, or with what it opens between, at the end of a clause."""
_IS = r"\s(?:is|was|ist|es|est|è|é)\s(?:[^\W\d]+['’\s]){0,4}?"
_CODE_BEFORE = re.compile(rf"(?<![\w.,/-])(?P<value>\d{{4,8}}#?){_IS}(?:{_CODE_NAMES})(?!\w)")
"""The other way round: `4917 is the PIN of the card`."""
_SPARE_CODE = re.compile(
    r"(?i:(?:backup|recovery|rescue|verification|2fa|mfa|one[ -]time|otp|login|sms|scratch"
    r"|bestätigungs|wiederherstellungs|ersatz|herstel|verificatie|kurtarma|doğrulama)[ -]?(?:codes?"
    r"|kod\w*)|(?:codes?|códigos?|codic[ei]) (?:de |di )?(?:secours|vérification|récupération"
    r"|respaldo|verificación|recuperación|recuperação|verificação|backup|recupero|verifica))"
    rf"(?:{_JOINED})?\s*"
)
_SPARE = re.compile(
    r"[\s,;]*(?P<value>\d{4}[ -]\d{4}|\d{5,10}|[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8})+)"
)
"""One of the codes behind such a name."""
_PRODUCT_KEY = re.compile(r"(?<![\w-])[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4}(?![\w-])")
_WALLET = re.compile(
    r"(?<![A-Za-z0-9])(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}|6P[1-9A-HJ-NP-Za-km-z]{56}|[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,108}"
    r"|nsec1[a-z0-9]{58}|S[A-Z2-7]{55}|edsk[1-9A-HJ-NP-Za-km-z]{50,94}|suiprivkey1[a-z0-9]{50,70})"
    r"(?![A-Za-z0-9])"
)
_HEX_KEY = re.compile(
    r"(?i:(?:private|secret|signing)[ _-]?key|wallet|metamask|ledger)[^\n]{0,60}?\W"
    r"(?P<value>(?:0x)?[0-9a-fA-F]{64})\b"
)
_SEED_NAME = re.compile(
    r"(?i)\b(?:seed|mnemonic|recovery (?:phrase|words)|wallet|ledger|trezor"
    r"|(?:backup|secret) phrase|(?:twelve|twenty[- ]four|12|24)[ -]words?|wiederherstellung\w*"
    r"|(?:zwölf|12|24) wörter"
    r"|(?:frase|palabras|palavras|parole|phrase|mots) (?:semilla|de recu\w+|di recu\w+|de récu\w+"
    r"|secr\w+)|(?:12|24|doce|douze|dodici|doze|twaalf) (?:palabras|mots|parole|palavras|woorden)"
    r"|herstel(?:zin|woorden)|kurtarma|cüzdan\w*|monedero|billetera|carteira|portefeuille"
    r"|portafogli\w*)\b"
)
_SEED_BEGINS = re.compile(r"[:=\n.,]|\b(?:are|is|sind|ist|lauten|son|sont|sono|são|zijn)\b")
_SEED_WORD = re.compile(
    r"[\s,>*\"'`/;|·–—-]{0,6}(?:\d{1,2}[.):]?\s?)?(?P<word>[a-zà-ÿ]{3,8})(?![\w'’])"
)
_SEED_LENGTHS = (12, 25)
"""Fewest and most words of a seed phrase, by BIP 39 and Monero's list."""
_NEAR_SEED = 80
"""Characters behind its name in which a seed phrase begins: a clause."""
_COMMON_IN_SEED = 0.3
"""BIP 39 lists `about` and `that` as well; of a sentence, more words are stop words."""
_COOKIE = re.compile(r"(?i:\b(?:set-)?cookie)\b[\"']?\s*[:=]\s*(?P<value>[^\n\"']+)")
_COOKIE_VALUE = re.compile(r"(?P<name>[\w.-]+)=(?P<value>[^;,\s]{8,})")


def secret_numbers(line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each in a line."""
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
    names = list(_CODE_NAME.finditer(line))
    for name, following in zip_longest(names, names[1:]):
        end = following.start() if following else len(line)
        value = _CODE_JOINED.match(line, name.end(), end)
        if value is None and name["sure"]:
            value = _CODE_BESIDE.match(line, name.end(), end)
        if value is not None:
            yield "pin", *value.span(value.lastgroup or 0)
    for found in _CODE_BEFORE.finditer(line):
        yield "pin", *found.span("value")
    for name in _SPARE_CODE.finditer(line):
        end = name.end()
        while (code := _SPARE.match(line, end)) and any(map(str.isdigit, code["value"])):
            yield "pin", *code.span("value")
            end = code.end()
    for found in _PRODUCT_KEY.finditer(line):
        if any(map(str.isdigit, found.group())) and any(map(str.isalpha, found.group())):
            yield "product-key", *found.span()
    for found in _WALLET.finditer(line):
        yield "wallet-key", *found.span()
    for found in _HEX_KEY.finditer(line):
        yield "wallet-key", *found.span("value")
    for found in _COOKIE.finditer(line):
        for cookie in _COOKIE_VALUE.finditer(line, *found.span("value")):
            if is_random(cookie["value"], sure=True):
                yield "cookie", *cookie.span("value")


def seed_phrases(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of the words behind the name of a seed phrase, on one line or one a line,
    numbered or not."""
    tried = 0  # no run of words begins within another
    for name in _SEED_NAME.finditer(text):
        start = max(name.end(), tried)
        for begin in _SEED_BEGINS.finditer(text, start, name.end() + _NEAR_SEED):
            if begin.end() < tried:
                continue
            words: list[re.Match[str]] = []
            tried = begin.end()
            while len(words) < _SEED_LENGTHS[-1] and (found := _SEED_WORD.match(text, tried)):
                words.append(found)
                tried = found.end()
            common = sum(word["word"] in stop_words() for word in words)
            if len(words) >= _SEED_LENGTHS[0] and common <= len(words) * _COMMON_IN_SEED:
                yield words[0].start("word"), tried
                break


def _luhn(digits: str) -> bool:
    doubled = (int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _mod_97(account: str) -> bool:
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1
