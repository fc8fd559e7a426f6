"""The grammar of one fact: kind, confidence, mentions, colon, content, evidence marks.

    fact     = [ kind ] , { mention } , [ ":" ] , content ;
    kind     = "W" | "B" | "S" | "O" , [ "(" , "c" , "=" , number , ")" ] ;
    mention  = "@" name | "@[[" title "]]" | "[[" title [ "|" shown ] "]]" ;

Around it stands what people really write: ✅, bold letters, lower case, full-width
letters and colons, a colon right after the kind, commas and "and" between mentions.

Without a colon, mentions before a lower-case word belong to the sentence (`@Peter is away` reads
"Peter is away"); before anything else they are a label whose colon was forgotten.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from lorebank.domain.facts import NOBODY, Author, EvidenceMark, FactKind, Mention, Origin, Stance
from lorebank.language.folding import slugify
from lorebank.markdown.mentions import AND_WORDS, find_mentions
from lorebank.markdown.origin import read_origin_mark
from lorebank.markdown.plain import plain_text
from lorebank.markdown.sections import PLACEHOLDERS as PLACEHOLDER_NAMES
from lorebank.records import Record

LineProblem = tuple[str, str]  # a diagnostic without its place: code and message

ADVICE = frozenset({"line-dress", "confidence-dress"})
"""Codes of what was understood and is better written otherwise."""
_KINDS = {kind.letter: kind for kind in FactKind}
_ORNAMENTS = re.compile(
    r"(?:[\s+\-\u2022\u25aa\u2013\u2014\u2190-\u2bff\ufe0e\ufe0f\u200d\u20e3\U0001f000-\U0001faff])*"
)
BLANK = re.compile(
    r"(?:…|\.{2,}+|_{2,}+|<\w[^<>\n]*>|\{\{[^{}\n]*\}\}|\[[^\W\d][^\[\]\n]*\](?!\()|[@\s:])++"
)
"""What a template leaves to be filled in: dots, a line, a word in brackets, `@ :`."""
PLACEHOLDERS = frozenset(map(slugify, PLACEHOLDER_NAMES))
_PASTED_BULLETS = ("\u2022", "\u25aa", "\u2013", "\u2014", "-", "+")
_GLUED = re.compile(r"[\W_]*[WBOSwbos](?=[@\uff20]\w)")
_EMPHASIS = re.compile(r"\*{1,3}|_{1,3}|~~|`")
_EMPHASES = re.compile(r"(?:\*+|_+|~~|`)*")
_KIND = re.compile(
    r"(?P<open>[\[(（【])?(?P<letter>[A-Za-zＡ-Ｚａ-ｚ])(?(open)[\])）】])"
    r"(?:(?P<mark>\*{1,3}|_{1,3}|~~|`)?(?P<gap>[ \t]*)[(（](?P<braced>[^()（）\n]{0,40})[)）])?"
)
_ASSIGNED = re.compile(r"\s*[cCｃＣ]\s*[=＝:：]\s*(?P<value>.*?)\s*\Z", re.DOTALL)
_NUMBER = re.compile(r"\+?(?:\d{1,9}(?:[.,]\d{0,30})?|[.,]\d{1,30})[ \t]*%?\Z")
_BOUNDARY = re.compile(r"[\s:：@\uff20*_~`]|\[\[|\Z")
_COLON = re.compile(r"\s*[:：]")
_NAME_GOES_ON = re.compile(r"(?P<rest>(?:[^\W\d_][\w'’-]*[ \t]+){0,2}[^\W\d_][\w'’-]*)[ \t]*[:：]")
_WORDS_TOO = frozenset("OE")
"""Kinds whose capital letter begins sentences as well: `O prazo é …`, `O [[Rui]] é …`, `E [[Ana]]
foi …`. Only what no sentence goes on with makes them a kind: `(c=…)`, a colon, an @name."""
_READ_AS_WORD = "'O' is read as a word of the sentence; for an opinion write O: … or O @Name: …"
_BETWEEN = re.compile(
    rf"\s*(?:[,，、;&+/]\s*)?(?:(?<=[\s,])(?:{'|'.join(AND_WORDS)})\s+|(?:和|と|、))?",
    re.IGNORECASE,
)
_MAYBE_TYPED = re.compile(r"[\W_]*[A-Za-zＡ-Ｚａ-ｚ][\s*_~`:：(（,\])）】@\[]")
_WHITE = re.compile(r"\s*")
_ONE_MARK = r"\((?:[+−–-]o-[0-9a-z]+|ends\s+f-[0-9a-f]{10})\)"
_MARKS = re.compile(
    rf"(?P<before>^|[^\S\n]*)(?P<marks>{_ONE_MARK}(?:[^\S\n]*{_ONE_MARK})*)[.。]?[^\S\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_MARK = re.compile(
    r"\((?:(?P<sign>[+−–-])(?P<id>o-[0-9a-z]+)|ends\s+(?P<ended>f-[0-9a-f]{10}))\)", re.IGNORECASE
)


class FactLine(Record):
    """What one item's text says, without its place."""

    kind: FactKind
    mentions: tuple[Mention, ...]
    """Each slug once, subjects first, then in the order of the content."""
    confidence: float | None
    content: str
    marks: tuple[EvidenceMark, ...]
    ends: tuple[str, ...] = ()
    """Ids of facts that, as the writer says, hold no longer: `(ends f-1a2b3c4d5e)`."""
    problems: tuple[LineProblem, ...] = ()
    has_kind: bool = True
    """Whether a kind letter was written and understood."""
    has_confidence: bool = False
    """Whether a `(c=…)` was written, well or badly."""
    has_subject: bool = False
    """Whether mentions stand right after the kind, or first where there is none."""
    has_colon: bool = False
    is_template: bool = False
    """Whether it waits to be filled in: `W @Name: a sentence`, `O(c=0.0) @Ana: …`. A name or text
    that is meant so is written in brackets or escaped."""
    is_struck: bool = False
    """Whether its sentence is crossed out: `~~W @Ana: Lives in Porto.~~`."""
    content_start: int = -1
    """Where in the text the content begins; -1 where marks of the prefix go on in it."""
    origin: Origin | None = None
    """What a mark at the end of a line says about whose word it is."""
    author: Author = NOBODY

    @property
    def is_typed(self) -> bool:
        """Whether the line says on its own that it is a fact: a kind with a mention or a `c=`."""
        return self.has_kind and (self.has_subject or self.has_confidence)

    @property
    def whole_name(self) -> str:
        """The name that is probably meant where a mention ends at its first word, as in
        `@Harbour Office: …`; empty elsewhere."""
        subjects = [mention.name for mention in self.mentions if mention.subject]
        goes_on = None if self.has_colon else _NAME_GOES_ON.match(self.content)
        if not goes_on or len(subjects) != 1 or self.content.startswith(subjects[0]):
            return ""
        return f"{subjects[0]} {goes_on['rest']}" if goes_on["rest"][0].isupper() else ""


