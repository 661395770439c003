"""mbsym beside Pinocchio, CasADi and MuJoCo: builds of all, measured in turn by one clock."""

from __future__ import annotations
