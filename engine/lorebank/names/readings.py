"""Reading a name: its words, and what else it carries: form of address, legal form, Junior.

>>> read_name("Dr. Baker, Tom").tokens
('tom', 'baker')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from lorebank.language.folding import fold, slugify, strip_possessive
from lorebank.names import lexicon
from lorebank.names.lexicon import LegalForm
from lorebank.records import Record

_APOSTROPHES = str.maketrans("\u00b4`", "''")
"""Accents typed for an apostrophe; NFKC would make a blank and a mark of the first."""
_ADDRESS = re.compile(r"([^\s@]+)@[\w-]+(?:\.[\w-]+)+")
_DOTTED_NAME = re.compile(r"([^\W\d_]{2,})\.([^\W\d_]{3,})")
_LINK = re.compile(r"\A\s*@?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")


class Reading(Record):
    """One name, taken apart."""

    written: str
    """As it was given."""
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
    address: bool = False
    """True for a mail address; the tokens are those before the `@`."""

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


@lru_cache(maxsize=65536)
def read_name(written: str) -> Reading:
    """Take a name apart; never fails, and leaves no token where nothing is a word."""
    name, shown = _unwrap(written)
    text = unicodedata.normalize("NFKC", name.translate(_APOSTROPHES))
    address = _ADDRESS.fullmatch(text)
    text = _without_dot(text if address is None else address[1])
    bare, genders = without_title_behind(without_possessive(text))
    words = split_words(given_name_first(bare))
    genders |= take_titles(words)
    generation = take_endings(words)
    legal = take_legal_form(words)
    join_initials(words)
    return Reading(
        written=written,
        name=name,
        slug=slugify(name),
        tokens=tuple(word.token for word in words),
        abbreviated=frozenset(word.token for word in words if word.dotted),
        capitals=frozenset(word.token for word in words if word.raw.isupper()),
        genders=genders,
        legal=legal,
        generation=generation,
        shown=slugify(shown),
        address=address is not None,
    )


def split_full_name(token: str) -> tuple[str, str] | None:
    """Surname and given name of a full name in Han or Hangul; `None` for anything else.

    >>> split_full_name("田中太郎")
    ('田中', '太郎')
    """
    if not 2 <= len(token) <= 6 or not lexicon.is_han_or_hangul(token):
        return None
    if token.endswith(lexicon.word_list("organisation-endings")):
        return None
    known = lexicon.surnames()
    if token in known:
        return None
    for length in (3, 2, 1):
        surname, given = token[:length], token[length:]
        if given and len(given) <= 3 and surname in known:
            return surname, given
    return None


def _without_dot(text: str) -> str:
    """`hanna.vogel` → `hanna vogel`: a handle, if it begins with a given name."""
    parts = _DOTTED_NAME.fullmatch(text)
    if parts is None or lexicon.compact(parts[1]) not in lexicon.given_names():
        return text
    return f"{parts[1]} {parts[2]}"


def _unwrap(written: str) -> tuple[str, str]:
    link = _LINK.match(written)
    if link is not None:
        return link[1].strip(), (link[2] or "").strip()
    return written.strip().removeprefix("@").strip(), ""


_LATIN_TITLE_BEHIND = re.compile(r"(?<=\w)-(?:san|sama|kun|sensei)\Z", re.IGNORECASE)
_CJK_TITLE_BEHIND = re.compile(
    r"(?<=\w)\s?(?:(?P<f>女士|小姐)"
    r"|さん|さま|様|氏|くん|ちゃん|先生|老师|老師"
    r"|(?<=\w{3})(?:教授|博士|社長|部長|課長|係長|主任|总|經理|经理|校长|院长|主席|总裁|工程师)"
    r"|(?:교수|박사|선생|사장|부장|과장|대리|팀장|대표|원장)님|님|씨)\Z"
)
_COMMA = re.compile(r",(?!\d)")
_LONGEST_FORM = 6  # words; the longest in `tables/legal_forms.txt` has five


def without_possessive(text: str) -> str:
    """The name without `'s`; a brand keeps it (`McDonald's`)."""
    bare = strip_possessive(text)
    return text if lexicon.compact(bare) in lexicon.words_of("brands") else bare


def without_title_behind(text: str) -> tuple[str, frozenset[str]]:
    """The name without `-san`, `さん`, `님`, and what `Reading.genders` says of it."""
    pattern = _LATIN_TITLE_BEHIND if text.isascii() else _CJK_TITLE_BEHIND
    found = pattern.search(text)
    if found is None:
        return text, frozenset()
    female = found.groupdict().get("f")
    return text[: found.start()], frozenset("f" if female else "-")


def given_name_first(text: str) -> str:
    """`Baker, Tom` → `Tom Baker`; degrees, Junior and legal form behind a comma stay last."""
    if "," not in text:
        return text
    parts = [part.strip() for part in _COMMA.split(text) if part.strip()]
    endings: list[str] = []
    while len(parts) > 1 and _is_ending(parts[-1]):
        endings.insert(0, parts.pop())
    if len(parts) == 2:
        words = parts[0].split()
        count = 0
        while count < len(words) - 1 and fold(words[count]).rstrip(".") in lexicon.titles():
            count += 1
        parts = [*words[:count], parts[1], *words[count:]]
    return " ".join(parts + endings)


class Word(NamedTuple):
    """A word of a name: as written, folded, and whether it had a dot."""

    raw: str
    token: str
    dotted: bool


def take_titles(words: list[Word]) -> frozenset[str]:
    """Remove forms of address from the front; what they say of the sex."""
    found: set[str] = set()
    while len(words) > 1:
        length, kind = _title_at_front(words)
        if not kind:
            break
        found.add(kind)
        del words[:length]
    return frozenset(found)


def take_endings(words: list[Word]) -> str:
    """Remove degrees and `Jr.` from the end; `jr`, `sr` or nothing."""
    generation, generations = "", lexicon.word_pairs("generations")
    while len(words) > 2:
        last = words[-1].token.replace(".", "")
        if last in generations:
            generation = generations[last]
        elif last not in lexicon.words_of("after-name") or (last == "md" and not words[-1].dotted):
            break
        del words[-1]
    return generation


def take_legal_form(words: list[Word]) -> LegalForm | None:
    """Remove a firm's legal form from its end or front; of two (`PT Acme Tbk`) the first counts."""
    behind = _cut_glued_form(words) or _take_form(words, _is_form_behind, behind=True)
    return _take_form(words, _is_form_before, behind=False) or behind