@lru_cache(8)  # a line is asked for several times in turn
def parse_fact_line(text: str) -> FactLine:
    """Read the text of one list item or paragraph; every text gives a line, odd ones problems.

    `O(c=0.95) @Peter: Prefers *short* replies. (+o-3f2a)` → opinion, 0.95, Peter as subject,
    "Prefers short replies.", one mark.
    """
    text, origin, author = read_origin_mark(text)
    body, marks, ends = _without_line_marks(text)
    if origin is None and (marks or ends):  # the marks stand in whatever order
        body, origin, author = read_origin_mark(body)
    line = _Prefix(body).read()
    if not (marks or ends or origin or author is not NOBODY):  # most lines
        return line
    return replace(line, marks=marks, ends=ends, origin=origin, author=author)


def begins_typed(text: str) -> bool:
    """Whether a text begins with a kind and a mention, or with a kind and a `c=`."""
    return _MAYBE_TYPED.match(text) is not None and parse_fact_line(text).is_typed


def parse_confidence(value: str) -> float | None:
    """A number in 0..1 with point or comma, or a percentage; `None` for all else."""
    value = unicodedata.normalize("NFKC", value).strip()
    if _NUMBER.match(value) is None:
        return None
    number = float(value.rstrip("% \t").replace(",", "."))
    if value.endswith("%"):
        number /= 100
    return number if 0.0 <= number <= 1.0 else None


def _without_line_marks(text: str) -> tuple[str, tuple[EvidenceMark, ...], tuple[str, ...]]:
    if "o-" not in text and "f-" not in text:
        return text, (), ()
    found = [m for group in _MARKS.finditer(text) for m in _MARK.finditer(group["marks"])]
    marks = [
        EvidenceMark(Stance.FOR if mark["sign"] == "+" else Stance.AGAINST, mark["id"].lower())
        for mark in found
        if mark["id"]
    ]
    ends = [mark["ended"].lower() for mark in found if mark["ended"]]
    return _MARKS.sub("", text), tuple(dict.fromkeys(marks)), tuple(dict.fromkeys(ends))


