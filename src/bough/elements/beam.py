"""The beam element."""

from __future__ import annotations

from dataclasses import dataclass, field

from bough import validate
from bough.description.element import Names, Potential, Record, check_ends, check_single
from bough.description.frame import Frame
from bough.elements.axes import completed, frame_axis
from bough.errors import ModelError


@dataclass(frozen=True, eq=False, repr=False)
class BeamElement(Potential):
    """An elastic beam between two frames that are fixed to its end sections: stretching, bending and torsion.

    The beam is free of stress if b is at a moved by `length` along `axis`, without rotation. The energy is
    that of the stiffness matrix of a beam in axes which follow its chord, so that strains should be small
    while rotations of the whole beam may be of any size:

    V = axial dx^2 / 2L + 2 bending (alpha^2 + alpha beta + beta^2) / L + torsion phi^2 / 2L, with dx the
    change of the distance between the ends, alpha and beta the angles of the end sections against the chord
    (in each of the two planes of bending) and phi the turn of b about the axis relative to a. These angles
    must stay below half a turn, beyond which they, and with them the energy, jump.

    Parameters
    ----------
    a, b : Frame or str
    length : float
        m, above zero, without stress.
    axial : float
        E A: N, not negative.
    bending : float or two numbers
        E I: N m^2, not negative. One number for all directions; or two, about the next two axes of the frame:
        (E I_y, E I_z) for a beam along x, (E I_x, E I_y) for one along z.
    torsion : float
        G J: N m^2, not negative.
    axis : three numbers
        The direction of the beam in the axes of a and of b, of any length.
    wire : bool or None
        Whether it stands for a part of a cable, which only pulls: a run in which it pushes ends with a
        `SlackWarning`.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("cantilever")
    >>> tip = system.world.tx(0.5).tx("u").tz("w").ry("slope", name="tip", mass=0.1)
    >>> beam = system.add(bough.BeamElement("world", tip, length=0.5, axial=1e5, bending=12.0))
    """

    a: Frame | str
    b: Frame | str
    length: float
    axial: float
    bending: float | tuple[float, float]
    torsion: float = 0.0
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    wire: bool | None = field(default=None, kw_only=True)
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        where = self._text()
        length = validate.real(self.length, "length", where)
        if length <= 0.0:
            raise ModelError(
                asked=f"length={validate.shown(self.length)} in {where}",
                found="length is zero" if length == 0.0 else "length is negative",
                do="give length above zero, in m",
            )
        self._set("length", length)
        self._set("axial", validate.not_negative(self.axial, "axial", where, "N"))
        self._set("torsion", validate.not_negative(self.torsion, "torsion", where, "N m^2"))
        self._set("axis", validate.unit_axis(self.axis, "axis", where))
        self._set("bending", self._checked_bending())
        self._set("wire", validate.flag(self.wire, "wire", where))

    def _checked_bending(self) -> float | tuple[float, float]:
        where = self._text()
        if validate.is_real(self.bending):
            return validate.not_negative(self.bending, "bending", where, "N m^2")
        wanted = "one number or two, in N m^2"
        first, second = validate.array(self.bending, ((2,),), "bending", where, wanted).tolist()
        validate.not_negative(first, "bending[0]", where, "N m^2")
        validate.not_negative(second, "bending[1]", where, "N m^2")
        if frame_axis(self.axis) is None:
            raise ModelError(
                asked=f"bending={validate.shown(self.bending)} in {where}",
                found="the axis of the beam is not along x, y or z, so that two stiffnesses have no axes",
                do="give bending as one number, or add a frame with an axis along the beam",
            )
        return first, second

    def record(self, names: Names) -> Record:
        ends = [names.frames[str(self.a)], names.frames[str(self.b)]]
        # The beam bends about e1 in the plane of its axis and e2, and about e2 in that of its axis and e1.
        about = self.bending if isinstance(self.bending, tuple) else (self.bending, self.bending)
        e1, e2 = completed(self.axis)
        values = [self.length, self.axial, about[1], about[0], self.torsion]
        return "BeamElement", ends, [], [], [*values, *self.axis, *e1.tolist(), *e2.tolist()]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)
