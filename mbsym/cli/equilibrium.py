"""mbsym equilibrium: states in which nothing moves, and their stability."""

from __future__ import annotations

from mbsym.cli.delivery import DELIVERY, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import as_keywords, taken, verb
from mbsym.linear.options import OF_EQUILIBRIA, LinearOptions, OfEquilibria


@verb("mbsym equilibrium double_pendulum", "mbsym equilibrium four_bar --starts 40")
def equilibrium(
    model: str = MODEL,
    options: LinearOptions = taken(LinearOptions, "at", *OF_EQUILIBRIA, *OfEquilibria.__annotations__),
    reading: Reading = READING,
    delivery: Delivery = DELIVERY,
) -> None:
    """Find equilibria and tell their stability."""
    from mbsym.linear.analysis import equilibrium as run

    delivery.require_writable()
    system = read_model(model, reading)
    with progress_bar() as progress:
        found = run(system, options.free, options.at, **as_keywords(options, OfEquilibria), progress=progress)
    delivery.deliver("equilibrium", system.name, found.as_dict(), found.text)
