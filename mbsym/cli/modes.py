"""mbsym modes: frequencies, damping and shapes of small motions."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.delivery import DELIVERY, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import as_keywords, taken, verb
from mbsym.linear.options import LinearOptions, OfModes, OfVibration

_OWN = ("at", "method", "tau", *OfVibration.__annotations__)


@verb("mbsym modes double_pendulum", "mbsym modes cart_pole --at equilibrium:2 --page modes.html")
def modes(
    model: str = MODEL,
    options: LinearOptions = taken(LinearOptions, *_OWN, at="equilibrium"),
    page: Path | None = typer.Option(None, "--page", help="Animated page of the shapes to write, .html."),
    reading: Reading = READING,
    delivery: Delivery = DELIVERY,
) -> None:
    """Tell frequencies, damping ratios and shapes of small motions about a state."""
    from mbsym.linear.analysis import modes as run
    from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes

    options.require_meant()
    if page is not None:
        from mbsym.simulation.output import check_writable
        from mbsym.simulation.result import check_suffix

        check_suffix(page, (".html",))
        check_writable(page, delivery.force)
    delivery.require_writable()
    system = read_model(model, reading)
    with progress_bar() as progress:
        if options.method == "equations":
            found = run(system, options.at, **as_keywords(options, OfModes), progress=progress)
            text, document, draw = found.text, found.as_dict(), found.page
        else:
            vibrating = transfer_matrix_modes(
                system, options.at, **as_keywords(options, OfVibration), progress=progress
            )
            text, document, draw = vibrating.text, vibrating.as_dict(), vibrating.page
    written = (draw(page, force=delivery.force),) if page is not None else ()
    delivery.deliver("modes", system.name, document, text, written)
