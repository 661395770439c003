"""Topology: from joints in any numbering to regular labels, cut joints and the path matrix.

Integers and tuples only. ``label`` is the way in; a ``Labelling`` is what comes out.
"""

from __future__ import annotations

from mbsym.topology.assembly import HISTORY_LIMIT
from mbsym.topology.joint_weights import POLICIES, JointTraits, WeightPolicy, joint_weights
from mbsym.topology.labelling import GraphLabelling, Labelling, label
from mbsym.topology.matrices import MATRIX_LIMIT
from mbsym.topology.spanning_tree import METHODS
from mbsym.topology.tables import history_text, history_to_json, labelling_table, labelling_to_json, matrices_text
from mbsym.topology.tree import SpanningTree

__all__ = [
    "HISTORY_LIMIT",
    "MATRIX_LIMIT",
    "METHODS",
    "POLICIES",
    "GraphLabelling",
    "JointTraits",
    "Labelling",
    "SpanningTree",
    "WeightPolicy",
    "history_text",
    "history_to_json",
    "joint_weights",
    "label",
    "labelling_table",
    "labelling_to_json",
    "matrices_text",
]
