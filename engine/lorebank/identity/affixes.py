"""What stands around a name proper: possessive, title, Junior, degrees, legal form."""

from __future__ import annotations

import re

from lorebank.identity.draft import Draft
from lorebank.identity.lexicon import (
    LegalForm,
    compact,
    given_names,
    legal_forms,
    titles,
    word_list,
    word_pairs,
    words_of,
)
from lorebank.language.folding import fold, strip_possessive

_LATIN_TITLE_BEHIND = re.compile(r"(?<=\w)-(?:san|sama|kun|sensei)\Z", re.IGNORECASE)
_CJK_TITLE_BEHIND = re.compile(
    r"(?<=\w)\s?(?:(?P<f>女士|小姐)"
    r"|さん|さま|様|氏|くん|ちゃん|先生|老师|老師"
    r"|(?<=\w{3})(?:教授|博士|社長|部長|課長|係長|主任|总|經理|经理|校长|院长|主席|总裁|工程师)"
    r"|(?:교수|박사|선생|사장|부장|과장|대리|팀장|대표|원장)님|님|씨)\Z"
)
_COMMA = re.compile(r",(?!\d)")
_LONGEST_FORM = 6


def without_possessive(text: str) -> tuple[str, bool]:
    """The name without `'s`, and whether it is a brand that keeps it (`McDonald's`)."""
    bare = strip_possessive(text)
    if bare != text and compact(bare) in words_of("brands"):
        return text, True
    return bare, False


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
        while count < len(words) - 1 and fold(words[count]).rstrip(".") in titles():
            count += 1
        parts = [*words[:count], parts[1], *words[count:]]
    return " ".join(parts + endings)


def take_titles(draft: Draft) -> frozenset[str]:
    """Remove forms of address from the front; what they say of the sex."""
    found: set[str] = set()
    while len(draft.tokens) > 1:
        length, kind = _title_at_front(draft)
        if not kind:
            break
        found.add(kind)
        draft.drop(0, length)
    return frozenset(found)


def take_endings(draft: Draft) -> str:
    """Remove degrees and `Jr.` from the end; `jr`, `sr` or nothing."""
    generation, generations = "", word_pairs("generations")
    while len(draft.tokens) > 2:
        last = draft.tokens[-1].replace(".", "")
        if last in generations:
            generation = generations[last]
        elif last not in words_of("after-name") or (last == "md" and not draft.dotted[-1]):
            break
        draft.drop(len(draft.tokens) - 1, len(draft.tokens))
    return generation


def take_legal_form(draft: Draft) -> LegalForm | None:
    """Remove a firm's legal form from the end, or where it belongs there from the front; of two
    (`PT Acme Tbk`) the first one counts."""
    behind = _cut_glued_form(draft) or _take_form_behind(draft)
    return _take_form_before(draft) or behind


def _is_ending(part: str) -> bool:
    plain = fold(part).replace(".", "").strip()
    if plain in word_pairs("generations") or plain in words_of("after-name"):
        return True
    return tuple(plain.split()) in legal_forms()


def _title_at_front(draft: Draft) -> tuple[int, str]:
    """How many words the title has, and its kind; a word in capitals (`DR Congo`) is none."""
    known = titles()
    hyphened = "-".join(draft.tokens[:2])
    if hyphened in known and len(draft.tokens) > 2:
        return 2, known[hyphened]
    first, dotted = draft.tokens[0], draft.dotted[0]
    kind = known.get(first) or (known.get(f"{first}.", "") if dotted else "")
    shouted = draft.raw[0].isupper() and not "".join(draft.raw).isupper()
    if not kind and len(draft.tokens) > 2 and draft.tokens[1] in given_names():
        kind = word_pairs("full-name-titles").get(first, "")
    return (1, kind) if dotted or not shouted else (1, "")


def _take_form_behind(draft: Draft) -> LegalForm | None:
    known, count = legal_forms(), len(draft.tokens)
    for length in range(min(_LONGEST_FORM, count - 1), 0, -1):
        form = known.get(_form_key(draft, count - length, count))
        if form is not None and not form.leading and _counts(draft, form, length):
            draft.drop(count - length, count)
            return form
    return None


def _take_form_before(draft: Draft) -> LegalForm | None:
    known, count = legal_forms(), len(draft.tokens)
    for length in range(min(_LONGEST_FORM, count - 1), 0, -1):
        form = known.get(tuple(draft.tokens[:length]))
        before = form is not None and (form.leading or form.either)
        if form is None or not (before or not form.written.isascii()):
            continue
        if length > 1 or not before or draft.raw[0] == form.written:
            draft.drop(0, length)
            return form
    return None


def _form_key(draft: Draft, start: int, stop: int) -> tuple[str, ...]:
    """The last tokens; the letters of `S. A.` and `A/S` joined."""
    tokens = draft.tokens[start:stop]
    letters = len(tokens) > 1 and all(len(token) == 1 for token in tokens)
    if letters and (all(draft.dotted[start:stop]) or draft.raw[start:stop] == ["A", "S"]):
        return ("".join(tokens),)
    return tuple(tokens)


def _counts(draft: Draft, form: LegalForm, length: int) -> bool:
    """Whether the words are that form here: `Acme AG` is a firm, `Bali Spa` and `Gate SE` not."""
    stem = draft.tokens[: len(draft.tokens) - length]
    if all(token in words_of("articles") or token[0].isdigit() for token in stem):
        return False
    folded = fold(form.written)
    if len(folded) == 2 and stem[-1] in words_of("designators"):
        return False
    if " " in folded or len(folded) > 3 or folded in words_of("legal-safe"):
        return True
    if draft.dotted[-1] or length > 1 or draft.raw[-1] == form.written.strip("()"):
        return True
    return folded in words_of("legal-safe-in-handles") and "".join(draft.raw).islower()


def _cut_glued_form(draft: Draft) -> LegalForm | None:
    if not draft.tokens or (draft.tokens[-1].isascii() and draft.tokens[0].isascii()):
        return None
    for form in word_list("legal-glued"):
        for place, cut in ((-1, str.removesuffix), (0, str.removeprefix)):
            stem = cut(draft.tokens[place], form)
            if stem and stem != draft.tokens[place]:
                draft.tokens[place] = stem
                return legal_forms()[(form,)]
    return None
