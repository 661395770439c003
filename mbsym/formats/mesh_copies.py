"""Meshes of a model that is written elsewhere: which its new place would not find, and copies beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import copyfile

from mbsym.errors import FormatError
from mbsym.model.system import Model
from mbsym.shapes.forms import Mesh
from mbsym.shapes.mesh_file import find_mesh

MATERIALS = ".mtl"


def meshes_elsewhere(model: Model, target: Path) -> dict[str, Path]:
    """Meshes that are found from the directory of the model but not from that of its new file, by their names."""
    found: dict[str, Path] = {}
    for shape in model.shapes:
        if isinstance(shape.form, Mesh) and shape.form.file not in found:
            here = _found(shape.form.file, model.directory)
            if here is not None and _found(shape.form.file, str(target.parent)) != here:
                found[shape.form.file] = here
    return found


def _found(file: str, directory: str) -> Path | None:
    try:
        return find_mesh(file, directory)
    except FormatError:
        return None


def with_copied_meshes(model: Model, target: Path) -> tuple[Model, dict[Path, Path]]:
    """The model with names of copies beside its new file, and the copies to make: what of.

    They stand in a directory STEM_meshes under their own names, a second one of a name in a directory 2 within, so that
    each finds its materials under the name that it knows them by.
    """
    names: dict[str, str] = {}
    copies: dict[Path, Path] = {}
    folder = f"{target.stem}_meshes"
    for file, source in meshes_elsewhere(model, target).items():
        if source in copies.values():
            copy = next(path for path, origin in copies.items() if origin == source)
        else:
            copy, count = target.parent / folder / source.name, 1
            while copy in copies:
                count += 1
                copy = target.parent / folder / str(count) / source.name
            copies[copy] = source
        names[file] = copy.relative_to(target.parent).as_posix()
    shapes = tuple(
        replace(shape, form=replace(shape.form, file=names.get(shape.form.file, shape.form.file)))
        if isinstance(shape.form, Mesh)
        else shape
        for shape in model.shapes
    )
    return replace(model, shapes=shapes), copies


def write_copies(copies: dict[Path, Path], *, force: bool) -> None:
    """Copies meshes, and the materials beside them.

    Raises:
        FormatError: another file is in the way, or a file cannot be written.
    """
    for copy, source in copies.items():
        if copy.exists() and not force and copy.read_bytes() != source.read_bytes():
            raise FormatError(
                "another file has the name of a mesh", where=str(copy), remedy="remove it, or use `force`"
            )
    for copy, source in copies.items():
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copyfile(source, copy)
            if source.with_suffix(MATERIALS).is_file():
                copyfile(source.with_suffix(MATERIALS), copy.parent / source.with_suffix(MATERIALS).name)
        except OSError as error:
            raise FormatError(
                f"the mesh cannot be written ({error.strerror})", where=str(copy), remedy="check the directory"
            ) from None
