"""Records of one kind by name: what can be added to mbsym (joints, force elements, languages, ...) is listed in one.

A record is one frozen object with a ``name``. What reads a registry (schema, validation, help, random mechanisms, ...)
asks it anew each time, so that a record which joins later is known everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Generic, Protocol, TypeVar

from mbsym.errors import MbsymError


class Record(Protocol):
    """Whatever has a name."""

    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=Record)


class Described(Record, Protocol):
    """A record with a sentence about it."""

    @property
    def sentence(self) -> str: ...


def listed(records: Mapping[str, Described]) -> str:
    """Names with what they stand for, as help has them."""
    return "; ".join(f"{name} ({record.sentence})" for name, record in records.items()) + "."


class Registry(Mapping[str, R], Generic[R]):
    """Records by name, in the order in which they were listed."""

    __slots__ = ("_check", "_error", "_records", "what")

    def __init__(
        self, what: str, records: Iterable[R], error: type[MbsymError], check: Callable[[R], None] | None = None
    ) -> None:
        """Lists records.

        Args:
            what: one of them is called in messages, such as "formulation".
            records: each with a name of its own; tests hold these to the check, which would cost time at each start.
            error: raised for names that are not listed.
            check: raises an error for a record that is added and does not keep what others rely on.
        """
        self.what = what
        self._error = error
        self._check: Callable[[R], None] | None = None
        self._records: dict[str, R] = {}
        for record in records:
            self.add(record)
        self._check = check

    def __getitem__(self, name: str) -> R:
        return self._records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<{self.what}: {', '.join(self)}>"

    def add(self, record: R) -> R:
        """Lists one more record and returns it.

        Raises:
            MbsymError: the name is taken, or the record fails the check.
        """
        if record.name in self._records:
            raise self._error(f"two records of {self.what} are named {record.name!r}", remedy="rename one of them")
        if self._check is not None:
            self._check(record)
        self._records[record.name] = record
        return record

    @contextmanager
    def including(self, *records: R) -> Iterator[None]:
        """Lists further records for the length of a ``with`` block."""
        before = dict(self._records)
        try:
            for record in records:
                self.add(record)
            yield
        finally:
            self._records = before

    def named(self, name: str, where: str = "") -> R:
        """The record of that name.

        Raises:
            MbsymError: there is none; the message names the nearest, or all.
        """
        if name in self._records:
            return self._records[name]
        near = get_close_matches(str(name), list(self), n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(self)}"
        raise self._error(f"no {self.what} is called {name!r}", where=where, remedy=remedy)
