"""Names joined into groups, with pairs and single names that are to stay apart."""

from __future__ import annotations

from collections.abc import Iterable


class Partition:
    """A union of sets in which a join that would bring forbidden names together can be seen
    beforehand. Names need no announcing; one never joined is a group of its own."""

    def __init__(self, apart: Iterable[frozenset[str]] = (), alone: Iterable[str] = ()) -> None:
        self._head: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._alone = frozenset(alone)
        self._apart: dict[str, set[str]] = {}
        for pair in apart:
            for name in pair:
                self._apart.setdefault(name, set()).update(pair - {name})

    def head(self, name: str) -> str:
        """The name that stands for the group; which one is of no account."""
        return self._head.get(name, name)

    def members(self, name: str) -> list[str]:
        """All names of the group that holds `name`."""
        return self._members.get(self.head(name), [name])

    def join(self, a: str, b: str) -> None:
        """Make one group of the two names' groups."""
        kept, gone = self.head(a), self.head(b)
        if kept == gone:
            return
        if len(self.members(kept)) < len(self.members(gone)):
            kept, gone = gone, kept
        joined = self._members.setdefault(kept, [kept])
        for member in self._members.pop(gone, [gone]):
            self._head[member] = kept
            joined.append(member)

    def clash(self, a: str, b: str) -> tuple[str, str] | None:
        """Two names to be kept apart that joining `a` and `b` would bring together; the second is
        empty for a name that is to stay alone. `None`: nothing is against it."""
        if self.head(a) == self.head(b) or not (self._apart or self._alone):
            return None
        ours, theirs = self.members(a), self.members(b)
        lonely = sorted(self._alone.intersection([*ours, *theirs]))
        if lonely:
            return lonely[0], ""
        foreign = set(theirs)
        found = [
            (min(name, other), max(name, other))
            for name in ours
            for other in self._apart.get(name, set()) & foreign
        ]
        return min(found, default=None)
