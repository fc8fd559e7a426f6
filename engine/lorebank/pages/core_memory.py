"""Proposals for the core memory: which durable facts to add, which stale lines to replace or drop.

The core memory is the person's: nothing here writes it. What it says already is not proposed, nor
what would take it over its budget, nor what a person decided on while no new line speaks for it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date

from lorebank.domain.facts import Citation, Fact, FactKind, Opinion, OpinionStatus, Stance
from lorebank.domain.judgments import Ground, Proposal, ProposalAction, proposal_id
from lorebank.index.tasks import undated
from lorebank.language.statements import sentence_spans
from lorebank.language.words import content_words, estimate_tokens
from lorebank.markdown.origin import origin_mark
from lorebank.markdown.owner_pages import SECTION, CoreLine, read_core
from lorebank.markdown.plain import escape_inline, plain_text
from lorebank.markdown.proposal_pages import ProposalRuling, decided, fits_on_page
from lorebank.pages.facts import BankContent
from lorebank.pages.telling import HABIT, numbers_of
from lorebank.records import Record
from lorebank.supersede.endings import ends, read_change, read_stated, tokens, without_plans
from lorebank.supersede.slots import clauses_of

MOST = 8
"""Open proposals of each sort, a page's worth; the next ones follow when these are decided.
Chosen by hand, as are the numbers below: a proposal asks, and changes nothing."""
REPEATED_DAYS = 3
"""What was said on this many days is durable."""
SURE = 0.7
"""Of what is said with less confidence nothing is proposed."""
CENTRAL = 12
"""A claim is about one of this many most mentioned entities, or about nobody in particular."""
LONGEST = 300
"""Characters of a line that is proposed: the core memory is small."""
_KNOWN = 0.6
"""A line that has this share of a statement's words says it already."""
_SAME = 0.7
"""A fact and a line of the core memory that share this part of their words say the same."""
_DOUBTED = 0.4
"""A line goes when the confidence of its opinion falls below that."""
_CLAUSE_WORDS, _DOUBTFUL = 2, 0.5
"""A clause of so many words may be over where a newer fact has this share of them: of the core
memories of three workspaces by other hands, 8 questions about 33 lines, 4 of them rightly."""
_MAY_END = (FactKind.WORLD, FactKind.OBSERVATION, FactKind.EXPERIENCE)
_STATING = ("stated", "restated")


class CoreMemory(Record):
    path: str
    text: str
    rulings: Sequence[ProposalRuling]
    token_budget: int


def plan_core_proposals(
    content: BankContent, core: CoreMemory, repeated: Callable[[str], Mapping[str, str]]
) -> tuple[Proposal, ...]:
    """Stale lines, then additions, the best first; `repeated` as of `PagePlan`."""
    lines = read_core(core.text)
    stale = _undecided(_Review(content, core, lines).stale(), core)
    used = estimate_tokens(core.text)
    if f"## {SECTION}" not in core.text:
        used += estimate_tokens(f"## {SECTION}\n\n")
    fitting: list[Proposal] = []
    claims = _durable_claims(content, repeated)
    for proposal in _undecided(_additions(claims, core, lines), core):
        used += estimate_tokens(proposal.new + "\n")
        if used <= core.token_budget and len(fitting) < MOST:
            fitting.append(proposal)
    return (*stale[:MOST], *fitting)


def _undecided(proposals: Iterable[Proposal], core: CoreMemory) -> list[Proposal]:
    """Those that can be shown and that nobody has decided on with this evidence."""
    return [
        p
        for p in proposals
        if fits_on_page(p.old)
        and fits_on_page(p.new)
        and not decided(core.rulings, p.id, [g.fact_id for g in p.grounds])
    ]


class _Claim(Record):
    """One thing that several lines say: an opinion that is held, or a fact said again."""

    key: str
    """The opinion's id, or the id of the fact that said it first."""
    about: str
    """Display name of whom or what it is about; empty for the author."""
    said: Fact
    """The line that says it best."""
    facts: Sequence[Fact]
    """Those that speak for it, oldest first."""
    sure: str = ""

    @property
    def days(self) -> list[date]:
        told = (fact.author.written or fact.recorded for fact in self.facts)
        return sorted({day for day in told if day})


