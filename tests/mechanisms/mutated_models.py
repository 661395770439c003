"""Model files damaged at random: bytes, numbers, words and lines changed, doubled, exchanged or left out."""

from __future__ import annotations

import re
from random import Random

from mechanisms.damaged_models import BAD_VALUES, Seed

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(rb"[0-9][0-9.e+-]*")
_ELEMENT = re.compile(rb"<[^<>]*>")


def mutated(seed: Seed, number: int) -> bytes:
    """The file of a seed after one to three changes; the same number gives the same file."""
    random = Random(f"{seed.suffix} {number}")
    content = seed.text.encode()
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = random.choice((_byte, _byte, _number, _word, _word, _line, _element, _value))(content, random)
    return content


def _byte(content: bytes, random: Random) -> bytes:
    k = random.randrange(len(content) + 1)
    new = bytes((random.randrange(256),))
    return random.choice(
        (content[:k] + content[k + 1 :], content[:k] + new + content[k:], content[:k] + new + content[k + 1 :])
    )


def _replaced(content: bytes, random: Random, pattern: re.Pattern[bytes], new: bytes | None) -> bytes:
    """One match replaced by given bytes, or by another match."""
    found = list(pattern.finditer(content))
    if not found:
        return content
    start, stop = random.choice(found).span()
    return content[:start] + (random.choice(found).group() if new is None else new) + content[stop:]


def _number(content: bytes, random: Random) -> bytes:
    new = random.choice((b"0", b"-1", b"1e9", b"1e-9", b"nan", b"1e999", b"7", b"0.5", b"1" * 40, None))
    return _replaced(content, random, _NUMBER, new)


def _word(content: bytes, random: Random) -> bytes:
    found = _WORD.findall(content)
    word = random.choice(found)
    k = random.randrange(len(word))
    changed = random.choice((word[:k] + word[k + 1 :], word[:k] + b"x" + word[k:], word.upper(), None))
    return (
        _replaced(content, random, re.compile(re.escape(word)), changed)
        if changed is not None
        else _replaced(content, random, _WORD, None)
    )


def _line(content: bytes, random: Random) -> bytes:
    lines = content.split(b"\n")
    k, m = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(3)
    if kind == 0:
        del lines[k]
    elif kind == 1:
        lines.insert(m, lines[k])
    else:
        lines[k], lines[m] = lines[m], lines[k]
    return b"\n".join(lines)


def _element(content: bytes, random: Random) -> bytes:
    found = list(_ELEMENT.finditer(content))
    if not found:
        return _line(content, random)
    start, stop = random.choice(found).span()
    piece = random.choice((b"", content[start:stop] * 2, random.choice(found).group()))
    return content[:start] + piece + content[stop:]


def _value(content: bytes, random: Random) -> bytes:
    new = random.choice(BAD_VALUES).encode("utf-8", errors="surrogatepass")
    return _replaced(content, random, random.choice((_NUMBER, _WORD)), new)
