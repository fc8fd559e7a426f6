"""Proposals for the core memory: which durable facts to add, which stale lines to replace or drop.

A claim is an opinion that is held, or one thing said of one entity in several lines. What was said
on several days is durable; what a newer fact replaced, or what holds for a while only, is not.

The core memory is the person's: nothing here writes it. What it says already is not proposed, nor
what would take it over its budget, nor what a person decided on while no new line speaks for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import blake2b

from lorebank.domain import (
    Citation,
    Fact,
    FactKind,
    Ground,
    Opinion,
    OpinionStatus,
    Proposal,
    ProposalAction,
    Stance,
)
from lorebank.language.words import content_words, estimate_tokens
from lorebank.markdown.owner_pages import SECTION, CoreLine, read_core
from lorebank.markdown.plain import escape_inline
from lorebank.markdown.proposal_pages import ProposalRuling, decided, fits_on_page
from lorebank.pages.pages import BankContent
from lorebank.records import Record, dataclass
from lorebank.supersede.endings import read_change, read_stated
from lorebank.supersede.relation import ends
from lorebank.supersede.words_of_change import tokens

REPEATED_DAYS = 3
SURE = 0.7
CENTRAL = 12
"""A claim is about one of so many most mentioned entities, or about nobody in particular."""
LONGEST = 300
_ALIKE = 0.6
_STATED = frozenset({FactKind.WORLD, FactKind.OBSERVATION})


class Claim(Record):
    """One thing that several lines say."""

    key: str
    """The opinion's id, or the id of the fact that said it first."""
    about: str
    """Display name of whom or what it is about; empty for the author."""
    statement: str
    source: Citation
    """A line that says it in these words."""
    facts: tuple[Fact, ...]
    """Those that speak for it, oldest first."""
    confidence: float | None
    """An opinion's; `None` for what was stated as a fact."""

    @property
    def days(self) -> tuple[date, ...]:
        """The days on which it was said, in order, each once."""
        return tuple(sorted({fact.recorded for fact in self.facts if fact.recorded}))


def alike(one: Iterable[str], other: Iterable[str]) -> float:
    """0..1: which share of the shorter text's words the two have in common."""
    mine, theirs = set(one), set(other)
    smaller = min(len(mine), len(theirs))
    return len(mine & theirs) / smaller if smaller else 0.0


def durable_claims(
    facts: Sequence[Fact],
    opinions: Sequence[Opinion],
    superseded: Mapping[str, str],
    names: Mapping[str, str],
) -> tuple[Claim, ...]:
    """The claims worth keeping in mind, those said on most days first.

    `facts` are dated and oldest first, `names` gives the display names of the central entities by
    slug: claims about others are left out. Opinions carry display names.
    """
    by_id = {fact.id: fact for fact in facts}
    found = [
        *_opinion_claims(opinions, by_id, frozenset(names.values())),
        *_fact_claims(facts, superseded, names),
    ]
    kept = [c for c in found if len(c.days) >= REPEATED_DAYS and len(c.statement) <= LONGEST]
    return tuple(sorted(kept, key=lambda c: (-len(c.days), -c.days[-1].toordinal(), c.key)))


def _opinion_claims(
    opinions: Iterable[Opinion], facts: Mapping[str, Fact], central: frozenset[str]
) -> Iterator[Claim]:
    for opinion in opinions:
        holder = opinion.entities[0] if opinion.entities else ""
        if opinion.status is not OpinionStatus.LIVE or opinion.confidence < SURE:
            continue
        if (holder and holder not in central) or _last_stance(opinion) is Stance.AGAINST:
            continue
        lines = [e for e in opinion.evidence if e.stance is Stance.FOR and e.fact_id in facts]
        said = tuple(facts[e.fact_id] for e in lines)
        worded = [facts[e.fact_id] for e in lines if e.reason in ("stated", "restated")]
        own = set(content_words(opinion.statement))
        worded = [fact for fact in worded if own.intersection(content_words(fact.content))]
        best = max(worded, key=_sureness, default=None)
        yield Claim(
            opinion.id,
            holder,
            opinion.statement if best is None else best.content,
            opinion.source if best is None else best.citation,
            said,
            opinion.confidence,
        )


def _sureness(fact: Fact) -> tuple[float, int]:
    """Of several wordings the surest tells best, then the first, which the opinion goes by."""
    return (fact.confidence or 0.0, -(fact.recorded or date.max).toordinal())


def _last_stance(opinion: Opinion) -> Stance | None:
    return opinion.evidence[-1].stance if opinion.evidence else None


