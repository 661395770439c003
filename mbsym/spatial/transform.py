"""Placement of a child frame in a parent frame, and what it does to twists and wrenches."""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.spatial.rotation import MatrixRotation, Rotation
from mbsym.spatial.vector import Vector3, add, cross, negate, subtract, zero_vector
from mbsym.symbolic.graph import Graph


@dataclass(frozen=True, slots=True)
class Transform:
    """Rotation takes child components to parent components; translation is the child's origin in parent components."""

    rotation: Rotation
    translation: Vector3

    def then(self, inner: Transform) -> Transform:
        """The placement of ``inner``'s child frame in this parent frame."""
        return Transform(self.rotation.then(inner.rotation), self.point_to_parent(inner.translation))

    def inverse(self) -> Transform:
        """The parent frame placed in the child frame."""
        return Transform(self.rotation.inverse(), negate(self.rotation.to_child(self.translation)))

    def flat(self) -> Transform:
        """The rotation as one matrix, so that its products are not applied again for every vector."""
        if len(self.rotation.factors) < 2:
            return self
        matrix = MatrixRotation(self.rotation.matrix())
        return Transform(Rotation(self.rotation.graph, (matrix,)), self.translation)

    def point_to_parent(self, point: Vector3) -> Vector3:
        """Parent coordinates of a point given in child coordinates."""
        return add(self.translation, self.rotation.to_parent(point))

    def point_to_child(self, point: Vector3) -> Vector3:
        """Child coordinates of a point given in parent coordinates."""
        return self.rotation.to_child(subtract(point, self.translation))

    def twist_to_child(self, angular: Vector3, linear: Vector3) -> tuple[Vector3, Vector3]:
        """The same twist at the child's origin in child components."""
        moved = add(linear, cross(angular, self.translation))
        return self.rotation.to_child(angular), self.rotation.to_child(moved)

    def twist_to_parent(self, angular: Vector3, linear: Vector3) -> tuple[Vector3, Vector3]:
        """The same twist at the parent's origin in parent components."""
        w = self.rotation.to_parent(angular)
        return w, add(self.rotation.to_parent(linear), cross(self.translation, w))

    def wrench_to_parent(self, moment: Vector3, force: Vector3) -> tuple[Vector3, Vector3]:
        """The same wrench at the parent's origin in parent components."""
        f = self.rotation.to_parent(force)
        return add(self.rotation.to_parent(moment), cross(self.translation, f)), f


def identity_transform(graph: Graph) -> Transform:
    """The frame itself."""
    return Transform(Rotation(graph), zero_vector(graph))
