"""What the entries of the native format are for, with their units: for the schema, which editors show, and for pages.

Entries of elements that come by records (force elements, constraints, forms) are described where those are declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.formats.native.repetition import SECTIONS

_PLACED: Final = {
    "at": "Frame of the shape in the frame of the body.",
    "color": "Red, green, blue and opacity, each from 0 to 1 [1]; left to the picture without.",
    "name": "Of the shape, for what names it.",
    "density": "Of this shape, in place of the body's [kg/m^3].",
}

SENTENCES: Final[Mapping[str, Mapping[str, str]]] = {
    "ModelTable": {
        "name": "Names generated files and functions; without one that of the file.",
        "description": "For people, shown in documents.",
        "gravity": "In the axes of the base [m/s^2].",
        "ground": "What joints call the base.",
        "free_roots": "True gives a body that nothing connects to ground a free joint, with six freedoms.",
        "accept_impossible_inertia": "True makes inertias that no rigid body has warnings in place of errors.",
        "coordinate_order": "Order of q, v and tau: of the joints in the file, of the labels, or these joints first.",
        "parameters": "Named constants, which all expressions may use.",
        "inputs": "Control inputs, the entries of u.",
        "outputs": "What is to be known of a motion, by name: the entries of y.",
        "tables": "Measured curves by name, which is a function in expressions of forces and outputs.",
        "include": "Other model files as parts of this one, by name.",
        "bodies": "Rigid bodies by name, ground not among them.",
        "joints": "Joints by name, in the order of q and v.",
        "beams": "Elastic beams by name.",
        "couplings": "Gears that remove a coordinate, by the joint that follows.",
        "forces": "Force elements by name.",
        "constraints": "Closure constraints that are no joints, by name.",
        "motions": "Joints that are driven along laws of time, by name.",
        "drives": "States besides coordinates and speeds (currents, pressures) by name: the entries of x.",
        "frames": "Frames on bodies by name: tools, sensors, places of loads.",
        "ground_geometry": "Shapes on ground, for pictures.",
        "pinocchio_order": "Joints in the order in which Pinocchio reads the file that this model comes from.",
        "states": "States with names: coordinates and speeds by joint, states of drives by name.",
        "repeat": "Entries with an index in their names and values, once for each number; several in a list.",
    },
    "IncludeTable": {
        "file": "Of the part, beside this one, of any format that models are read from; or the name of a bundled part.",
        "prefix": "Before all names of the part; its own name and an underscore without.",
        "on": "The body or frame that the part's ground is; ground without.",
        "at": "The frame of the part's ground in the frame of that body; a list is a translation.",
        "connect": "Bodies of the part that have no mass there, and the bodies or frames that they are.",
        "parameters": "Values of parameters of the part, over names of this file; others are as the part has them.",
    },
    "RepetitionTable": {
        "index": "Name of the number.",
        "from": "The first number, whole, perhaps made of other indices [1].",
        "to": "The last number, whole; less than the first by one for none [1].",
        **dict.fromkeys(SECTIONS, "Entries that are written once for each number."),
    },
    "ParameterTable": {
        "value": "A number, or an expression of parameters listed before it [in the unit stated].",
        "unit": "SI unit, as text.",
        "symbolic": "True keeps it an argument of the generated code; false folds its number in.",
    },
    "InputTable": {
        "unit": "SI unit, as text.",
        "lower": "Least value that users keep it above [in the unit stated].",
        "upper": "Largest value that users keep it below [in the unit stated].",
        "saturates": "True holds what it drives at these limits, in generated code too.",
    },
    "BodyTable": {
        "mass": "Mass [kg].",
        "center_of_mass": "Centre of mass in the body's frame [m].",
        "inertia": "In the axes of the body's frame [kg m^2].",
        "inertia_about": "The point that the inertia refers to.",
        "first_moment": "In place of the centre of mass: mass times it [kg m]; the inertia is about the frame then.",
        "geometry": "Shapes on the body, for pictures, and for its mass where a density is given.",
        "density": "Of all its shapes, from which mass, centre and inertia follow [kg/m^3].",
    },
    "InertiaTable": {
        key: f"Entry {key} of the inertia matrix [kg m^2]" + ("." if key[0] == key[1] else ": minus the integral.")
        for key in ("xx", "yy", "zz", "xy", "xz", "yz")
    },
    "BeamTable": {
        "from": "The body that carries its root, or ground.",
        "to": "The body at its end; none without.",
        "length": "Length [m].",
        "mass": "Mass in all, evenly spread [kg].",
        "bending_stiffness": "EI; two values where it bends about both axes, about y and z [N m^2].",
        "bends": "The axes of its root frame about which it bends.",
        "axial_stiffness": "EA [N]; without it keeps its length.",
        "torsional_stiffness": "GJ [N m^2]; without it does not twist.",
        "torsional_inertia": "Of all its mass about its axis, which a beam that twists has [kg m^2].",
        "damping": "Time constant of its material: stress is E times strain and this times its rate [s].",
        "segments": "Hinges between rigid bars that stand for it, 8 without; with modes its pieces, 1 without.",
        "modes": "Assumed modes of each segment, in place of bars; tension stiffens between segments alone.",
        "supports": "Root and end of these modes; the end is free where nothing is carried there, else clamped.",
        "lumped": "Whether the mass of the bars stands at the ends of the segments.",
        "at": "Root frame in the frame of the body, the beam along its x axis; a list is a translation.",
        "at_tip": "End frame, parallel to the root frame, in the frame of the body at the end.",
    },
    "PlacementTable": {
        "translation": "Origin of the placed frame in the carrying frame [m].",
        "rotation": "Turns about the moving frame's axes, one after the other: [[z, ANGLE], ...] [rad].",
        "rpy": "Roll, pitch and yaw about fixed x, y and z, as in URDF [rad].",
        "quaternion": "(w, x, y, z), of any length but zero.",
    },
    "JointTable": {
        "type": "What the joint lets free.",
        "from": "Predecessor: a body or ground.",
        "to": "Successor: a body or ground.",
        "axis": "Of types that take one, in the joint frame, of any length but zero; z without.",
        "second_axis": "Of types that take two: perpendicular to axis, fixed in the successor's joint frame.",
        "at": "Joint frame on the predecessor; a list is a translation.",
        "at_successor": "Joint frame on the successor; a list is a translation.",
        "armature": "Inertia of a rotor, reflected to each speed [kg m^2, kg along axes].",
        "limits": "Of coordinates, speeds and forces.",
        "initial": "Coordinates to start from, one each [rad, m]; the neutral ones without.",
        "coordinates": "Names of the entries of q, in formulas, tables and code; q_JOINT without.",
        "speeds": "Names of the entries of v, in formulas, tables and code; v_JOINT without.",
        "actuated": "True where a motor sits, so that the joint should stay in the tree.",
        "reaction_wanted": "True where its forces are asked for, so that the joint should rather be cut.",
        "cut": "Demands that a joint is cut or stays in the tree; auto leaves it to the weights.",
        "weight": "Your own weight for the choice of cut joints: larger is cut sooner.",
    },
    "LimitsTable": {
        "lower": "Least coordinates, one each [rad, m].",
        "upper": "Largest coordinates, one each [rad, m].",
        "effort": "Largest forces along the speeds, one each [N m, N].",
        "velocity": "Largest speeds, one each [rad/s, m/s].",
        "stop": "What pushes back beyond lower and upper, as force elements joint_stop at both do.",
    },
    "StopTable": {
        "stiffness": "Force per depth, one for all coordinates or one each [N m, N/m].",
        "damping": "Part of that force per speed into the stop, one for all coordinates or one each [s, s/m].",
    },
    "CouplingTable": {
        "source": "The joint that it follows.",
        "ratio": "q = ratio q_source + offset [1, m/rad or rad/m].",
        "offset": "q = ratio q_source + offset [rad or m].",
    },
    "OutputTable": {
        "expression": "Of coordinates, speeds, frames, t, control inputs and parameters [in its own unit].",
        "unit": "SI unit, as text.",
    },
    "CurveTable": {
        "x": "Increasing points of the argument, of two arguments the first [SI].",
        "y": "The values there, of two arguments the increasing points of the second [SI].",
        "z": "Of two arguments: the values, a row for each point of the first [SI].",
        "csv": "In place of x and y: a file beside this one, whose first line names its columns.",
        "columns": "Of that file: the names of those that are x and y; the first two without.",
        "between": "The points: straight lines, cubics that do not overshoot, or a cubic spline, not-a-knot.",
        "outside": "Beyond the points: the nearest end, or what the first or last piece goes on to be.",
    },
    "FrameTable": {
        "body": "That carries the frame, or ground.",
        "at": "The frame in the frame of the body; a list is a translation.",
        "axes": "In which its velocity, acceleration and Jacobian are: its own, the base's, or the base's at the base.",
        "kind": "What it is where it comes from; KIND:NAME always names it.",
        "in_functions": "False leaves it out where functions of all frames are asked for.",
        "geometry": "Shapes in the frame, for pictures.",
    },
    "StateTable": {
        "q": "Coordinates by joint, one value or a list [rad, m]; others are as the model starts.",
        "v": "Speeds by joint, one value or a list [rad/s, m/s]; others are zero.",
        "x": "States of drives by name [their own units]; others are as the model starts.",
    },
}
"""Sentences by table and entry."""


def sentence_of(table: str, key: str) -> str:
    """What an entry of a table is for, "" where its record says so."""
    if key == "type" and table not in SENTENCES:
        return "Which of the elements it is."
    return SENTENCES.get(table, _PLACED).get(key, "")
