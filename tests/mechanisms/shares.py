"""Shares of the further examples: each commit's check runs one, and a few commits' checks run all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from zlib import crc32


@dataclass(frozen=True)
class Share:
    """Share ``number`` of ``count``, from 0; every name is in exactly one of them, the same in all processes.

    Names are those of single tests: shares of whole files would differ many times over in what they take.
    """

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> Share:
        """The share that ``k/n`` names.

        Raises:
            ValueError: it names none.
        """
        found = re.fullmatch(r"(\d+)/(\d+)", text, re.ASCII)
        if found is None or not int(found[1]) < int(found[2]):
            raise ValueError(
                f"MBSYM_SHARE={text} is no share of the further examples; give k/n with k from 0 to n - 1, such as 0/3"
            )
        return cls(int(found[1]), int(found[2]))

    def __contains__(self, name: str) -> bool:
        return crc32(name.encode()) % self.count == self.number
