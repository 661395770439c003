"""mbsym simulate: integrate a motion, check it, write and draw it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.in_unit import InUnit
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model, tell_warning
from mbsym.cli.taken import as_keywords, taken, verb
from mbsym.errors import SimulationError
from mbsym.option import FILES, option
from mbsym.simulation.options import OfSimulations, SimulationOptions

if TYPE_CHECKING:
    from mbsym.simulation.result import SimulationResult


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is written of a motion."""

    output: Path | None = option(None, "Table to write, .csv, .npz or .parquet.", "output", short="o", kind=Path)
    plot: Path | None = option(None, "Picture of the curves to write, .png or .svg.", "plot", kind=Path)
    quantity: tuple[str, ...] = option(
        (), "Curves of the plot: NAME,..., * for anything; default all that are not zero.", "quantity"
    )
    animation: Path | None = option(None, "Moving picture to write, .html or .gif.", "animation", kind=Path)

    def require_writable(self, force: bool) -> None:
        """What cannot be written in the end is refused before the work is done.

        Raises:
            MbsymError: it cannot.
        """
        from mbsym.simulation.output import TABLE_SUFFIXES, check_writable, require_pyarrow
        from mbsym.simulation.result import ANIMATION_SUFFIXES, PLOT_SUFFIXES, check_suffix
        from mbsym.visualisation.plots import require_matplotlib

        wanted = ((self.output, TABLE_SUFFIXES), (self.plot, PLOT_SUFFIXES), (self.animation, ANIMATION_SUFFIXES))
        for path, suffixes in wanted:
            if path is not None:
                check_suffix(path, suffixes)
                check_writable(path, force)
        if self.output is not None and self.output.suffix == ".parquet":
            require_pyarrow()
        if self.quantity and self.plot is None:
            raise SimulationError("curves are those of a plot", where="--quantity", remedy="add --plot FILE.png")
        if self.plot is not None:
            require_matplotlib()

    def write(self, result: SimulationResult, force: bool) -> list[Path]:
        """The files."""
        ways: tuple[tuple[Path | None, Callable[[Path], Path]], ...] = (
            (self.output, lambda path: result.save(path, force=force)),
            (self.plot, lambda path: result.save_plot(path, self.quantity, force=force)),
            (self.animation, lambda path: result.animate(path, force=force, tell=tell_warning)),
        )
        return [write(path) for path, write in ways if path is not None]


@verb(
    "mbsym simulate double_pendulum --duration 10 --initial q_shoulder=1.2 -o motion.csv",
    "mbsym simulate four_bar --duration 2 --animation motion.html",
    "mbsym simulate cart_pole --duration 5 --method Radau --input push=1",
)
def simulate(
    model: str = MODEL,
    duration: float = typer.Option(..., "--duration", help="Length of the motion [s].", parser=InUnit("s")),
    options: SimulationOptions = taken(SimulationOptions),
    drawing: Drawing = taken(Drawing, heading=FILES),
    reading: Reading = READING,
    delivery: Delivery = TELLING,
) -> None:
    """Integrate the motion of a model, check it, write it as a table, a plot or an animation."""
    from mbsym.simulation.integrate import simulate as run

    drawing.require_writable(delivery.force)
    if options.keeping.gains and options.keeping.correction != "baumgarte":
        raise SimulationError(
            "gains are those of the correction baumgarte", where="--gains", remedy="add --correction baumgarte"
        )
    system = read_model(model, reading)
    with progress_bar() as progress:
        result = run(system, duration, **as_keywords(options, OfSimulations), tell=tell_warning, progress=progress)
    written = drawing.write(result, delivery.force)
    delivery.tell("simulate", system.name, result.as_dict(), written, result.summary())
