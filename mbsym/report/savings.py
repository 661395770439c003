"""What each way to fewer operations saves, function by function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mbsym.kinematics.simplifications import SIMPLIFICATIONS
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import Progress, derive, express, read


@dataclass(frozen=True, slots=True)
class Savings:
    """Operations (+ - * /) of functions as one simplification after the other is applied; its text is a table.

    Attributes:
        steps: the simplifications in order.
        counts: by function, without any of them, then after each.
    """

    steps: tuple[str, ...]
    counts: Mapping[str, tuple[int, ...]]

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Operations by function, and by "as derived" and the steps."""
        return {name: dict(zip(("as derived", *self.steps), row, strict=True)) for name, row in self.counts.items()}

    def __str__(self) -> str:
        width = max(len(name) for name in ("function", *self.counts))
        header = f"{'function':{width}} {'as derived':>11}" + "".join(f"{step:>13}" for step in self.steps)
        rows = (
            f"{name:{width}} {first:>11}" + "".join(f"{count:>13}" for count in others)
            for name, (first, *others) in self.counts.items()
        )
        return "\n".join((header, *rows))


def savings(
    source: Model | str | Path, options: GenerationOptions | None = None, progress: Progress | None = None
) -> Savings:
    """Derives the functions of a model once for each simplification, with those before it.

    Args:
        source: a model, a model file, or the name of a bundled example.
        options: which functions; what they say of simplifications does not count.
        progress: told of each step.

    Raises:
        MbsymError: the model or a name is unusable.
    """
    options, model = options or GenerationOptions(), read(source)
    steps = tuple(SIMPLIFICATIONS)
    counts: dict[str, list[int]] = {}
    for place in range(len(steps) + 1):
        wanted = replace(options, simplify=steps[:place])
        for name, count in derive(express(model, wanted), wanted, progress).operation_counts.items():
            counts.setdefault(name, []).append(count.arithmetic)
    return Savings(steps, {name: tuple(found) for name, found in counts.items()})
