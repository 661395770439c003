"""Programs built for a Cortex-M and run by qemu, with the start-up code and the memory of ``examples/cortex_m``."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mechanisms.generated_c import require, run

START: Final = Path(__file__).resolve().parents[2] / "examples" / "cortex_m"


@dataclass(frozen=True)
class Core:
    """A processor and the board of qemu that has it."""

    name: str
    cpu: str
    fpu: str
    board: str

    @property
    def flags(self) -> tuple[str, ...]:
        return (f"-mcpu={self.cpu}", "-mthumb", "-mfloat-abi=hard", f"-mfpu={self.fpu}")

    def built(self, program: Path, sources: Sequence[Path], *flags: str) -> Path:
        """The program, linked; without a word from the compiler."""
        require("arm-none-eabi-gcc", "qemu-system-arm")
        texts = [str(START / "startup.c"), *map(str, sources)]
        link = ("--specs=rdimon.specs", "-T", str(START / "mps2.ld"))
        done = run(
            "arm-none-eabi-gcc", *self.flags, "-std=c99", "-O2", *flags, *link, *texts, "-lm", "-o", str(program)
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
        return program

    def ran(self, program: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """What the program printed, and its exit status."""
        semihosting = ("-semihosting-config", "enable=on,target=native")
        quiet = ("-nographic", "-monitor", "none", "-serial", "none")
        return run(
            "timeout",
            "120",
            "qemu-system-arm",
            "-M",
            self.board,
            *quiet,
            *semihosting,
            *options,
            "-kernel",
            str(program),
        )


M4F: Final = Core("M4F", "cortex-m4", "fpv4-sp-d16", "mps2-an386")
M7: Final = Core("M7", "cortex-m7", "fpv5-d16", "mps2-an500")
"""The latter computes with doubles in hardware."""