class _Prefix:
    """Reads a text from its start up to where the content begins."""

    def __init__(self, text: str) -> None:
        glued = _GLUED.match(text)
        if glued is not None:  # `W@Ana`: a handle behind a letter is no mention
            text = f"{text[: glued.end()]} {text[glued.end() :]}"
        self.inserted = 0 if glued is None else 1
        self.text = text
        self.position = 0
        self.open_marks: list[str] = []
        """Emphasis that the prefix opened and has not closed: it is the content's as well."""
        self.mentions = {start: (m, end) for m, start, end in find_mentions(text)}
        self.kind: FactKind | None = None
        self.confidence: float | None = None
        self.has_confidence = False
        self.after_colon = False
        """Whether a colon stood right after the kind."""
        self.problems: list[LineProblem] = []

    def read(self) -> FactLine:
        begin = self.position = _end(_WHITE, self.text, 0)
        start = self.position
        self.position = _end(_ORNAMENTS, self.text, start)
        if self.text[start : start + 1] in _PASTED_BULLETS:
            self.problems.append(
                ("line-dress", "begin the line with `- `, else it is no list item")
            )
        self._skip_emphasis(_ORNAMENTS)
        self._read_kind()
        has_colon = self.after_colon = self._skip_colon() if self.kind else False
        leading, content_start, subject_colon = self._read_subjects()
        subjects = [] if has_colon and not subject_colon else leading
        if not leading and self.kind is None:
            content_start, self.open_marks = begin, []
        if not self.kind and not any(code.startswith("kind-") for code, _ in self.problems):
            self.problems.append(("kind-missing", "no kind letter; read as a world fact"))
        source = "".join(self.open_marks) + self.text[content_start:].lstrip()
        content = plain_text(source)
        if not content:
            self.problems = [problem for problem in self.problems if problem[0] != "kind-missing"]
            self.problems.append(("fact-empty", "nothing is said here; the line is no fact"))
        prefix = self.text[:content_start]
        return FactLine(
            kind=self.kind or FactKind.WORLD,
            is_template=BLANK.fullmatch(source) is not None
            or (bool(leading) and leading[0].slug in PLACEHOLDERS and "[[" not in prefix),
            is_struck=source.startswith("~~") and source.find("~~", 2) == len(source.rstrip()) - 2,
            mentions=_distinct(subjects, [m for m, _, _ in find_mentions(source)]),
            confidence=self.confidence,
            content=content,
            marks=(),
            problems=tuple(self.problems),
            has_kind=self.kind is not None,
            has_confidence=self.has_confidence,
            has_subject=bool(leading),
            has_colon=has_colon or subject_colon,
            content_start=-1 if self.open_marks else content_start - self.inserted,
        )

    def _skip_emphasis(self, gap: re.Pattern[str] | None = None) -> None:
        """Step over marks of emphasis: all, with the gap between, or those that close one."""
        while mark := _EMPHASIS.match(self.text, self.position):
            if mark.group() in self.open_marks:
                self.open_marks.remove(mark.group())
            elif gap is None:
                return
            else:
                self.open_marks.append(mark.group())
            self.position = _end(gap, self.text, mark.end()) if gap else mark.end()

    def _read_kind(self) -> None:
        found = _KIND.match(self.text, self.position)
        if found is None:
            return
        letter = unicodedata.normalize("NFKC", found["letter"])
        end = found.end("letter") + bool(found["open"])
        value = None
        if (braced := found["braced"]) is not None and (
            not found["gap"] or _ASSIGNED.match(braced)
        ):
            value, end = braced, found.end()
        if value is None and _BOUNDARY.match(self.text, end) is None:
            return
        kind = self._accepted(letter, end, confident=value is not None, framed=bool(found["open"]))
        if kind is None:
            return
        self.kind = kind
        if found["open"] is not None or self.inserted:
            self.problems.append(("line-dress", f"write the kind plainly: {kind.letter} @Name: …"))
        if (mark := found["mark"]) in self.open_marks:
            self.open_marks.remove(mark)
        elif mark:
            self.open_marks.append(mark)
        self.position = end
        if value is not None:
            self._set_confidence(value)
        self._skip_emphasis()

    def _accepted(self, letter: str, end: int, *, confident: bool, framed: bool) -> FactKind | None:
        """The kind a letter stands for at this place, `None` where it is a word of the text."""
        after = _end(_EMPHASES, self.text, end)
        colon = _COLON.match(self.text, after) is not None
        start = _end(_WHITE, self.text, after)
        names, names_end = self._mention_run(start)
        named = bool(names) and _COLON.match(self.text, _end(_EMPHASES, self.text, names_end))
        known = _KINDS.get(letter.upper())
        if letter in _WORDS_TOO and not (framed or confident or colon or named):
            goes_on = not self.text[_end(_WHITE, self.text, names_end) :][:1].isupper()
            if not names or (goes_on and self.text.startswith("[[", start)):
                if known:
                    self.problems.append(("kind-missing", _READ_AS_WORD))
                return None
        if known is not None:
            # Lower-case `o`, `e`, `a` are words of many languages: they need a colon or `c=`.
            clear = confident or colon or named
            return known if clear or (letter.isupper() and (not framed or names)) else None
        if named if letter == "e" else letter == "E" and (colon or names or confident):
            self.problems.append(("kind-unknown", "no kind is called E; read as an experience"))
            return FactKind.EXPERIENCE
        if confident or (letter.isupper() and named):
            kind = FactKind.OPINION if confident else FactKind.WORLD
            message = f"no kind is called {letter}; read as {_ARTICLES[kind]} {kind.value} fact"
            self.problems.append(("kind-unknown", message))
            return kind
        return None

    def _set_confidence(self, value: str) -> None:
        self.has_confidence = True
        if self.kind is not FactKind.OPINION:
            message = "a confidence stands on a fact that is no opinion; it is kept"
            self.problems.append(("confidence-unexpected", message))
        assigned = _ASSIGNED.match(value)
        number = assigned["value"] if assigned else value
        self.confidence = parse_confidence(number)
        if self.confidence is None:
            shown = " ".join(value.split())
            message = f"({shown}) gives no confidence from 0 to 1; read as a fact without one"
            number = unicodedata.normalize("NFKC", number).strip()
            is_number = re.fullmatch(r"[+-]?\d*[.,]?\d+\s*%?", number)
            code = "confidence-out-of-range" if is_number else "confidence-not-a-number"
            self.problems.append((code, message))
        elif not number.isascii() or "," in number or "%" in number:
            message = f"write the confidence with a point: c={self.confidence:g}"
            self.problems.append(("confidence-dress", message))

    def _skip_colon(self) -> bool:
        colon = _COLON.match(self.text, self.position)
        if colon is None:
            return False
        self.position = colon.end()
        self._skip_emphasis()
        return True

    def _read_subjects(self) -> tuple[list[Mention], int, bool]:
        """The mentions before the content, where that begins, whether a colon stood between."""
        start = _end(_WHITE, self.text, self.position)
        opened = list(self.open_marks)
        self.position = start
        self._skip_emphasis(_WHITE)
        mentions, end = self._mention_run(self.position)
        if not mentions:
            self.open_marks = opened
            return [], start, False
        first = self.position
        self.position = end
        self._skip_emphasis()
        if self._skip_colon():
            return mentions, self.position, True
        after_space = _end(_WHITE, self.text, self.position)
        rest = self.text[after_space : after_space + 1]
        labelled = after_space > self.position and not self.after_colon and not rest.islower()
        if labelled and (rest.isalnum() or rest in "\"“„«'‘"):
            return mentions, self.position, False
        self.open_marks = opened
        return mentions, start if first > start else first, False

    def _mention_run(self, position: int) -> tuple[list[Mention], int]:
        mentions: list[Mention] = []
        end = position
        while position in self.mentions:
            mention, end = self.mentions[position]
            mentions.append(mention)
            position = _end(_BETWEEN, self.text, end)
            if position not in self.mentions:
                position = _end(_WHITE, self.text, end)
        return mentions, end


_ARTICLES = {FactKind.WORLD: "a", FactKind.OPINION: "an"}


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _distinct(subjects: list[Mention], others: list[Mention]) -> tuple[Mention, ...]:
    kept: dict[str, Mention] = {}
    for mention in subjects:
        kept.setdefault(mention.slug, Mention(mention.name, mention.slug, subject=True))
    for mention in others:
        kept.setdefault(mention.slug, mention)
    return tuple(kept.values())
