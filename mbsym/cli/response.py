"""mbsym response: what small motions answer to forces that swing."""

from __future__ import annotations

import typer

from mbsym.cli.delivery import DELIVERY, Delivery
from mbsym.cli.in_unit import InUnit
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import as_keywords, taken, verb
from mbsym.doors import numpy as np
from mbsym.errors import AnalysisError
from mbsym.linear.options import LinearOptions, OfResponse


@verb("mbsym response double_pendulum --from 0.1 --to 10")
def response(
    model: str = MODEL,
    lowest: float = typer.Option(..., "--from", help="Lowest frequency [Hz].", parser=InUnit("Hz")),
    highest: float = typer.Option(..., "--to", help="Highest frequency [Hz].", parser=InUnit("Hz")),
    points: int = typer.Option(50, "--points", min=1, help="Frequencies, in equal ratios."),
    options: LinearOptions = taken(LinearOptions, "at", *OfResponse.__annotations__, at="equilibrium"),
    reading: Reading = READING,
    delivery: Delivery = DELIVERY,
) -> None:
    """Tell amplitude and phase of outputs per input over frequencies, about a state."""
    from mbsym.linear.response import frequency_response

    if not 0.0 < lowest <= highest < float("inf") or (lowest == highest and points > 1):
        raise AnalysisError(
            f"frequencies from {lowest:g} to {highest:g} Hz", where="--from", remedy="give two above zero, rising"
        )
    options.require_meant()
    delivery.require_writable()
    system = read_model(model, reading)
    hertz = np.geomspace(lowest, highest, points)
    with progress_bar() as progress:
        found = frequency_response(system, hertz, options.at, **as_keywords(options, OfResponse), progress=progress)
    delivery.deliver("response", system.name, found.as_dict(), found.text)
