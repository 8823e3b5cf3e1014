"""Potential energies. Each is part of V in L = T - V; its generalised force is -dV/dq."""

from __future__ import annotations

from dataclasses import dataclass

from bough import check_system as check
from bough.elements import Names, Potential, Record, check_ends, check_single
from bough.frame import Frame


@dataclass(frozen=True)
class LinearSpring(Potential):
    """A spring between the origins of two frames.

    V = stiffness / 2 (|x_a - x_b| - rest_length)^2. It pulls when longer than its rest length and pushes when
    shorter; where the two points coincide the force is taken as zero.

    Parameters
    ----------
    a, b : Frame or str
    stiffness : float
        N/m, not negative.
    rest_length : float
        m, not negative.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("hanging mass")
    >>> bob = system.world.tz("z", name="bob", mass=1.0)
    >>> spring = system.add(bough.LinearSpring("world", bob, stiffness=20.0, rest_length=0.5))
    """

    a: Frame | str
    b: Frame | str
    stiffness: float
    rest_length: float = 0.0
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set("stiffness", check.not_negative(self.stiffness, "stiffness", self._text(), "N/m"))
        self._set("rest_length", check.not_negative(self.rest_length, "rest_length", self._text(), "m"))

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        return "LinearSpring", ends, [], [], [self.stiffness, self.rest_length]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


@dataclass(frozen=True)
class ConfigurationSpring(Potential):
    """A spring on one configuration variable, dynamic or kinematic.

    V = stiffness / 2 (q - rest)^2, generalised force stiffness (rest - q).

    Parameters
    ----------
    variable : str
    stiffness : float
        N m/rad for an angle, N/m for a distance; not negative.
    rest : float
        The value of the variable at which the spring is slack, rad or m.
    """

    variable: str
    stiffness: float
    rest: float = 0.0
    variable_fields = ("variable",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        self._set(
            "stiffness", check.not_negative(self.stiffness, "stiffness", self._text(), "N m/rad or N/m")
        )
        self._set("rest", check.real(self.rest, "rest", self._text()))

    def record(self, names: Names) -> Record:
        return "ConfigurationSpring", [], [names.variables[self.variable]], [], [self.stiffness, self.rest]
