"""Where chunks of a sweep wait until all are done, and where its results are kept: NPZ files and Zarr stores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Protocol
from zipfile import BadZipFile

import numpy as np

from mbsym import __version__
from mbsym.errors import CodegenError, ToolchainError
from mbsym.sweeps.values import Values
from mbsym.sweeps.work import Chunk, Task

SUFFIXES: Final = (".npz", ".zarr")
DONE: Final = "done"
"""The array of a Zarr store that says which chunks are in it."""


class Store(Protocol):
    """Where the chunks of one sweep go."""

    def there(self) -> set[int]:
        """Numbers of chunks that are done."""
        ...

    def write(self, place: int, chunk: Chunk) -> None:
        """Keeps a chunk."""
        ...

    def whole(self) -> dict[str, Any]:
        """All results by name, when all chunks are there."""
        ...


class Memory:
    """Chunks that nobody keeps."""

    def __init__(self) -> None:
        self._found: dict[int, Chunk] = {}

    def there(self) -> set[int]:
        """None but those of this sweep."""
        return set(self._found)

    def write(self, place: int, chunk: Chunk) -> None:
        """Keeps a chunk."""
        self._found[place] = chunk

    def whole(self) -> dict[str, Any]:
        """All results by name."""
        found = self._found
        return {name: np.concatenate([found[place][name] for place in sorted(found)]) for name in found[min(found)]}


class Archive:
    """An NPZ file; until all are done, chunks wait beside it in a folder, where another sweep's do not count."""

    def __init__(self, target: Path, key: str, pieces: int) -> None:
        self._target = target
        self._folder = target.with_name(f"{target.name}.parts")
        self._key = key
        self._found = Memory()
        for place in range(pieces):
            chunk = self._read(place)
            if chunk is not None:
                self._found.write(place, chunk)

    def there(self) -> set[int]:
        """Numbers of chunks that are whole."""
        return self._found.there()

    def _path(self, place: int) -> Path:
        return self._folder / f"{self._key}-{place}.npz"

    def _read(self, place: int) -> Chunk | None:
        try:
            with np.load(self._path(place), allow_pickle=False) as file:
                return dict(file)
        except (OSError, ValueError, BadZipFile):
            return None

    def write(self, place: int, chunk: Chunk) -> None:
        """Keeps a chunk."""
        self._folder.mkdir(parents=True, exist_ok=True)
        _write(self._path(place), chunk)
        self._found.write(place, chunk)

    def whole(self) -> dict[str, Any]:
        """All results, which are in the file then; the chunks of this sweep are gone."""
        found = self._found.whole()
        _write(self._target, found)
        if self._folder.is_dir():
            for path in self._folder.glob(f"{self._key}-*.npz"):
                path.unlink()
            if not any(self._folder.iterdir()):
                self._folder.rmdir()
        return found


class ZarrStore:
    """A Zarr store, into which chunks go as they are done: results need not fit into memory."""

    def __init__(self, target: Path, key: str, pieces: Sequence[tuple[int, int]]) -> None:
        try:
            import zarr
        except ImportError:
            raise ToolchainError(
                "Zarr stores are written by zarr, which is not installed",
                remedy="install it (pip install 'mbsym[zarr]'), or write .npz",
            ) from None
        self._pieces = pieces
        group = zarr.open_group(str(target), mode="a")
        if group.attrs.get("sweep") != key:
            group = zarr.open_group(str(target), mode="w")
            group.attrs["sweep"] = key
        self._group: Any = group
        if DONE not in group:
            # One chunk an entry: what says that a chunk is there is written whole or not at all.
            self._group.create_array(DONE, shape=(len(pieces),), chunks=(1,), dtype="bool")

    def there(self) -> set[int]:
        """Numbers of chunks that are done."""
        return {int(place) for place in np.flatnonzero(self._group[DONE][:])}

    def write(self, place: int, chunk: Chunk) -> None:
        """Puts a chunk in its place."""
        start, end = self._pieces[place]
        longest = max(1, self._pieces[0][1])
        for name, array in chunk.items():
            if name not in self._group:
                shape, chunks = (self._pieces[-1][1], *array.shape[1:]), (longest, *array.shape[1:])
                self._group.create_array(name, shape=shape, chunks=chunks, dtype=array.dtype)
            self._group[name][start:end] = array
        self._group[DONE][place] = True

    def whole(self) -> dict[str, Any]:
        """The arrays of the store, which read what is asked of them."""
        return {name: self._group[name] for name in sorted(self._group) if name != DONE}


def store_of(output: Path | None, task: Task, values: Values, pieces: Sequence[tuple[int, int]]) -> Store:
    """Where the chunks of a sweep go."""
    if output is None:
        return Memory()
    key = _key(task, values, pieces)
    return ZarrStore(output, key, pieces) if output.suffix == ".zarr" else Archive(output, key, len(pieces))


def require_suffix(output: Path) -> None:
    """Raises CodegenError where results cannot be kept so."""
    if output.suffix not in SUFFIXES:
        ends = " or ".join(SUFFIXES)
        raise CodegenError(f"no results can be kept in {output.name!r}", where="sweep", remedy=f"end it in {ends}")


def _key(task: Task, values: Values, pieces: Sequence[tuple[int, int]]) -> str:
    every = list(values.each())
    told = [(name, array.shape) for name, array, _ in every]
    digest = sha256(repr((__version__, task, told, tuple(values.parameters), pieces)).encode())
    for _, array, _ in every:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _write(path: Path, arrays: Mapping[str, Any]) -> None:
    """The arrays in a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    with scratch.open("wb") as file:
        np.savez(file, **dict(arrays))
    os.replace(scratch, path)
