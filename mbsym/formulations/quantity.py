"""What makes a formulation what it is: arrays of its own, by name, besides the functions that every mechanism has.

A quantity is looked at and computed with, not generated. Its derivation returns entries of the mechanism's graph, made
by what the formulation's functions are made of; the contract makes the Program of them, as for any function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Contract, Derived, Display, Entries, Result, Size, head_of, sizes_of
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Program
from mbsym.symbolic.scalar import Scalar

LARGEST_CLOSED_FORM: Final = 5000
"""Operations of an array, counted as printed text has them, above which it is shown as named steps."""

NOTHING: Final[Mapping[Size, str]] = {
    "nv": "no joint moves",
    "held": "no joint holds a direction of its body",
    "independent": "the constraints leave no freedom: this is a structure",
}
"""Why arrays of these sizes may have no entries."""


Derive: TypeAlias = Callable[[Mechanism], "Entries | Derived"]
Sizes: TypeAlias = Callable[[Mechanism], Mapping[str, int]]
Told: TypeAlias = Callable[[Mechanism], tuple[str, ...]]


def bodies(mechanism: Mechanism) -> dict[str, int]:
    """Sizes of arrays with six entries a body."""
    return {"6nb": 6 * mechanism.nb}


def nothing_to_tell(mechanism: Mechanism) -> tuple[str, ...]:
    """What is to be said of arrays that are the same everywhere."""
    return ()


def block_diagonal(mechanism: Mechanism, blocks: Iterable[Sequence[Sequence[Scalar]]]) -> Entries:
    """A 6 x 6 block a body by label on the diagonal."""
    size = 6 * mechanism.nb
    rows = [[Scalar(mechanism.graph, 0)] * size for _ in range(size)]
    for first, block in zip(range(0, size, 6), blocks, strict=True):
        for r, row in enumerate(block):
            rows[first + r][first : first + 6] = row
    return rows


@dataclass(frozen=True, slots=True, repr=False)
class Quantity:
    """An array of a formulation's own.

    Attributes:
        name: by which it is asked for.
        letter: in formulas.
        title: heading of documents.
        sentence: what it is, with order of rows and columns, axes and units.
        shape: lengths, as numbers or as whose number they are.
        inputs: names of what it depends on, in order.
        source: where it is defined, for people to look up.
        derive: makes its entries, row-major; with inputs that are not the mechanism's, if it has any.
        sizes: lengths that the mechanism does not know; raises DerivationError where a mechanism lacks the quantity.
        symmetric: True where documents leave out entries below the diagonal.
        longest: operations, counted as printed text has them, above which documents show it as named steps.
        told: what is to be said about it for this mechanism, such as where it holds, in sentences.
        part: makes the quantity that is meant by what stands in brackets behind the name; None where nothing may.
    """

    name: str
    letter: str
    title: str
    sentence: str
    shape: tuple[Size, ...]
    inputs: tuple[str, ...]
    source: str
    derive: Derive
    sizes: Sizes = bodies
    symmetric: bool = False
    longest: int = LARGEST_CLOSED_FORM
    told: Told = nothing_to_tell
    part: Callable[[Quantity, Mechanism, str], Quantity] | None = None

    def __repr__(self) -> str:
        shape = f", {' x '.join(map(str, self.shape))}" if self.shape else ""
        return f"<Quantity {self.name}{shape}: {self.sentence}>"

    @property
    def display(self) -> Display:
        """How documents show it."""
        return Display(self.letter, self.title, self.sentence, self.symmetric)

    def require(self, mechanism: Mechanism) -> Mapping[str, int]:
        """The lengths of its shape; nothing is derived.

        Raises:
            DerivationError: the mechanism has no such quantity; the message says why.
        """
        found = {**sizes_of(mechanism), **self.sizes(mechanism)}
        for size in self.shape:
            if isinstance(size, str) and not found[size]:
                raise DerivationError(
                    f"{self.name} has no entries, for {NOTHING.get(size, f'{size} is 0')}",
                    where=mechanism.model.name,
                    remedy="look at the others",
                )
        return found

    def __call__(self, mechanism: Mechanism) -> Program:
        """The Program that computes it.

        Raises:
            DerivationError: the mechanism has no such quantity.
        """
        sizes = self.require(mechanism)
        result = Result(self.letter, self.shape, "", self.sentence)
        contract = Contract(self.name, self.inputs, (result,), self.sentence, self.display)
        found = self.derive(mechanism)
        derived = found if isinstance(found, Derived) else Derived(found)
        return contract.program(mechanism, replace(derived, sizes=sizes))


def quantity(
    head: str,
    title: str,
    sentence: str,
    source: str,
    derive: Derive,
    *,
    sizes: Sizes = bodies,
    symmetric: bool = False,
    told: Told = nothing_to_tell,
) -> Quantity:
    """A quantity by its head, see ``head_of``."""
    letter, name, inputs, shape = head_of(head)
    return Quantity(name, letter, title, sentence, shape, inputs, source, derive, sizes, symmetric, told=told)


def quantities_by_name(*quantities: Quantity) -> Mapping[str, Quantity]:
    """Quantities of a formulation, in order."""
    return {quantity.name: quantity for quantity in quantities}


def named_quantity(quantities: Mapping[str, Quantity], name: str, mechanism: Mechanism) -> Quantity | None:
    """The quantity of that name, such as A, or the part of one, such as U(NAME) of a body; None where there is none.

    Raises:
        DerivationError: what stands in brackets is no part of this mechanism's.
    """
    whole, bracket, what = name.partition("(")
    found = quantities.get(whole.strip())
    if found is None or not bracket:
        return found
    if found.part is None or not what.endswith(")"):
        raise DerivationError(
            f"{whole} has no part {bracket}{what}", where=mechanism.model.name, remedy=f"ask for {whole} as a whole"
        )
    return found.part(found, mechanism, what[:-1].strip())
