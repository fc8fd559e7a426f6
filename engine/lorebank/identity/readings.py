"""Reading a name: its words, and what else it carries — form of address, legal form, Junior.

>>> read_name("Dr. Baker, Tom").tokens
('tom', 'baker')
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from lorebank.identity.lexicon import (
    LegalForm,
    compact,
    legal_forms,
    surnames,
    titles,
    words_of,
)
from lorebank.identity.scripts import is_han_or_hangul
from lorebank.language.folding import fold, slugify, strip_possessive

__all__ = ["Reading", "read_name", "split_full_name"]

_LINK = re.compile(r"\A\s*@?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_CHUNKS = re.compile(r"[^\s_\-\u2010-\u2015\u2212/\\:;!?\"“”„«»()\[\]{}<>*~|·・]+")
_PARTS = re.compile(r"\d+(?:[.,]\d+)*|\D+")
_CAMEL = re.compile(r"(?<=[^\W\dA-Z_])(?<!\AMc)(?=[A-Z])")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_LEADING_INITIALS = re.compile(r"((?:[^\W\d_]\.)+)([^\W\d_]{2}.*)")
_APOSTROPHES = str.maketrans("", "", "'’‘ʼ`´")
_LATIN_HONORIFIC = re.compile(r"(?<=\w)-(?:san|sama|kun|sensei)\Z", re.IGNORECASE)
_CJK_HONORIFIC = re.compile(
    r"(?<=\w)(?:(?P<f>女士|小姐)|さん|さま|様|氏|くん|ちゃん|先生|老师|老師|선생님|님|씨)\Z"
)
_CJK_LEGAL = (
    "股份有限公司 有限责任公司 有限責任公司 有限公司 株式会社 有限会社 合同会社 주식회사"
).split()
_BRACKETED_LEGAL = re.compile(r"[(（](株|有|주)[)）]")
_GENERATIONS = {"jr": "jr", "jnr": "jr", "junior": "jr", "sr": "sr", "snr": "sr", "senior": "sr"}
_AFTER_NAME = {"phd", "esq", "mba", "msc", "bsc", "obe", "mbe", "cbe", "dds", "cpa", "llm", "md"}
_SAFE_SHORT_FORMS = frozenset(
    "inc ltd llc llp plc srl pty pvt pte lda jsc kft zrt sro doo bhd tbk oyj ohg co ооо оао пао зао"
    " & co".split()
)
_SAFE_IN_HANDLES = frozenset("ag kg bv nv kk ug oy".split())
_ORGANISATION_ENDINGS = tuple(
    "大学 大學 银行 銀行 公司 集团 集團 会社 學院 学院 医院 醫院 病院 新聞 电视 電機 電力 電気 鉄道"
    " 駅 站 市 県 縣 区 區 町 村 都 府 省 島 山 川 寺 神社 城 屋 店 部 局 館 馆 大学校 병원 은행"
    " 대학교 전자 그룹".split()
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One name, taken apart."""

    name: str
    """Without `@`, brackets and shown text."""
    slug: str
    tokens: tuple[str, ...]
    """Folded words in order, given name first; without title, legal form and generation."""
    abbreviated: frozenset[str] = frozenset()
    """The tokens written with a dot, and runs of initials."""
    capitals: frozenset[str] = frozenset()
    """The tokens written all in capitals, or as letters with dots."""
    genders: frozenset[str] = frozenset()
    """What the titles before the name say: `m`, `f`, `-` for a title of either; empty: none."""
    legal: LegalForm | None = None
    generation: str = ""
    """`jr` or `sr`."""
    shown: str = ""
    """The slug of the text shown for a `[[link|text]]`."""
    branded: bool = False
    """True where the possessive ending is part of a brand: `McDonald's`."""

    @property
    def joined(self) -> str:
        """The tokens without spaces: equal for names that differ only in separators."""
        return "".join(self.tokens)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The tokens that are figures or versions, in order."""
        return tuple(token for token in self.tokens if token[0].isdigit())

    @property
    def full(self) -> bool:
        """Whether it can be a whole name of a person: two words, or surname and given name."""
        words = [token for token in self.tokens if not token[0].isdigit() and len(token) > 1]
        return len(words) > 1 or (len(words) == 1 and split_full_name(words[0]) is not None)


@dataclass(slots=True)
class _Draft:
    """The words of a name while its outer parts are being taken off."""

    raw: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    dotted: list[bool] = field(default_factory=list)

    def add(self, raw: str, *, dotted: bool = False) -> None:
        folded = fold(raw).translate(_APOSTROPHES).strip(".,")
        if folded:
            self.raw.append(raw.strip(".,"))
            self.tokens.append(folded)
            self.dotted.append(dotted)

    def drop(self, start: int, stop: int) -> None:
        del self.raw[start:stop], self.tokens[start:stop], self.dotted[start:stop]


@lru_cache(maxsize=4096)
def read_name(written: str) -> Reading:
    """Take a name apart; never fails, and leaves no token where nothing is a word."""
    name, shown = _unwrap(written)
    text = name if name.isascii() else unicodedata.normalize("NFKC", name)
    bare, branded = _without_possessive(text)
    bare, genders = _without_suffix_title(bare)
    draft = _split(_given_name_first(bare))
    genders |= _take_titles(draft)
    generation = _take_endings(draft)
    legal = _take_legal_form(draft)
    _join_initials(draft)
    return Reading(
        name=name,
        slug=slugify(name),
        tokens=tuple(draft.tokens),
        abbreviated=frozenset(t for t, dot in zip(draft.tokens, draft.dotted, strict=True) if dot),
        capitals=frozenset(t for t, raw in zip(draft.tokens, draft.raw, strict=True) if raw.isupper()),
        genders=frozenset(genders),
        legal=legal,
        generation=generation,
        shown=slugify(shown),
        branded=branded,
    )


def split_full_name(token: str) -> tuple[str, str] | None:
    """Surname and given name of a full name in Han or Hangul; `None` for anything else.

    >>> split_full_name("田中太郎")
    ('田中', '太郎')
    """
    if not 2 <= len(token) <= 6 or not is_han_or_hangul(token):
        return None
    if token.endswith(_ORGANISATION_ENDINGS):
        return None
    known = surnames()
    if token in known:
        return None
    for length in (3, 2, 1):
        surname, given = token[:length], token[length:]
        if given and len(given) <= 3 and surname in known:
            return surname, given
    return None


def _unwrap(written: str) -> tuple[str, str]:
    link = _LINK.match(written)
    if link is not None:
        return link[1].strip(), (link[2] or "").strip()
    return written.strip().removeprefix("@").strip(), ""


def _without_possessive(text: str) -> tuple[str, bool]:
    bare = strip_possessive(text)
    if bare is text or bare == text:
        return text, False
    if compact(bare) in words_of("brands"):
        return text, True
    return bare, False


def _without_suffix_title(text: str) -> tuple[str, set[str]]:
    if text.isascii():
        bare = _LATIN_HONORIFIC.sub("", text)
        return bare, ({"-"} if bare != text else set())
    found = _CJK_HONORIFIC.search(text)
    if found is None:
        return text, set()
    return text[: found.start()], {"f" if found["f"] else "-"}


def _given_name_first(text: str) -> str:
    """`Baker, Tom` → `Tom Baker`; what follows a second comma, or is no name, stays last."""
    if "," not in text:
        return text
    parts = [part.strip() for part in re.split(r",(?!\d)", text) if part.strip()]
    endings: list[str] = []
    while len(parts) > 1 and _is_ending(parts[-1]):
        endings.insert(0, parts.pop())
    if len(parts) == 2:
        titled, surname = _cut_title(parts[0])
        parts = [*titled, parts[1], surname]
    return " ".join(parts + endings)


def _cut_title(part: str) -> tuple[list[str], str]:
    words = part.split()
    count = 0
    while count < len(words) - 1 and fold(words[count]).rstrip(".") in titles():
        count += 1
    return words[:count], " ".join(words[count:])


def _is_ending(part: str) -> bool:
    plain = fold(part).replace(".", "").strip()
    return plain in _GENERATIONS or plain in _AFTER_NAME or tuple(plain.split()) in legal_forms()


def _split(text: str) -> _Draft:
    draft = _Draft()
    text = _BRACKETED_LEGAL.sub(r" \1 ", text)
    chunks = _CHUNKS.findall(text)
    for chunk in chunks:
        chunk = chunk.strip(",")
        if "." in chunk:
            glued = _LEADING_INITIALS.fullmatch(chunk)
            if glued is not None:
                draft.add(glued[1].replace(".", ""), dotted=True)
                chunk = glued[2]
            elif _INITIALS.fullmatch(chunk):
                draft.add(chunk.replace(".", ""), dotted=True)
                continue
        dotted = chunk.endswith(".")
        pieces = _CAMEL.split(chunk) if len(chunks) == 1 else [chunk]
        for piece in pieces:
            for part in _PARTS.findall(piece):
                draft.add(part, dotted=dotted)
    return draft


def _take_titles(draft: _Draft) -> set[str]:
    found: set[str] = set()
    known = titles()
    while len(draft.tokens) > 1:
        hyphened = "-".join(draft.tokens[:2])
        if hyphened in known and len(draft.tokens) > 2:
            found.add(known[hyphened])
            draft.drop(0, 2)
            continue
        kind = known.get(draft.tokens[0])
        if kind is None and draft.dotted[0]:
            kind = known.get(draft.tokens[0] + ".")
        shouted = draft.raw[0].isupper() and not draft.dotted[0] and not "".join(draft.raw).isupper()
        if kind is None or shouted:
            break
        found.add(kind)
        draft.drop(0, 1)
    return found


def _take_endings(draft: _Draft) -> str:
    generation = ""
    while len(draft.tokens) > 2:
        last = draft.tokens[-1].replace(".", "")
        if last in _GENERATIONS:
            generation = _GENERATIONS[last]
        elif last not in _AFTER_NAME or (last == "md" and not draft.dotted[-1]):
            break
        draft.drop(-1, len(draft.tokens))
    return generation


def _take_legal_form(draft: _Draft) -> LegalForm | None:
    known = legal_forms()
    form = _cut_glued_form(draft)
    if form is not None:
        return form
    count = len(draft.tokens)
    for length in range(min(6, count - 1), 0, -1):
        form = known.get(_form_key(draft, count - length, count))
        if form is not None and not form.leading and _counts(draft, form, length):
            draft.drop(count - length, count)
            return form
    for length in range(min(2, count - 1), 0, -1):
        form = known.get(tuple(draft.tokens[:length]))
        if form is not None and (form.leading or not form.written.isascii()):
            if form.leading and draft.raw[0] != form.written:
                continue
            draft.drop(0, length)
            return form
    return None


def _form_key(draft: _Draft, start: int, stop: int) -> tuple[str, ...]:
    """The last tokens; the letters of `S. A.` and `A/S` joined."""
    tokens = draft.tokens[start:stop]
    letters = len(tokens) > 1 and all(len(token) == 1 for token in tokens)
    if letters and (all(draft.dotted[start:stop]) or draft.raw[start:stop] == ["A", "S"]):
        return ("".join(tokens),)
    return tuple(tokens)


def _counts(draft: _Draft, form: LegalForm, length: int) -> bool:
    stem = draft.tokens[: len(draft.tokens) - length]
    if all(token in words_of("articles") or token[0].isdigit() for token in stem):
        return False
    folded = fold(form.written)
    if " " in folded or len(folded) > 3 or folded in _SAFE_SHORT_FORMS:
        return True
    if draft.dotted[-1] or length > 1 or draft.raw[-1] == form.written:
        return True
    return folded in _SAFE_IN_HANDLES and "".join(draft.raw).islower()


def _cut_glued_form(draft: _Draft) -> LegalForm | None:
    if not draft.tokens or draft.tokens[0].isascii():
        return None
    for form in _CJK_LEGAL:
        for place, token in ((-1, draft.tokens[-1]), (0, draft.tokens[0])):
            if len(token) <= len(form):
                continue
            if place == -1 and token.endswith(form):
                draft.tokens[-1] = token.removesuffix(form)
            elif place == 0 and token.startswith(form):
                draft.tokens[0] = token.removeprefix(form)
            else:
                continue
            return legal_forms()[(form,)]
    return None


def _join_initials(draft: _Draft) -> None:
    """`J. R. R. Tolkien`, `J.R.R. Tolkien` and `JRR Tolkien` have the same tokens."""
    index = 0
    while index + 1 < len(draft.tokens):
        pair = draft.tokens[index : index + 2]
        run = draft.dotted[index] or len(pair[0]) == 1
        if run and pair[0].isalpha() and pair[1].isalpha() and _initial_pair(draft, index):
            draft.raw[index] += draft.raw[index + 1]
            draft.tokens[index] += pair[1]
            draft.dotted[index] = True
            draft.drop(index + 1, index + 2)
        else:
            index += 1


def _initial_pair(draft: _Draft, index: int) -> bool:
    first, second = draft.tokens[index], draft.tokens[index + 1]
    after_figure = index > 0 and draft.tokens[index - 1][0].isdigit()
    capitals = draft.raw[index].isupper() or draft.raw[index].islower()
    return len(second) == 1 and not after_figure and (len(first) == 1 or capitals)