def _durable_claims(
    content: BankContent, repeated: Callable[[str], Mapping[str, str]]
) -> list[_Claim]:
    """The claims worth keeping in mind, those said on most days first."""
    ranked = sorted(content.entities.values(), key=lambda e: (-e.facts, e.slug))
    central = {"": ""} | {entity.slug: entity.name for entity in ranked[:CENTRAL]}
    found = [*_opinions_held(content, central), *_facts_repeated(content, central, repeated)]
    kept = [c for c in found if len(c.days) >= REPEATED_DAYS and len(c.said.content) <= LONGEST]
    return sorted(kept, key=lambda c: (-len(c.days), -c.days[-1].toordinal(), c.key))


def _opinions_held(content: BankContent, central: Mapping[str, str]) -> Iterator[_Claim]:
    facts = {fact.id: fact for fact in content.facts}
    for opinion in content.opinions:
        holder = opinion.entities[0] if opinion.entities else ""
        is_sure = opinion.status is OpinionStatus.LIVE and opinion.confidence >= SURE
        if not is_sure or holder not in central.values() or not opinion.evidence:
            continue
        if opinion.evidence[-1].stance is Stance.AGAINST:
            continue
        lines = [e for e in opinion.evidence if e.stance is Stance.FOR and e.fact_id in facts]
        own = set(content_words(opinion.statement))
        worded = [facts[e.fact_id] for e in lines if e.reason in _STATING]
        worded = [fact for fact in worded if own.intersection(content_words(fact.content))]
        if worded:
            # Of several wordings the surest is shown, else the first.
            best = max(worded, key=lambda fact: fact.confidence or 0.0)
            said = [facts[e.fact_id] for e in lines]
            yield _Claim(opinion.id, holder, best, said, f", confidence {opinion.confidence:.2f}")


def _facts_repeated(
    content: BankContent, central: Mapping[str, str], repeated: Callable[[str], Mapping[str, str]]
) -> Iterator[_Claim]:
    same: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in filter(_may_last, content.facts):
        subject = next(iter(fact.subjects), "")
        gone = fact.id in content.over.superseded or fact.id in content.over.lapsed
        if subject in central and not gone:
            newest = repeated(subject).get(fact.id, fact.id)
            same[subject, newest].append(fact)
    groups: dict[tuple[str, str, frozenset[str]], list[Fact]] = defaultdict(list)
    for (subject, newest), facts in same.items():
        for fact in facts if len(facts) >= REPEATED_DAYS else ():
            groups[subject, newest, numbers_of(fact.content)].append(fact)
    figures = Counter((subject, newest) for subject, newest, _ in groups)
    for (subject, newest, _), facts in groups.items():
        if figures[subject, newest] >= HABIT:
            continue  # the same with ever other numbers happens again and again, and is no state
        said = facts[-1]
        sure = "" if said.confidence is None else f", confidence {said.confidence:.2f}"
        yield _Claim(facts[0].id, central[subject], said, facts, sure)


def _may_last(fact: Fact) -> bool:
    """Whether a line states something that need not end by itself."""
    if fact.kind not in (FactKind.WORLD, FactKind.OBSERVATION) or fact.recorded is None:
        return False
    if fact.confidence is not None and fact.confidence < SURE:
        return False
    when = fact.occurred
    return when is None or when.end is None or when.start is None or when.start == when.end


def _additions(
    claims: Iterable[_Claim], core: CoreMemory, lines: Sequence[CoreLine]
) -> Iterator[Proposal]:
    cited = {line.cited for line in lines if line.cited}
    said = [set(content_words(text)) for text in core.text.split("\n") if text.strip()]
    for claim in claims:
        words = set(content_words(claim.said.content)) - set(content_words(claim.about))
        if cited & {f.citation for f in claim.facts} or any(_says(each, words) for each in said):
            continue
        said.append(words)
        first, last = claim.days[0].isoformat(), claim.days[-1].isoformat()
        yield Proposal(
            id=proposal_id("add", claim.key),
            action=ProposalAction.ADD,
            target=core.path,
            old="",
            new=_line(claim.about, claim.said.content, claim.said.citation, claim.said),
            why=f"Said on {len(claim.days)} days from {first} to {last}{claim.sure}. "
            "Nothing newer replaces it.",
            grounds=_grounds(claim.facts),
        )


