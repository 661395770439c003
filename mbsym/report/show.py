"""A model to look at: the page on which it is moved by hand, and the pictures of its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mbsym import markup
from mbsym.doors import Array
from mbsym.errors import SimulationError
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.assembly import assemble
from mbsym.markup import Shown
from mbsym.model.frame_ends import on_bodies
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.simulation.output import MARK, check_writable, write_whole
from mbsym.simulation.result import check_suffix
from mbsym.visualisation.image_files import png_bytes
from mbsym.visualisation.posing import poses_at, show_html
from mbsym.visualisation.raster import film
from mbsym.visualisation.skeleton import skeleton
from mbsym.visualisation.still import still_svg
from mbsym.visualisation.surfaces import Surface, surfaces_of

SUFFIXES: Final = (".html", ".png")

PICTURE: Final = (960, 640)
"""Width and height of a picture [pixels]."""

LARGEST: Final = 200
"""Bodies above which a report has no pictures."""


def show_page(model: Model, order: str = "weight", tell: Callable[[str], None] | None = None) -> str:
    """The page of a checked model.

    Args:
        model: to be shown.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
        tell: is given a sentence for each mesh that cannot be drawn and for initial values that do not fit together.

    Raises:
        SimulationError: nothing can move, or the loops cannot be closed.
    """
    mechanism, q, surfaces = _assembled(model, order, tell)
    return show_html(mechanism, q, MARK, surfaces)


def show(source: Model | str | Path, *, order: str = "weight", height: int = 520) -> Shown:
    """The model with a slider for each coordinate, which a notebook shows in a frame.

    Args:
        source: a model, a model file, or the name of a bundled example.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
        height: of the frame [pixels].

    Raises:
        MbsymError: the model is unusable, nothing can move, or its loops cannot be closed.
    """
    return Shown(markup.frame(show_page(read(source), order), height))


def write_show(
    model: Model, path: Path, *, order: str = "weight", force: bool = False, tell: Callable[[str], None] | None = None
) -> Path:
    """Writes the page of a checked model, or a picture of it as a PNG, by the suffix.

    Args:
        model: to be shown.
        path: of the file.
        order, tell: see ``show_page``.
        force: overwrite a file that mbsym did not write.

    Raises:
        SimulationError: the suffix is neither, the file cannot be written, nothing can move, or the loops cannot be
            closed.
    """
    check_suffix(path, SUFFIXES)
    check_writable(path, force)
    if path.suffix == ".html":
        return write_whole(path, show_page(model, order, tell).encode(), force=force)
    mechanism, q, surfaces = _assembled(model, order, tell)
    (picture,) = film(skeleton(mechanism), poses_at(mechanism, q)[None], surfaces, PICTURE)
    return write_whole(path, png_bytes(picture, MARK), force=force)


def _assembled(
    model: Model, order: str, tell: Callable[[str], None] | None
) -> tuple[Mechanism, Array, tuple[Surface, ...]]:
    """The labelled model, coordinates with closed loops, and its surfaces."""
    model = on_bodies(model)
    mechanism = build_mechanism(model, model.label(order=order), "none")
    if not mechanism.nv:
        raise SimulationError("no joint can move", where=model.name, remedy="give the model a joint that is not fixed")
    assembly = assemble(mechanism)
    surfaces, warnings = surfaces_of(model)
    if tell is not None:
        for sentence in (*warnings, *([assembly.contradiction.sentence] if assembly.contradiction else ())):
            tell(sentence)
    return mechanism, assembly.q, surfaces


@dataclass(frozen=True, slots=True)
class Pictures:
    """An SVG picture, and a whole page; both empty where there is too much to draw, the page where nothing moves."""

    still: str
    turning: str


def pictures(mechanism: Mechanism, most: int = LARGEST) -> Pictures:
    """The mechanism at its initial coordinates, its loops closed, if it has so many bodies at most.

    Raises:
        MbsymError: the loops cannot be closed, or a mesh file is no such.
    """
    if mechanism.nb > most:
        return Pictures("", "")
    # In numbers, under the same labels.
    numbers = build_mechanism(on_bodies(mechanism.model), mechanism.labelling, "none")
    q = assemble(numbers).q
    still = still_svg(skeleton(numbers), poses_at(numbers, q))
    if not numbers.nv:
        return Pictures(still, "")
    surfaces, _ = surfaces_of(numbers.model)
    return Pictures(still, show_html(numbers, q, MARK, surfaces))