def _is_ending(part: str) -> bool:
    plain = fold(part).replace(".", "").strip()
    if plain in lexicon.word_pairs("generations") or plain in lexicon.words_of("after-name"):
        return True
    return tuple(plain.split()) in lexicon.legal_forms()


def _title_at_front(words: list[Word]) -> tuple[int, str]:
    """How many words the title has, and its kind; a word in capitals (`DR Congo`) is none."""
    known = lexicon.titles()
    first, second = words[:2]
    hyphened = f"{first.token}-{second.token}"
    if hyphened in known and len(words) > 2:
        return 2, known[hyphened]
    kind = known.get(first.token) or (known.get(f"{first.token}.", "") if first.dotted else "")
    shouted = first.raw.isupper() and not "".join(word.raw for word in words).isupper()
    if not kind and len(words) > 2 and second.token in lexicon.given_names():
        kind = lexicon.word_pairs("full-name-titles").get(first.token, "")
    return (1, kind) if first.dotted or not shouted else (1, "")


def _take_form(
    words: list[Word], counts: Callable[[list[Word], list[Word], LegalForm], bool], *, behind: bool
) -> LegalForm | None:
    """Remove the longest form from one end, where the words are that form there."""
    for length in range(min(_LONGEST_FORM, len(words) - 1), 0, -1):
        cut = len(words) - length if behind else length
        before, after = words[:cut], words[cut:]
        part, stem = (after, before) if behind else (before, after)
        form = lexicon.legal_forms().get(
            _form_key(part) if behind else tuple(w.token for w in part)
        )
        if form is not None and counts(part, stem, form):
            words[:] = stem
            return form
    return None


def _form_key(part: list[Word]) -> tuple[str, ...]:
    """The last tokens; the letters of `S. A.` and `A/S` joined."""
    tokens = tuple(word.token for word in part)
    letters = len(tokens) > 1 and all(len(token) == 1 for token in tokens)
    if letters and (all(w.dotted for w in part) or [w.raw for w in part] == ["A", "S"]):
        return ("".join(tokens),)
    return tokens