def _says(known: set[str], words: set[str]) -> bool:
    return bool(words) and len(known & words) / len(words) >= _KNOWN


def _line(about: str, statement: str, source: Citation, of: Fact) -> str:
    """`- Peter: Prefers concise replies. (memory/2025-12-09.md#L12)`; what an agent wrote bears its
    mark here too, whoever accepts it."""
    name = content_words(about)[:1]
    sentence = f"{about}: {statement}"
    if not name or name[0] in content_words(statement)[:3]:
        sentence = statement
    return f"- {escape_inline(sentence)} ({source}){origin_mark(of.origin, of.author)}"


def _grounds(facts: Iterable[Fact]) -> tuple[Ground, ...]:
    return tuple(Ground(f.citation, f.content, f.recorded, f.id) for f in facts)


def _about(fact: Fact) -> list[str]:
    return [m.name for m in fact.mentions if m.subject] or [m.name for m in fact.mentions][:1]


def _words_without_numbers(text: str, day: date) -> set[str]:
    """The words of a text beside its times and numbers, which two lines share by chance."""
    return {word for word in content_words(undated(text, day)) if not word[0].isdigit()}


class _Review:
    def __init__(self, content: BankContent, core: CoreMemory, lines: Sequence[CoreLine]) -> None:
        self.content, self.core, self.lines = content, core, lines
        self.by_place = {(f.citation.path, f.citation.start_line): f for f in content.facts}
        self.by_id = {fact.id: fact for fact in content.facts}
        self.opinion_of = {
            e.fact_id: opinion
            for opinion in content.opinions
            for e in opinion.evidence
            if e.reason in _STATING
        }
        self.by_word: dict[str, list[Fact]] = defaultdict(list)
        said = {word for line in lines for word in content_words(line.said)}
        names = {m.name for fact in content.facts for m in fact.mentions} if said else set()
        named = {name for name in names if not said.isdisjoint(content_words(name))}
        self.names = named
        for fact in content.facts if said else ():
            # Only who is named in the core memory can be spoken of there.
            if not fact.mentions or any(m.name in named for m in fact.mentions):
                for word in said.intersection(content_words(fact.content)):
                    self.by_word[word].append(fact)

    def stale(self) -> Iterator[Proposal]:
        """Lines that state what a newer fact replaced, or an opinion that is no longer held."""
        for line in self.lines:
            cited = line.cited
            fact = self.by_place.get((cited.path, cited.start_line)) if cited else None
            facts = [fact] if fact else self._saying(line)
            opinion = next((o for f in facts if (o := self.opinion_of.get(f.id))), None)
            if newer := self._successor(facts):
                yield from self._replacement(line, newer, facts[-1:])
            elif opinion and (proposals := self._of_opinion(line, opinion, facts[-1])):
                yield from proposals
            elif newer := self._ending(line):
                superseded = self.content.over.superseded
                olds = [f for f in self.content.facts if superseded.get(f.id) == newer.id]
                yield from self._replacement(line, newer, olds)
            elif doubt := self._doubt(line):
                yield doubt
            elif not facts and cited is not None and self._is_learned(line):
                yield self._edit(line, "", f"No fact stands at {cited} any more.", ())

    def _saying(self, line: CoreLine) -> list[Fact]:
        """The facts that say what a line says, of somebody that it names; oldest first."""
        words = set(content_words(line.said))
        near: dict[str, int] = defaultdict(int)
        for word in words:
            for fact in self.by_word.get(word, ()):
                near[fact.id] += 1
        found = []
        for fact in (self.by_id[id_] for id_, shared in near.items() if shared >= 2):
            about = {word for name in _about(fact) for word in content_words(name)}
            mine, theirs = set(content_words(fact.content)) - about, words - about
            is_same = len(mine & theirs) >= _SAME * len(mine | theirs) > 0
            if (is_same or self._holds_replaced(fact, mine, theirs)) and (
                not about or about & words
            ):
                found.append(fact)
        return sorted(found, key=lambda f: (str(f.recorded or ""), f.citation))

    def _holds_replaced(self, fact: Fact, mine: Set[str], theirs: Set[str]) -> bool:
        """Whether a line says all of a fact that was replaced, beside other things, and nothing of
        what replaces it."""
        newer = self.by_id.get(self.content.over.superseded.get(fact.id, ""))
        news = set(content_words(newer.content)) - mine if newer else set[str]()
        return bool(news) and len(mine) >= _CLAUSE_WORDS and mine <= theirs and not news & theirs

    def _ending(self, line: CoreLine) -> Fact | None:
        """The newest fact that says that what the line states is over."""
        said = content_words(line.said)
        near = {fact.id: fact for word in said for fact in self.by_word.get(word, ())}
        for fact in sorted(near.values(), key=lambda f: f.oldest_first, reverse=True):
            names = _name_tokens(fact)
            told = set(content_words(fact.content)) - names
            if names.isdisjoint(tokens(line.said)) or _says(set(said), told):
                continue  # about somebody else, or the line has the newer state already
            if _ends(fact, line.said):
                return fact
        return None

    def _doubt(self, line: CoreLine) -> Proposal | None:
        """To take out a clause that a newer fact about somebody named there may have ended: the
        newest that has half of its words, unless it says the same again. Whom the line is about
        stands in its first clause, which is doubted only where it is the only one."""
        said = {*content_words(line.said)}
        first, *rest = clauses_of(line.body)
        doubts: list[tuple[Fact, str]] = []
        for clause in rest or [first]:
            stated = _words_without_numbers(plain_text(clause), self.content.today)
            near = {f.id: f for word in stated for f in self.by_word.get(word, ())}
            for fact in near.values():
                settled = without_plans(fact.content)
                told = _words_without_numbers(settled, fact.recorded or self.content.today)
                about = {word for name in _about(fact) for word in content_words(name)}
                about = about or told.intersection(content_words(plain_text(first)))
                mine, theirs = told - about, stated - about
                shared = len(mine & theirs)
                if (
                    fact.kind in _MAY_END
                    and fact.recorded
                    and fact.id not in self.content.over.superseded
                    and about & said
                    and len(theirs) >= _CLAUSE_WORDS
                    and _DOUBTFUL * len(theirs) <= shared < _SAME * len(mine | theirs)
                ):
                    doubts.append((fact, clause))
        if not doubts:
            return None
        newest, clause = max(doubts, key=lambda each: each[0].oldest_first)
        if not rest:
            name = next((m.name for m in newest.mentions if m.subject), "")
            new = _line(name, newest.content, newest.citation, newest)
        else:
            new = re.sub(rf"[,;:.–—]\s+{re.escape(clause)}", "", line.text, count=1)
        why = f"'{clause}' may be over: on {newest.recorded} '{newest.content}' was written."
        return self._edit(line, new, why, [newest])

    def _successor(self, facts: Sequence[Fact]) -> Fact | None:
        """The fact that replaces the last of these, where all of them are replaced."""
        replaced = self.content.over.superseded
        if not facts or any(fact.id not in replaced for fact in facts):
            return None
        seen = {facts[-1].id}
        newest = replaced[facts[-1].id]
        while newest in replaced and newest not in seen:
            seen.add(newest)
            newest = replaced[newest]
        return self.by_id.get(newest)

    def _of_opinion(self, line: CoreLine, opinion: Opinion, said: Fact) -> list[Proposal]:
        """What becomes of a line that states an opinion; nothing where it is held."""
        against = (e.fact_id for e in opinion.evidence if e.stance is Stance.AGAINST)
        grounds = [self.by_id[id_] for id_ in against if id_ in self.by_id]
        now = next((o for o in self.content.opinions if o.id == opinion.superseded_by), None)
        if opinion.status is OpinionStatus.SUPERSEDED and now is not None:
            newest = [e.fact_id for e in now.evidence if e.fact_id in self.by_id][-1:]
            newer = self.by_id[newest[0]] if newest else said
            told = (now.entities[0] if now.entities else "", now.statement, now.source)
            return self._replacement(line, newer, [said], told=told)
        why = ""
        if opinion.status is OpinionStatus.RETRACTED:
            why = f"{opinion.id} was retracted by hand."
        elif opinion.confidence < _DOUBTED:
            why = f"The confidence of {opinion.id} fell to {opinion.confidence:.2f}."
        parts = self._parts_over(line, None, [said])
        return [self._edit(line, self._without(line, parts), why, grounds)] if why and parts else []

    def _is_learned(self, line: CoreLine) -> bool:
        """Whether the line was put there by accepting a proposal: it stands in that section."""
        above = self.core.text.split("\n")[: line.line]
        headings = [each.strip().lstrip("#").strip() for each in above if each.startswith("#")]
        return bool(headings) and headings[-1] == SECTION

    def _replacement(
        self,
        line: CoreLine,
        newer: Fact,
        older: Sequence[Fact],
        *,
        told: tuple[str, str, Citation] | None = None,
    ) -> list[Proposal]:
        """The line with the newer fact in place of what it ends. Where the line says more than that
        and an agent wrote the newer fact, or where one sentence says both, the newer fact gets a
        line of its own: its mark must not lie on the owner's words, nor these be lost."""
        subject = next((m.name for m in newer.mentions if m.subject), "")
        about, statement, source = told or (subject, newer.content, newer.citation)
        words = set(content_words(statement)) - set(content_words(about))
        day = f" on {newer.recorded.isoformat()}" if newer.recorded else ""
        over = self._parts_over(line, newer, older)
        others = (each for each in self.lines if each.line != line.line)
        if any(_says(set(content_words(each.said)), words) for each in others):
            why = f"Replaced{day}, and the newer state stands here."
            return [self._edit(line, self._without(line, over), why, [newer])] if over else []
        by = self.by_place.get((source.path, source.start_line), newer)
        new, grounds = _line(about, statement, source, by)[2:], [*older, newer]
        head, _, _ = line.text.partition(line.body)
        if len(over) == len(_parts(line.body)):
            return [self._edit(line, f"{head}{new}", f"Replaced{day}.", grounds)]
        if over and not origin_mark(by.origin, by.author):
            kept = [p for p in _parts(line.body) if p not in over]
            text = f"{head}{' '.join(kept)} {new}"
            return [self._edit(line, text, f"Replaced in part{day}.", grounds)]
        return [
            Proposal(
                id=proposal_id("beside", line.said, newer.id),
                action=ProposalAction.ADD,
                target=self.core.path,
                old="",
                new=f"- {new}",
                why=f"Line {line.line} is over in part{day}; the rest of it stays.",
                grounds=_grounds(grounds),
            )
        ]

    def _parts_over(
        self, line: CoreLine, newer: Fact | None, older: Sequence[Fact]
    ) -> Sequence[str]:
        """The sentences of a line that hold no longer; none where that cannot be decided, since the
        sentence speaks of somebody else as well."""
        known = {*content_words(" ".join(f.content for f in (*older, *filter(None, [newer]))))}
        known |= {word for fact in (*older, *filter(None, [newer])) for word in _name_tokens(fact)}
        parts = _parts(line.body)
        over = [
            part
            for part in parts
            if len(parts) == 1
            or any(_says({*content_words(f.content)}, {*content_words(part)}) for f in older)
            or (newer and _ends(newer, plain_text(part)))
        ]
        others = {n for part in over for n in self._names_in(part) if known.isdisjoint(tokens(n))}
        return () if others else over

    def _names_in(self, text: str) -> Iterable[str]:
        said = set(tokens(text))
        return (name for name in self.names if said.issuperset(tokens(name)))

    def _without(self, line: CoreLine, over: Sequence[str]) -> str:
        """The line without these sentences; with them goes its citation, which is theirs."""
        kept = [part for part in _parts(line.body) if part not in over]
        return line.text.partition(line.body)[0] + " ".join(kept) if kept else ""

    def _edit(self, line: CoreLine, new: str, why: str, facts: Sequence[Fact]) -> Proposal:
        action = ProposalAction.REPLACE if new else ProposalAction.REMOVE
        newest = facts[-1].id if new and facts else ""
        return Proposal(
            id=proposal_id(action.value, line.said, *filter(None, [newest])),
            action=action,
            target=self.core.path,
            old=line.text,
            new=new,
            why=why,
            grounds=_grounds(facts),
        )


def _parts(body: str) -> list[str]:
    return [body[start:end].strip() for start, end in sentence_spans(body)]


def _name_tokens(fact: Fact) -> frozenset[str]:
    return frozenset(word for name in _about(fact) for word in tokens(name))


def _ends(newer: Fact, text: str) -> bool:
    names = _name_tokens(newer)
    return ends(read_change(newer.content, names), read_stated(text, names))
