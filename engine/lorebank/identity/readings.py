"""Reading a name: its words, and what else it carries — form of address, legal form, Junior.

>>> read_name("Dr. Baker, Tom").tokens
('tom', 'baker')
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from lorebank.identity.affixes import (
    given_name_first,
    take_endings,
    take_legal_form,
    take_titles,
    without_possessive,
    without_title_behind,
)
from lorebank.identity.draft import join_initials, split_words
from lorebank.identity.lexicon import (
    LegalForm,
    compact,
    given_names,
    surnames,
    word_list,
    words_of,
)
from lorebank.identity.scripts import is_han_or_hangul
from lorebank.language.folding import fold, slugify
from lorebank.records import dataclass

_APOSTROPHES = str.maketrans("\u00b4`", "''")
"""Accents typed for an apostrophe; NFKC would make a blank and a mark of the first."""
_ADDRESS = re.compile(r"([^\s@]+)@[\w-]+(?:\.[\w-]+)+")
_DOTTED_NAME = re.compile(r"([^\W\d_]{2,})\.([^\W\d_]{3,})")
_LINK = re.compile(r"\A\s*@?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")


@dataclass(frozen=True, slots=True)
class Reading:
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
    branded: bool = False
    """True where the possessive ending is part of a brand: `McDonald's`."""
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
        if any(word in words_of("generic") for word in words):
            return False
        return len(words) > 1 or (len(words) == 1 and split_full_name(words[0]) is not None)


@lru_cache(maxsize=65536)
def read_name(written: str) -> Reading:
    """Take a name apart; never fails, and leaves no token where nothing is a word."""
    name, shown = _unwrap(written)
    text = unicodedata.normalize("NFKC", name.translate(_APOSTROPHES))
    address = _ADDRESS.fullmatch(text)
    text = _without_dot(text if address is None else address[1])
    bare, branded = without_possessive(text)
    bare, genders = without_title_behind(bare)
    draft = split_words(given_name_first(bare))
    genders |= take_titles(draft)
    generation = take_endings(draft)
    legal = take_legal_form(draft)
    join_initials(draft)
    words = list(zip(draft.tokens, draft.raw, draft.dotted, strict=True))
    return Reading(
        written=written,
        name=name,
        slug=slugify(name),
        tokens=tuple(draft.tokens),
        abbreviated=frozenset(token for token, _, dotted in words if dotted),
        capitals=frozenset(token for token, raw, _ in words if raw.isupper()),
        genders=genders,
        legal=legal,
        generation=generation,
        shown=slugify(shown),
        branded=branded,
        address=address is not None,
    )


def split_full_name(token: str) -> tuple[str, str] | None:
    """Surname and given name of a full name in Han or Hangul; `None` for anything else.

    >>> split_full_name("田中太郎")
    ('田中', '太郎')
    """
    if not 2 <= len(token) <= 6 or not is_han_or_hangul(token):
        return None
    if token.endswith(word_list("organisation-endings")):
        return None
    known = surnames()
    if token in known:
        return None
    for length in (3, 2, 1):
        surname, given = token[:length], token[length:]
        if given and len(given) <= 3 and surname in known:
            return surname, given
    return None


def _without_dot(text: str) -> str:
    """`hanna.vogel` → `hanna vogel`: a handle, if it begins with a given name and ends in no
    file's or host's ending."""
    parts = _DOTTED_NAME.fullmatch(text)
    if parts is None or compact(parts[1]) not in given_names():
        return text
    return text if fold(parts[2]) in words_of("dot-endings") else f"{parts[1]} {parts[2]}"


def _unwrap(written: str) -> tuple[str, str]:
    link = _LINK.match(written)
    if link is not None:
        return link[1].strip(), (link[2] or "").strip()
    return written.strip().removeprefix("@").strip(), ""
