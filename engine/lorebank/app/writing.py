"""What a caller writes down: facts, notes and the core memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from lorebank.app.opened import Day, OpenWorkspace
from lorebank.domain import (
    NOBODY,
    Author,
    Citation,
    EvidenceMark,
    Fact,
    FactKind,
    Origin,
    Proposal,
    Stance,
)
from lorebank.errors import UsageError
from lorebank.index.items import facts_by_place
from lorebank.recall.filters import parse_day, parse_origin
from lorebank.retain.kinds import parse_kind
from lorebank.workspace.layout import LogPattern
from lorebank.workspace.lock import WriterLock

if TYPE_CHECKING:
    from lorebank.agent.core_memory import CoreWrite


class Writing(OpenWorkspace):
    """Writing into logs and the core memory."""

    def retain(
        self,
        text: str,
        *,
        kind: FactKind | str | None = None,
        entities: Sequence[str] = (),
        confidence: float | None = None,
        day: Day = None,
        for_: Sequence[str] = (),
        against: Sequence[str] = (),
        replaces: Sequence[str] | str = (),
        origin: Origin | str = Origin.OWNER,
        author: Author = NOBODY,
        now: date | None = None,
    ) -> Fact:
        """Append a fact under the retain section of a day's log and return it with its citation.

        `text` may be a typed line itself (`O(c=0.9) @Peter: …`); what is given by name wins.
        `for_` and `against` are ids of opinions it speaks to, `replaces` of facts that hold no
        longer because of it: the line ends in `(ends f-…)`, and taking it out brings them back.
        `origin` says whose word it is. What recall printed is cut out of it, since it would be
        learned twice; `UsageError` where nothing else is left. `author` is the agent that writes,
        if one does: its line says so, holds no secret and no private part, and is of one of the
        last days. `related` of the fact returned holds what it may restate, contradict or replace:
        rule on it (`Bank.rule`) while you know why.
        """
        from lorebank.agent.authored import admitted, as_written_by
        from lorebank.inbox.registry import about
        from lorebank.markdown.fact_format import format_fact
        from lorebank.reflect.nearness import FINGERPRINT
        from lorebank.retain.compose import compose_fact

        today = self._today(now)
        recorded = parse_day(day, today, "date") or today
        origin, author = as_written_by(author, Origin(parse_origin(origin)), today, recorded)
        news = self._news(admitted(text) if origin is Origin.AGENT else text)
        marks = [EvidenceMark(Stance.FOR, self._opinion_id(o)) for o in for_]
        marks += [EvidenceMark(Stance.AGAINST, self._opinion_id(o)) for o in against]
        olds = (replaces,) if isinstance(replaces, str) else replaces
        if olds:
            self._freshen()
        fact = compose_fact(
            news,
            kind=parse_kind(kind),
            entities=entities,
            confidence=confidence,
            day=recorded,
            marks=marks,
            ends=[self._fact(old).id for old in olds],
            origin=origin,
            author=author,
        )
        path = LogPattern.compile(self.config.workspace.log_pattern).path_for(recorded)
        with WriterLock(self.root):
            line = self._append(path, format_fact(fact), recorded)
        if self._vectors_of is not None:
            self._meaning.embed_texts(FINGERPRINT, [fact.content])
        self._sync_words()
        written = facts_by_place(self._index, path, line)
        if written is None:
            return replace(fact, citation=Citation(path, line, line))
        if self.group:
            return written  # the inbox is the owner's, and not for a group
        return replace(written, related=about(self._open_desk(now), written))

    add = retain

    def log(
        self, text: str, *, day: Day = None, author: Author = NOBODY, now: date | None = None
    ) -> Citation:
        """Append a note to a day's log, as context of that day and no fact; where it stands.
        `author` as in `retain`."""
        from lorebank.agent.authored import admitted, as_written_by
        from lorebank.markdown.origin import origin_mark
        from lorebank.retain.append import one_paragraph
        from lorebank.retain.notes import append_note, new_note_log
        from lorebank.workspace.text_edit import edit_text

        today = self._today(now)
        recorded = parse_day(day, today, "date") or today
        origin, author = as_written_by(author, Origin.OWNER, today, recorded)
        text = self._news(text)
        if origin is Origin.AGENT:  # on one line, so that the mark is that of all it says
            text = f"{one_paragraph(admitted(text))}{origin_mark(origin, author)}"
        path = LogPattern.compile(self.config.workspace.log_pattern).path_for(recorded)
        places: list[Citation] = []

        def add(before: str | None) -> str:
            log = new_note_log(recorded) if before is None else before
            done = append_note(log, text, path=path, headings=self._read_settings.retain_headings)
            last = done.line + text.strip().count("\n")
            places.append(Citation(path, done.line, last))
            return done.text

        with WriterLock(self.root):
            edit_text(self.root, path, self.config, add)
        self._sync_words()
        return places[-1]

    def memory_write(
        self,
        action: str,
        text: str = "",
        *,
        old: str = "",
        line: int | None = None,
        section: str = "",
        author: Author = NOBODY,
        now: date | None = None,
    ) -> CoreWrite:
        """Change the core memory: `append` a text (at the end of `section`, where given), `replace`
        `old`, which must stand there exactly once, or `insert` before `line`.

        Warns when the page grows large and raises `CoreMemoryFull` past its limit. The lines of an
        agent (`author`) are marked; its orders, and its changes to the owner's lines, are proposed
        to the owner instead (`CoreWrite.proposed`).
        """
        from lorebank.agent.authored import core_request
        from lorebank.agent.core_memory import CoreEdit, CoreLimits, edit_core, measured
        from lorebank.language.words import estimate_tokens
        from lorebank.workspace.text_edit import core_path, edit_text
        from lorebank.workspace.text_file import read_text_file

        self._refuse_in_group("the core memory")
        path = core_path(self.root)
        text = self._news(text) if text else text
        edit = CoreEdit(action, text, old=old, line=line, section=section)
        settings = self.config.core_memory
        limits = CoreLimits(settings.warn_tokens, settings.limit_tokens)
        reports: list[CoreWrite] = []

        with WriterLock(self.root):
            if author is not NOBODY:
                before = read_text_file(self.root, path).text
                request = core_request(path, before, edit, author, self._today(now))
                if isinstance(request, tuple):
                    return self._propose(request, estimate_tokens(before))
                edit = request

            def change(before: str | None) -> str:
                edited = edit_core(before or "", edit)
                reports.append(measured(before or "", edited, limits, path=path, action=action))
                return edited.text

            edit_text(self.root, path, self.config, change)
        self._sync_words()
        return reports[-1]

    def _propose(self, asked: Sequence[Proposal], core_tokens: int) -> CoreWrite:
        """Put an agent's requests before the owner; the caller holds the writer's lock."""
        from lorebank.agent.core_memory import CoreWrite
        from lorebank.markdown.proposal_pages import AGENT_PROPOSALS
        from lorebank.reflect.proposals import propose
        from lorebank.workspace.text_file import read_text_file

        propose(self.root, asked)
        ids = tuple(proposal.id for proposal in asked)
        text = read_text_file(self.root, AGENT_PROPOSALS).text
        lines = [n for n, line in enumerate(text.split("\n"), 1) if any(i in line for i in ids)]
        return CoreWrite(
            AGENT_PROPOSALS,
            "propose",
            lines[0],
            lines[-1],
            core_tokens,
            self.config.core_memory.limit_tokens,
            f"not written: proposed to the owner, who rules on it in the inbox ({', '.join(ids)})",
            ids,
        )

    def _news(self, text: str) -> str:
        """A text without what recall printed; says what was left out."""
        from lorebank.markdown.recalled import strip_recalled

        stripped = strip_recalled(text)
        if not stripped.removed:
            return text
        if not stripped.text.strip():
            raise UsageError(
                "nothing to write: this is what recall printed, not news",
                hint="write down what is new in words of its own",
            )
        self._say(f"left out {len(stripped.removed)} recalled lines: they are remembered already")
        return stripped.text
