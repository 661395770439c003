"""Pictures as PNG and moving pictures as GIF, the same bytes in every run.

Sources: PNG specification, second edition; Graphics Interchange Format, version 89a.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from mbsym.doors import Array

_COLORS: Final = 255
"""Of a moving picture; one more stands for what stays as it was."""

_LONGEST: Final = 12
"""Bits of a code of a GIF."""


def png_bytes(picture: Array, mark: str) -> bytes:
    """A picture (height, width, 3) of bytes as a PNG file, the mark in its metadata."""
    height, width, _ = picture.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    told = chunk(b"tEXt", b"Software\0" + mark.encode("latin-1", "replace"))
    return b"\x89PNG\r\n\x1a\n" + head + told + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b"")


def gif_bytes(pictures: Sequence[Array], pause: int, mark: str) -> bytes:
    """Pictures (height, width, 3) of bytes, one after the other for ever, as a GIF file.

    Args:
        pictures: equally large.
        pause: between them [1/100 s].
        mark: for the file's comment.
    """
    height, width, _ = pictures[0].shape
    places, palette = _reduced(pictures)
    parts = [b"GIF89a", struct.pack("<HHBBB", width, height, 0xF7, 0, 0), palette.tobytes()]
    parts.append(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")
    parts.append(b"\x21\xfe" + _blocks(mark.encode("ascii", "replace")))
    before: Array | None = None
    for own in places:
        top, bottom, left, right = 0, height, 0, width
        shown = own
        if before is not None:
            changed = own != before
            shown = np.where(changed, own, _COLORS)
            rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
            top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 1)
            left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, 1)
        parts.append(b"\x21\xf9\x04" + struct.pack("<BHBB", 0x05, pause, _COLORS, 0))
        parts.append(b"\x2c" + struct.pack("<HHHHB", left, top, right - left, bottom - top, 0))
        parts.append(b"\x08" + _blocks(_packed(shown[top:bottom, left:right].ravel().tolist())))
        before = own
    return b"".join([*parts, b"\x3b"])


def _reduced(pictures: Sequence[Array]) -> tuple[list[Array], Array]:
    """Pictures as places in a palette (256, 3), whose colours are the most frequent ones of all pictures in steps."""
    keys = [_key(picture) for picture in pictures]
    found, counts = np.unique(np.concatenate([key.ravel() for key in keys]), return_counts=True)
    colors = np.stack([found >> 12 & 63, found >> 6 & 63, found & 63], axis=1).astype(float)
    kept = np.sort(np.lexsort((found, -counts))[:_COLORS])
    nearest = np.empty(len(found), np.int64)
    for start in range(0, len(found), 1024):
        rows = colors[start : start + 1024, None] - colors[kept]
        nearest[start : start + 1024] = np.argmin(np.sum(rows * rows, axis=-1), axis=1)
    palette = np.zeros((256, 3), np.uint8)
    palette[: len(kept)] = np.rint(colors[kept] * (255 / 63))
    return [nearest[np.searchsorted(found, key)] for key in keys], palette


def _key(picture: Array) -> Array:
    """Colours in 64 steps, as one number each."""
    steps = np.rint(picture.astype(float) * (63 / 255)).astype(np.int64)
    keys: Array = steps[..., 0] << 12 | steps[..., 1] << 6 | steps[..., 2]
    return keys


def _packed(values: list[int]) -> bytes:
    """Bytes as codes of growing length (Lempel, Ziv and Welch)."""
    clear, end = 256, 257
    bits, length, filled, out = 0, 9, 0, bytearray()

    def emit(code: int) -> None:
        nonlocal bits, filled
        bits |= code << filled
        filled += length
        while filled >= 8:
            out.append(bits & 255)
            bits >>= 8
            filled -= 8

    emit(clear)
    table: dict[tuple[int, int], int] = {}
    last = values[0]
    for value in values[1:]:
        known = table.get((last, value))
        if known is not None:
            last = known
            continue
        emit(last)
        code = end + 1 + len(table)
        if code < 1 << _LONGEST:
            table[last, value] = code
            if code == 1 << length:
                length += 1
        else:
            emit(clear)
            table.clear()
            length = 9
        last = value
    emit(last)
    emit(end)
    if filled:
        out.append(bits & 255)
    return bytes(out)


def _blocks(content: bytes) -> bytes:
    """Content in blocks of at most 255 bytes, each behind its length, and an empty one."""
    parts = [content[k : k + 255] for k in range(0, len(content), 255)]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"