def _is_form_behind(part: list[Word], stem: list[Word], form: LegalForm) -> bool:
    """Whether the words are that form here: `Acme AG` is a firm, `Bali Spa` is not."""
    folded = fold(form.written)
    tokens = [word.token for word in stem]
    if form.leading or all(t in lexicon.words_of("articles") or t[0].isdigit() for t in tokens):
        return False  # The Limited, 24 Inc
    if len(folded) == 2 and tokens[-1] in lexicon.words_of("designators"):
        return False
    if part[-1].dotted or len(part) > 1 or part[-1].raw == form.written.strip("()"):
        return True
    is_handle = "".join(word.raw for word in stem + part).islower()
    return folded in lexicon.words_of("legal-safe-in-handles") and is_handle


def _is_form_before(part: list[Word], _stem: list[Word], form: LegalForm) -> bool:
    if not (form.leading or form.either):
        return not form.written.isascii()
    return len(part) > 1 or part[0].raw == form.written


def _cut_glued_form(words: list[Word]) -> LegalForm | None:
    if not words or (words[-1].token.isascii() and words[0].token.isascii()):
        return None
    for form in lexicon.word_list("legal-glued"):
        for place, cut in ((-1, str.removesuffix), (0, str.removeprefix)):
            stem = cut(words[place].token, form)
            if stem and stem != words[place].token:
                words[place] = words[place]._replace(token=stem)
                return lexicon.legal_forms()[(form,)]
    return None


_CHUNKS = re.compile(r"[^\s_\-\u2010-\u2015\u2212/\\:;!?\"“”„«»()\[\]{}<>*~|·・]+")
_PARTS = re.compile(r"\d+(?:[.,]\d+)*|\D+")
_CAMEL = re.compile(r"(?<=[^\W\dA-Z_])(?<!\AMc)(?=[A-Z])")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_AMPERSAND = re.compile(r"(?<=\w)&(?=\w)")
_DROPPED_APOSTROPHES = str.maketrans("", "", "'’‘ʼ`´")
_GLUED_INITIALS = re.compile(r"(?<!\w)((?:[^\W\d_]\.)+)(?=[^\W\d_]{2})")
_BRACKETED_LEGAL = re.compile(r"[(（](株|有|주)[)）]")


def split_words(text: str) -> list[Word]:
    """Cut at separators, figures and, in a single word, `camelCase`; no punctuation alone."""
    text = _AMPERSAND.sub(" & ", _BRACKETED_LEGAL.sub(r" \1 ", text))
    text = _GLUED_INITIALS.sub(r"\1 ", text)  # J.R.R.Tolkien
    chunks = [chunk.strip(",") for chunk in _CHUNKS.findall(text)]
    words: list[Word] = []

    def add(raw: str, *, dotted: bool) -> None:
        token = fold(raw).translate(_DROPPED_APOSTROPHES).strip(".,")
        if any(char.isalnum() or char in "+#&" for char in token):
            words.append(Word(raw.strip(".,"), token, dotted))

    for chunk in chunks:
        if _INITIALS.fullmatch(chunk):
            add(chunk.replace(".", ""), dotted=True)
            continue
        for piece in _CAMEL.split(chunk) if len(chunks) == 1 else [chunk]:
            for part in _PARTS.findall(piece):
                add(part, dotted=chunk.endswith("."))
    return words


def join_initials(words: list[Word]) -> None:
    """Make one word of a run of initials: `J. R. R.`, `J.R.R.` and `JRR` become the same."""
    at = 0
    while at + 1 < len(words):
        one, other = words[at : at + 2]
        if _are_initials(one, other) and not (at and words[at - 1].token[0].isdigit()):
            words[at : at + 2] = [Word(one.raw + other.raw, one.token + other.token, True)]
        else:
            at += 1


def _are_initials(first: Word, second: Word) -> bool:
    if len(second.token) != 1 or not first.token.isalpha() or not second.token.isalpha():
        return False
    one_case = first.raw.isupper() or first.raw.islower()
    return len(first.token) == 1 or (first.dotted and one_case)
