"""The way in: a path or the name of a bundled example becomes a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbsym.errors import FormatError
from mbsym.formats.load_options import DEFAULTS, LoadOptions
from mbsym.formats.xml_document import require_under
from mbsym.model.system import Model
from mbsym.records import Registry
from mbsym.shapes.forms import Mesh
from mbsym.shapes.mesh_file import PACKAGE, find_mesh
from mbsym.values.diagnostic import nearest

if TYPE_CHECKING:
    from mbsym.formats.mjcf import reader as mjcf
    from mbsym.formats.native import includes
    from mbsym.formats.native import reader as native
    from mbsym.formats.sdf import reader as sdf
    from mbsym.formats.urdf import reader as urdf
else:
    from mbsym.doors import Door

    native, urdf, mjcf, sdf = (Door(f"mbsym.formats.{name}.reader") for name in ("native", "urdf", "mjcf", "sdf"))
    includes = Door("mbsym.formats.native.includes")

__all__ = ["LoadOptions", "example_names", "example_path", "load"]

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """A format of model files.

    Attributes:
        name: of the format.
        sentence: what it is, for messages and documentation.
        suffixes: that tell its files, the usual one first.
        load: the model of a file; raises FormatError.
        heeds: the entries of ``LoadOptions`` that it heeds.
    """

    name: str
    sentence: str
    suffixes: tuple[str, ...]
    load: Callable[[Path, LoadOptions], Model]
    heeds: frozenset[str] = frozenset()


def _native(path: Path, options: LoadOptions) -> Model:
    return native.load_native(
        path, strict=options.strict, snap_angles=options.snap_angles, others=load, under=options.files_under
    )


NUMBERS: Final = frozenset({"strict", "snap_angles", "files_under"})
"""Options about numbers and files, which every format heeds."""

FORMATS: Final = Registry(
    "model format",
    (
        ModelFormat("native", "mbsym's own format, in YAML", (".yaml", ".yml"), _native, NUMBERS),
        ModelFormat(
            "urdf",
            "Unified Robot Description Format",
            (".urdf", ".xacro"),
            lambda path, options: urdf.load_urdf(path, options),
            NUMBERS | {"floating", "fixed_joints", "mimic", "joint_dynamics", "loops"},
        ),
        ModelFormat(
            "mjcf",
            "MuJoCo's format",
            (".xml", ".mjcf"),
            lambda path, options: mjcf.load_mjcf(path, options),
            NUMBERS | {"fixed_joints", "joint_dynamics", "actuators"},
        ),
        ModelFormat(
            "sdf",
            "Simulation Description Format, SDFormat",
            (".sdf", ".world"),
            lambda path, options: sdf.load_sdf(path, options),
            NUMBERS | {"fixed_joints", "mimic", "joint_dynamics"},
        ),
    ),
    FormatError,
)
"""All formats that models are read from."""


def known_suffixes() -> tuple[str, ...]:
    """Suffixes of all formats."""
    return tuple(suffix for form in FORMATS.values() for suffix in form.suffixes)


def load(source: str | Path, options: LoadOptions = DEFAULTS) -> Model:
    """The model of a file or of a bundled example.

    Args:
        source: a path whose suffix one of ``FORMATS`` knows, or the name of an example.
        options: how foreign descriptions are taken.

    Raises:
        FormatError: the file cannot be read, or what it describes is no mechanism; ``where`` is ``FILE:LINE:COL``.
    """
    path = _path(source)
    suffix = path.suffix.lower()
    found = next(form for form in FORMATS.values() if suffix in form.suffixes)
    if options.loops is not None and "loops" not in found.heeds:
        raise FormatError(
            "only a URDF has its loops in another file", where=str(path), remedy="say in the file what closes its loops"
        )
    model = replace(found.load(path, options), directory=str(path.parent))
    told = (*model.warnings, *_meshes_outside(model, path, options.files_under), *_unheeded(found, options))
    return replace(model, warnings=told)


def _meshes_outside(model: Model, path: Path, under: str | None) -> Iterator[str]:
    """Sentences on meshes that lie outside of the directory of the model, and of the package that this is in.

    Raises:
        FormatError: one lies outside the directory that was asked for.
    """
    names = dict.fromkeys(shape.form.file for shape in model.shapes if isinstance(shape.form, Mesh))
    if not names:
        return
    home = path.parent.resolve()
    tree = next((place for place in (home, *home.parents) if (place / "package.xml").is_file()), home)
    outside = []
    for name in names:
        try:
            mesh = find_mesh(name, str(home))
        except FormatError:
            continue  # of one that is not there is said where it is drawn or weighed
        if under is not None:
            require_under(mesh, f"the mesh {name!r}", under, str(path))
        elif not mesh.is_relative_to(tree) and not name.startswith(PACKAGE):
            outside.append(name)
    if outside:
        more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
        yield f"the mesh {outside[0]!r}{more} lies outside the directory of the model"


def _unheeded(found: ModelFormat, options: LoadOptions) -> Iterator[str]:
    """Sentences on what was asked for and is nothing that files of a format leave open."""
    for entry in fields(options):
        asked = getattr(options, entry.name)
        if asked != getattr(DEFAULTS, entry.name) and entry.name not in found.heeds:
            others = [form.name for form in FORMATS.values() if entry.name in form.heeds]
            asked = "" if asked is True else f" ({asked})"
            what = f"{entry.name.replace('_', ' ')}{asked} is asked for"
            yield f"{what}, and nothing that a file of format {found.name} leaves open: it is for {', '.join(others)}"


def example_names() -> tuple[str, ...]:
    """Names of the bundled examples, sorted."""
    return tuple(sorted(path.stem for path in EXAMPLES.glob("*.yaml")))


def example_path(name: str) -> Path:
    """The file of a bundled example, or of a part that models include by its name.

    Raises:
        FormatError: there is none of that name.
    """
    files = {each: EXAMPLES / f"{each}.yaml" for each in example_names()} | dict(includes.bundled_parts())
    if name not in files:
        remedy = nearest(name, files, f"there are {', '.join(files)}")
        raise FormatError(f"there is no example {name!r}", where=name, remedy=remedy)
    return files[name]


def _path(source: str | Path) -> Path:
    text = str(source)
    path = Path(source)
    if "\0" in text:
        raise FormatError("a path cannot hold a zero character", where=repr(text), remedy="check the path")
    if path.suffix.lower() in known_suffixes():
        return path
    if isinstance(source, str) and text in example_names():
        return example_path(text)
    if path.is_dir():
        raise FormatError("this is a directory", where=text, remedy="name the model file in it")
    if path.exists() or path.suffix:
        raise FormatError(
            f"a file that ends in {path.suffix!r} is of no known format" if path.suffix else "the file has no suffix",
            where=f"{text}:1:1",
            remedy=f"use a file that ends in {', '.join(known_suffixes())}",
        )
    near = get_close_matches(text, example_names(), n=1)
    remedy = f"did you mean the example {near[0]!r}?" if near else "give a path, or run 'mbsym examples' for the names"
    raise FormatError("there is neither a file nor an example of that name", where=text, remedy=remedy)
