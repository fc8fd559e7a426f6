"""What a caller writes down: facts, notes and the core memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from lorebank.app.opened import Day, OpenWorkspace
from lorebank.domain import Citation, EvidenceMark, Fact, FactKind, Origin, Stance
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
        now: date | None = None,
    ) -> Fact:
        """Append a fact under the retain section of a day's log and return it with its citation.

        `text` may be a typed line itself (`O(c=0.9) @Peter: …`); what is given by name wins.
        `for_` and `against` are ids of opinions it speaks to, `replaces` of facts that hold no
        longer because of it: the line ends in `(ends f-…)`, and taking it out brings them back.
        `origin` says whose word it is. What recall printed is cut out of it, since it would be
        learned twice; `UsageError` where nothing else is left. `related` of the fact returned holds
        what it may restate, contradict or replace: rule on it (`Bank.rule`) while you know why.
        """
        from lorebank.inbox.registry import about
        from lorebank.markdown.fact_format import format_fact
        from lorebank.reflect.nearness import FINGERPRINT
        from lorebank.retain.compose import compose_fact

        today = self._today(now)
        recorded = parse_day(day, today, "date") or today
        marks = [EvidenceMark(Stance.FOR, self._opinion_id(o)) for o in for_]
        marks += [EvidenceMark(Stance.AGAINST, self._opinion_id(o)) for o in against]
        olds = (replaces,) if isinstance(replaces, str) else replaces
        if olds:
            self._freshen()
        fact = compose_fact(
            self._news(text),
            kind=parse_kind(kind),
            entities=entities,
            confidence=confidence,
            day=recorded,
            marks=marks,
            ends=[self._fact(old).id for old in olds],
            origin=Origin(parse_origin(origin)),
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
        return replace(written, related=about(self._desk(now), written))

    add = retain

    def log(self, text: str, *, day: Day = None, now: date | None = None) -> Citation:
        """Append a note to a day's log, as context of that day and no fact; where it stands."""
        from lorebank.retain.notes import append_note, new_note_log
        from lorebank.workspace.text_edit import edit_text

        text = self._news(text)
        today = self._today(now)
        recorded = parse_day(day, today, "date") or today
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
    ) -> CoreWrite:
        """Change the core memory: `append` a text (at the end of `section`, where given), `replace`
        `old`, which must stand there exactly once, or `insert` before `line`.

        Warns when the page grows large and raises `CoreMemoryFull` past its limit.
        """
        from lorebank.agent.core_memory import CoreEdit, CoreLimits, edit_core, measured
        from lorebank.workspace.text_edit import core_path, edit_text

        path = core_path(self.root)
        settings = self.config.core_memory
        limits = CoreLimits(settings.warn_tokens, settings.limit_tokens)
        text = self._news(text) if text else text
        edit = CoreEdit(action, text, old=old, line=line, section=section)
        reports: list[CoreWrite] = []

        def change(before: str | None) -> str:
            edited = edit_core(before or "", edit)
            reports.append(measured(before or "", edited, limits, path=path, action=action))
            return edited.text

        with WriterLock(self.root):
            edit_text(self.root, path, self.config, change)
        self._sync_words()
        return reports[-1]

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
