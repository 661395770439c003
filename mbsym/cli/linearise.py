"""mbsym linearise: A, B, C and D about a state."""

from __future__ import annotations

from mbsym.cli.delivery import DELIVERY, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import as_keywords, taken, verb
from mbsym.linear.options import OF_EQUILIBRIA, LinearOptions, OfLinearisation, OfModalSystem


@verb("mbsym linearise cart_pole", "mbsym linearise double_pendulum --at equilibrium -o linear.json")
def linearise(
    model: str = MODEL,
    options: LinearOptions = taken(LinearOptions, without=OF_EQUILIBRIA),
    reading: Reading = READING,
    delivery: Delivery = DELIVERY,
) -> None:
    """Linearise the equations of motion about a state: A, B, C and D, poles."""
    from mbsym.linear.analysis import linearise as run

    delivery.require_writable()
    options.require_meant()
    system = read_model(model, reading)
    if options.method != "equations":
        from mbsym.linear.modal_system import transfer_matrix_system

        with progress_bar() as progress:
            at = options.at or "equilibrium"
            modal = transfer_matrix_system(system, at, **as_keywords(options, OfModalSystem), progress=progress)
        delivery.deliver("linearise", system.name, modal.as_dict(), modal.text)
        return
    with progress_bar() as progress:
        found = run(system, options.at, **as_keywords(options, OfLinearisation), progress=progress)
    exact = found.symbolic() if options.symbols else None
    document, text = found.as_dict(), found.text
    if exact is not None:
        document["symbols"] = {
            letter: [[str(entry) for entry in matrix.row(k)] for k in range(matrix.rows)]
            for letter, matrix in zip("ABCD", exact, strict=True)
        }
        text += f"\n{exact.text}"
    delivery.deliver("linearise", system.name, document, text)