def _fact_claims(
    facts: Iterable[Fact], superseded: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[Claim]:
    by_subject: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        subject = next(iter(fact.subjects), "")
        if _may_last(fact) and fact.id not in superseded and subject in names:
            by_subject[subject].append(fact)
    for subject, lines in by_subject.items():
        for group in _groups(lines):
            newest = group[-1]
            yield Claim(
                group[0].id,
                names[subject],
                newest.content,
                newest.citation,
                tuple(group),
                newest.confidence,
            )


def _may_last(fact: Fact) -> bool:
    """Whether a line states something that need not end by itself."""
    if fact.kind not in _STATED or fact.recorded is None:
        return False
    if fact.confidence is not None and fact.confidence < SURE:
        return False
    when = fact.occurred
    return when is None or when.end is None or when.start is None or when.start == when.end


def _groups(facts: Sequence[Fact]) -> Iterator[list[Fact]]:
    """Lines of one subject that say the same, oldest first; each joins the nearest earlier one."""
    groups: list[tuple[list[Fact], set[str]]] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    for fact in facts:
        words = set(content_words(fact.content)) - set(fact.slugs)
        near: dict[int, int] = defaultdict(int)
        for word in words:
            for number in by_word[word]:
                near[number] += 1
        best = max(near, key=lambda n: (near[n], -n), default=None)
        if best is not None and _says_the_same(words, groups[best][1]):
            groups[best][0].append(fact)
            continue
        groups.append(([fact], words))
        for word in words:
            by_word[word].append(len(groups) - 1)
    yield from (group for group, _ in groups)


def _says_the_same(words: set[str], others: set[str]) -> bool:
    union = words | others
    numbers = {w for w in words ^ others if any(letter.isdigit() for letter in w)}
    return bool(union) and not numbers and len(words & others) / len(union) >= _ALIKE


MOST = 8
"""Open proposals of each sort; the next ones follow when these are decided."""
_KNOWN = 0.6
_SAME = 0.7
_DOUBTED = 0.4


class CoreMemory(Record):
    """The core memory as it stands, and what was decided about it."""

    path: str
    text: str
    rulings: Sequence[ProposalRuling]
    token_budget: int


def proposal_id(*parts: str) -> str:
    """`p-` and 8 hex digits, the same for the same parts."""
    text = "\n".join(parts).encode("utf-8", "surrogatepass")
    return "p-" + blake2b(text, digest_size=4).hexdigest()


def plan_core_proposals(content: BankContent, core: CoreMemory) -> tuple[Proposal, ...]:
    """What is open to a decision now: stale lines first, then additions, the best first."""
    lines = read_core(core.text)
    known = _Known.of(content, lines)
    stale = _new(_stale(content, core, lines, known), core)
    replaced = {old: new for old, (_, new) in content.lapsed.items()} | dict(content.superseded)
    claims = durable_claims(content.facts, content.opinions, replaced, central_names(content))
    added = _new(_additions(claims, core, lines), core)
    used = estimate_tokens(core.text)
    used += 0 if f"## {SECTION}" in core.text else estimate_tokens(f"## {SECTION}\n\n")
    fitting: list[Proposal] = []
    for proposal in added:
        used += estimate_tokens(proposal.new + "\n")
        if used <= core.token_budget and len(fitting) < MOST:
            fitting.append(proposal)
    gone = {proposal.old for proposal in stale}
    over = _new(_over_budget(core, lines, gone, known), core)
    return (*stale[:MOST], *over[:MOST], *fitting)


def _new(proposals: Iterable[Proposal], core: CoreMemory) -> list[Proposal]:
    """Those that can be shown and that nobody has decided on with this evidence."""
    return [
        p
        for p in proposals
        if fits_on_page(p.old)
        and fits_on_page(p.new)
        and not decided(core.rulings, p.id, [g.fact_id for g in p.grounds])
    ]


def central_names(content: BankContent) -> dict[str, str]:
    """The most mentioned entities, and the author: slug → display name."""
    ranked = sorted(content.entities.values(), key=lambda e: (-e.facts, e.slug))
    return {"": ""} | {entity.slug: entity.name for entity in ranked[:CENTRAL]}


def _additions(
    claims: Iterable[Claim], core: CoreMemory, lines: Sequence[CoreLine]
) -> Iterator[Proposal]:
    cited = {line.cited for line in lines if line.cited}
    said = [set(content_words(line.said)) for line in lines]
    prose = [set(content_words(text)) for text in core.text.split("\n") if text.strip()]
    for claim in claims:
        words = set(content_words(claim.statement)) - set(content_words(claim.about))
        sources = {fact.citation for fact in claim.facts} | {claim.source}
        if cited & sources or any(_holds(known, words) for known in (*said, *prose)):
            continue
        said.append(words)
        yield Proposal(
            id=proposal_id("add", claim.key),
            action=ProposalAction.ADD,
            target=core.path,
            old="",
            new=_line(claim.about, claim.statement, claim.source),
            why=_why(claim),
            grounds=_grounds(claim.facts),
        )


def _holds(known: set[str], words: set[str]) -> bool:
    """Whether a line says most of what the words say."""
    return bool(words) and len(known & words) / len(words) >= _KNOWN


def _line(about: str, statement: str, source: Citation) -> str:
    """`- Peter: Prefers concise replies. (memory/2025-12-09.md#L12)`."""
    name = content_words(about)[:1]
    opening = content_words(statement)[:3]
    sentence = statement if not name or name[0] in opening else f"{about}: {statement}"
    return f"- {escape_inline(sentence)} ({source})"


def _why(claim: Claim) -> str:
    days = claim.days
    sure = "" if claim.confidence is None else f", confidence {claim.confidence:.2f}"
    span = f"Said on {len(days)} days from {days[0].isoformat()} to {days[-1].isoformat()}{sure}."
    return f"{span} Nothing newer replaces it."


def _grounds(facts: Iterable[Fact]) -> tuple[Ground, ...]:
    return tuple(Ground(f.citation, f.content, f.recorded, f.id) for f in facts)


@dataclass(slots=True)
class _Known:
    """What the facts are looked up by when a line of the core memory is held against them."""

    by_place: dict[tuple[str, int], Fact]
    by_word: dict[str, list[Fact]]
    by_id: dict[str, Fact]
    opinion_of: dict[str, Opinion]
    """Fact id → the opinion it stated or restated."""

    @classmethod
    def of(cls, content: BankContent, lines: Sequence[CoreLine]) -> _Known:
        by_word: dict[str, list[Fact]] = defaultdict(list)
        said = {word for line in lines for word in content_words(line.said)}
        names = {m.name for fact in content.facts for m in fact.mentions} if said else set()
        named = {name for name in names if not said.isdisjoint(content_words(name))}
        for fact in content.facts if said else ():
            # Only who is named in the core memory can be spoken of there.
            if not fact.mentions or any(m.name in named for m in fact.mentions):
                for word in said.intersection(content_words(fact.content)):
                    by_word[word].append(fact)
        return cls(
            {(f.citation.path, f.citation.start_line): f for f in content.facts},
            by_word,
            {f.id: f for f in content.facts},
            {
                e.fact_id: opinion
                for opinion in content.opinions
                for e in opinion.evidence
                if e.reason in ("stated", "restated")
            },
        )

    def saying(self, line: CoreLine) -> list[Fact]:
        """The facts that say what a line says, of somebody that it names; oldest first."""
        words = set(content_words(line.said))
        near: dict[str, int] = defaultdict(int)
        for word in words:
            for fact in self.by_word.get(word, ()):
                near[fact.id] += 1
        found = [self.by_id[i] for i, shared in near.items() if shared >= 2]
        return sorted(
            (fact for fact in found if self._says(fact, words)),
            key=lambda f: (str(f.recorded or ""), f.citation),
        )

    def ending(self, line: CoreLine) -> Fact | None:
        """The newest fact that says that what the line states is over."""
        said = content_words(line.said)
        near = {fact.id: fact for word in said for fact in self.by_word.get(word, ())}
        for fact in sorted(near.values(), key=lambda f: f.oldest_first, reverse=True):
            names = frozenset(word for name in self._names(fact) for word in tokens(name))
            told = set(content_words(fact.content)) - names
            if names.isdisjoint(tokens(line.said)) or _holds(set(said), told):
                continue  # about somebody else, or the line tells the newer state already
            if ends(read_change(fact.content, names), read_stated(line.said, names)):
                return fact
        return None

    def _says(self, fact: Fact, words: set[str]) -> bool:
        about = {word for name in self._names(fact) for word in content_words(name)}
        if about and not about & words:
            return False
        mine, theirs = set(content_words(fact.content)) - about, words - about
        union = mine | theirs
        return bool(union) and len(mine & theirs) / len(union) >= _SAME

    def _names(self, fact: Fact) -> list[str]:
        return [m.name for m in fact.mentions if m.subject] or [m.name for m in fact.mentions][:1]


def _stale(
    content: BankContent, core: CoreMemory, lines: Sequence[CoreLine], known: _Known
) -> Iterator[Proposal]:
    """Lines that state what a newer fact replaced, or an opinion that is no longer held."""
    for line in lines:
        cited = line.cited
        fact = known.by_place.get((cited.path, cited.start_line)) if cited else None
        facts = [fact] if fact else known.saying(line)
        found = list(_judged(line, facts, content, core, known)) if facts else []
        if found:
            yield from found
        elif newer := known.ending(line):
            olds = [f for f in content.facts if content.superseded.get(f.id) == newer.id]
            yield _replacement(core, line, newer, olds)
        elif facts:
            continue
        elif cited is not None and _is_learned(line, core):
            why = f"No fact stands at {cited} any more."
            yield _removal(core, line, why, ())


def _is_learned(line: CoreLine, core: CoreMemory) -> bool:
    """Whether the line was put there by accepting a proposal: it stands in that section."""
    above = core.text.split("\n")[: line.line]
    headings = [each.strip().lstrip("#").strip() for each in above if each.startswith("#")]
    return bool(headings) and headings[-1] == SECTION


def _judged(
    line: CoreLine,
    facts: Sequence[Fact],
    content: BankContent,
    core: CoreMemory,
    known: _Known,
) -> Iterator[Proposal]:
    successors = [_newest_of(fact.id, content.superseded) for fact in facts]
    if all(successors):
        newer = known.by_id.get(successors[-1] or "")
        if newer is not None:
            yield _replacement(core, line, newer, facts[-1:])
        return
    opinion = next((o for f in facts if (o := known.opinion_of.get(f.id))), None)
    if opinion is None:
        return
    against = [e.fact_id for e in opinion.evidence if e.stance is Stance.AGAINST]
    grounds = [known.by_id[i] for i in against if i in known.by_id]
    by_id = {each.id: each for each in content.opinions}
    if opinion.status is OpinionStatus.SUPERSEDED and opinion.superseded_by in by_id:
        now = by_id[opinion.superseded_by or ""]
        newest = [e.fact_id for e in now.evidence if e.fact_id in known.by_id][-1:]
        yield _replacement(
            core,
            line,
            known.by_id[newest[0]] if newest else facts[-1],
            facts[-1:],
            said=(now.entities[0] if now.entities else "", now.statement, now.source),
        )
    elif opinion.status is OpinionStatus.RETRACTED:
        yield _removal(core, line, f"{opinion.id} was retracted by hand.", grounds)
    elif opinion.confidence < _DOUBTED:
        why = f"The confidence of {opinion.id} fell to {opinion.confidence:.2f}."
        yield _removal(core, line, why, grounds)


def _newest_of(fact_id: str, superseded: Mapping[str, str]) -> str | None:
    """The last fact in the chain of those that replaced this one; `None` where none did."""
    seen = {fact_id}
    newest = None
    while (successor := superseded.get(fact_id)) is not None and successor not in seen:
        newest = fact_id = successor
        seen.add(successor)
    return newest


def _replacement(
    core: CoreMemory,
    line: CoreLine,
    newer: Fact,
    older: Sequence[Fact],
    *,
    said: tuple[str, str, Citation] | None = None,
) -> Proposal:
    """The line with the newer fact in its place, or gone where the core memory says that too."""
    subject = next((m.name for m in newer.mentions if m.subject), "")
    about, statement, source = said or (subject, newer.content, newer.citation)
    words = set(content_words(statement)) - set(content_words(about))
    day = f" on {newer.recorded.isoformat()}" if newer.recorded else ""
    others = (each for each in read_core(core.text) if each.line != line.line)
    if any(_holds(set(content_words(each.said)), words) for each in others):
        return _removal(core, line, f"Replaced{day}, and the newer state stands here.", [newer])
    return Proposal(
        id=proposal_id("replace", line.said, newer.id),
        action=ProposalAction.REPLACE,
        target=core.path,
        old=line.text,
        new=_bullet(line) + _line(about, statement, source)[2:],
        why=f"Replaced{day}.",
        grounds=_grounds([*older, newer]),
    )


def _bullet(line: CoreLine) -> str:
    """Indentation and list mark, as the line has them."""
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    mark, _, _ = line.text.lstrip().partition(" ")
    return f"{indent}{mark} "


def _removal(core: CoreMemory, line: CoreLine, why: str, facts: Iterable[Fact]) -> Proposal:
    return Proposal(
        id=proposal_id("remove", line.said),
        action=ProposalAction.REMOVE,
        target=core.path,
        old=line.text,
        new="",
        why=why,
        grounds=_grounds(facts),
    )


def _over_budget(
    core: CoreMemory, lines: Sequence[CoreLine], gone: set[str], known: _Known
) -> list[Proposal]:
    """Learned lines to drop until the core memory fits, those last confirmed longest ago first."""
    size = estimate_tokens(core.text) - sum(estimate_tokens(old) for old in gone)
    if size <= core.token_budget:
        return []
    dated: list[tuple[str, CoreLine, list[Fact]]] = []
    for line in lines:
        facts = known.saying(line)
        if line.text not in gone and facts and _is_learned(line, core):
            dated.append((str(facts[-1].recorded or ""), line, facts))
    dropped: list[Proposal] = []
    for day, line, facts in sorted(dated, key=lambda entry: (entry[0], entry[1].line)):
        if size <= core.token_budget:
            break
        size -= estimate_tokens(line.text)
        why = f"Over the budget of {core.token_budget} tokens; last said on {day or 'no day'}."
        dropped.append(_removal(core, line, why, facts[-1:]))
    return dropped
