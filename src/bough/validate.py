"""Checks of the values that a user gives. Each raises a ModelError or returns the checked value.

`where` is the place in the user's words, such as "tz(-1.0, name='tip') on frame 'elbow'".
"""

from __future__ import annotations

import inspect
import math
import numbers
import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough.errors import ModelError

if TYPE_CHECKING:
    from bough.description.system import System

Array = npt.NDArray[np.float64]

# Relative tolerance for numbers written with a few digits: symmetry, positive semidefiniteness, the triangle
# inequality, orthonormality. What passes is made exactly symmetric, or a rotation.
TOLERANCE = 1e-6


def shown(value: Any) -> str:
    """A short text of any value for a message, the same on every run."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return f"an array of shape {value.shape}"
    if isinstance(value, np.generic | np.ndarray):
        value = value.item()
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:37]!r}..."
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, float | complex) or type(value).__module__.startswith("bough."):
        return repr(value)
    if value is None or isinstance(value, numbers.Real | list | tuple | dict):
        return reprlib.repr(value)
    return (
        f"the function {value.__name__}"
        if inspect.isroutine(value)
        else f"a value of type {type(value).__name__}"
    )


def name(value: Any, what: str, where: str) -> str:
    """A name of anything: text that can be printed and is not blank."""
    if not isinstance(value, str):
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}",
            found=f"{what} is not a string",
            do=f"give {what} as a string, such as 'arm'",
        )
    if not value.strip():
        raise ModelError(
            asked=f"{what}={value!r} in {where}",
            found=f"{what} is empty",
            do=f"give {what} at least one letter",
        )
    if not value.isprintable():
        raise ModelError(
            asked=f"{what}={value!r} in {where}",
            found=f"{what} contains a character that cannot be printed",
            do=f"leave line ends, tabs and control characters out of {what}",
        )
    return str(value)


def frame_name(value: Any, where: str) -> str:
    """A name for a frame: any name except those that bough gives itself."""
    text = name(value, "name", where)
    if text == "world" or text.startswith("#"):
        raise ModelError(
            asked=f"name={text!r} in {where}",
            found="'world' is the reserved name of the root frame"
            if text == "world"
            else "names that start with '#' are reserved for frames without a name",
            do="choose another name",
        )
    return text


def is_real(value: Any) -> bool:
    """Whether the value is a real number, finite or not; True and False are not."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def flag(value: Any, name: str, where: str) -> bool | None:
    """True, or None instead of False, which a description omits."""
    if value is not None and not isinstance(value, bool | np.bool_):
        raise ModelError(
            asked=f"{name}={shown(value)} in {where}",
            found="neither True nor False",
            do="give one of these, or leave it out",
        )
    return True if value else None


def is_whole(value: Any) -> bool:
    """Whether the value is a whole number; True and False are not."""
    return type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))


def real(value: Any, what: str, where: str) -> float:
    """A finite real number."""
    if type(value) is float and math.isfinite(value):  # the common case, checked quickly
        return value + 0.0  # no negative zero
    if not is_real(value):
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}",
            found=f"{what} is not a number",
            do=f"give {what} as a real number",
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}",
            found=f"{what} is not finite",
            do=f"give {what} as a finite number",
        )
    return number + 0.0


def not_negative(value: Any, what: str, where: str, unit: str) -> float:
    """A finite real number of zero or more."""
    number = real(value, what, where)
    if number < 0.0:
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}",
            found=f"{what} is negative",
            do=f"give {what} as zero or more, in {unit}",
        )
    return number


def by_balls(rotation: Any, where: str) -> bool:
    """Whether bodies turn by balls, not by angles: of rotation='ball' or 'angles'."""
    if rotation not in ("angles", "ball"):
        raise ModelError(
            asked=f"rotation={shown(rotation)} in {where}",
            found="neither 'angles' nor 'ball'",
            do="give rotation='ball' for joints without gimbal lock, or 'angles'",
        )
    return bool(rotation == "ball")


def yes_or_no(value: Any, what: str, where: str) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}", found="neither True nor False", do="give True or False"
        )
    return bool(value)


def positive(value: Any, what: str, where: str, unit: str = "") -> float:
    """A finite real number above zero."""
    number = real(value, what, where)
    if number <= 0.0:
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}",
            found=f"{what} is not above zero",
            do=f"give {what} above zero" + (f", in {unit}" if unit else ""),
        )
    return number


def number_or_input(value: Any, what: str, where: str) -> float | str:
    """A constant, or the name of an input."""
    if isinstance(value, str):
        return name(value, what, where)
    if not is_real(value):
        raise ModelError(
            asked=f"{what}={shown(value)} in {where}",
            found=f"{what} is neither a number nor the name of an input",
            do="give a number (constant) or a string (input)",
        )
    return real(value, what, where)


def ratio(value: Any, where: str) -> float:
    """The ratio between a configuration variable and the parameter of a transform: not zero."""
    number = real(value, "ratio", where)
    if number == 0.0:
        raise ModelError(
            asked=f"ratio={shown(value)} in {where}",
            found="the transform would not depend on its variable",
            do="give a ratio other than zero, or a number in place of the variable",
        )
    return number


def array(value: Any, shapes: tuple[tuple[int, ...], ...], what: str, where: str, wanted: str) -> Array:
    """A new array of finite numbers in one of the given shapes; `wanted` says in words what these are."""
    do = f"give {what} as {wanted}"
    try:
        raw = np.asarray(value)
    except ValueError:
        found = f"{what} has rows of different lengths"
        raise ModelError(asked=f"{what} in {where}", found=found, do=do) from None
    if raw.dtype.kind == "O" and all(is_real(entry) for entry in raw.flat):
        try:
            raw = raw.astype(np.float64)
        except OverflowError:
            found = f"{what} holds a whole number that is too large"
            raise ModelError(asked=f"{what} in {where}", found=found, do=do) from None
    if raw.dtype.kind not in "iuf":
        found = f"{what} is not made of real numbers"
        raise ModelError(asked=f"{what}={shown(value)} in {where}", found=found, do=do)
    if raw.shape not in shapes:
        found = f"{what} is a single number" if raw.ndim == 0 else f"{what} has shape {raw.shape}"
        raise ModelError(asked=f"{what} in {where}", found=found, do=do)
    checked: Array = np.array(raw, dtype=np.float64, order="C") + 0.0  # no negative zero
    if not np.isfinite(checked).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(checked))[0])
        raise ModelError(
            asked=f"{what} in {where}",
            found=f"{what}[{', '.join(map(str, index))}] is {float(checked[index])!r}",
            do=f"give {what} in finite numbers",
        )
    return checked


def direction(value: Any, what: str, where: str) -> Array:
    """A unit vector along the given one."""
    vector = array(value, ((3,),), what, where, "3 numbers, such as (0, 0, 1)")
    largest = np.abs(vector).max()
    if largest == 0.0:
        raise ModelError(
            asked=f"{what} in {where}",
            found=f"{what} is (0, 0, 0), which has no direction",
            do=f"give {what} a component other than zero; its length does not matter",
        )
    vector /= largest  # so that neither tiny nor huge components are lost in the norm
    unit: Array = vector / np.linalg.norm(vector)
    return unit


def unit_axis(value: Any, what: str, where: str) -> tuple[float, float, float]:
    """A unit vector along the given one, as plain numbers; a unit vector is not changed by a rounding."""
    unit = direction(value, what, where)
    given = np.asarray(value, dtype=np.float64) + 0.0
    x, y, z = (given if np.abs(given - unit).max() < 1e-15 else unit).tolist()
    return (x, y, z)


def screw(value: Any, where: str) -> Array:
    """A twist (angular, linear) that is not zero."""
    xi = array(value, ((6,),), "xi", where, "6 numbers, a twist (angular, linear)")
    if not xi.any():
        raise ModelError(
            asked=f"xi in {where}",
            found="xi is zero: the frame would not move",
            do="give a twist (angular, linear) other than zero, or use fixed(pose)",
        )
    return xi


def pose(value: Any, where: str) -> Array:
    """A rigid transform; a rotation part within the tolerance becomes the nearest rotation."""
    matrix = array(value, ((4, 4),), "pose", where, "4x4 numbers, [[R, p], [0, 1]]")
    if np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max() > TOLERANCE:
        row = ", ".join(f"{entry:g}" for entry in matrix[3])
        raise ModelError(
            asked=f"pose in {where}",
            found=f"the last row of pose is ({row})",
            do="give a pose [[R, p], [0, 1]], whose last row is (0, 0, 0, 1)",
        )
    rotation = matrix[:3, :3]
    error = float(np.abs(rotation.T @ rotation - np.eye(3)).max())
    if error > TOLERANCE:
        raise ModelError(
            asked=f"pose in {where}",
            found=f"its 3x3 part R is not a rotation: R^T R differs from 1 by {error:.3g}",
            do="give a pose [[R, p], [0, 1]] with R orthonormal, written with at least 7 digits",
        )
    if np.linalg.det(rotation) < 0.0:
        raise ModelError(
            asked=f"pose in {where}",
            found="its 3x3 part R is a reflection: det R = -1",
            do="give a pose [[R, p], [0, 1]] with det R = +1, without mirrored axes",
        )
    if error > 1e-14:
        left, _, right = np.linalg.svd(rotation)
        matrix[:3, :3] = left @ right
    matrix[3] = (0.0, 0.0, 0.0, 1.0)
    return matrix


def body(
    mass: Any, inertia: Any, com: Any, where: str, as_given: bool = False
) -> tuple[float, Array | None, Array | None]:
    """The mass, 3x3 inertia and centre of mass of a frame; None if they were not given.

    As given: an inertia that no distribution of mass can have passes too.
    """
    if mass is None and inertia is None and com is None:
        return 0.0, None, None
    kilograms = 0.0 if mass is None else real(mass, "mass", where)
    if kilograms < 0.0:
        raise ModelError(
            asked=f"mass={shown(mass)} in {where}",
            found="mass is negative",
            do="give a mass of zero or more, in kilograms",
        )
    tensor = None if inertia is None else inertia_tensor(inertia, where)
    centre = None if com is None else array(com, ((3,),), "com", where, "3 numbers, a point in the frame")
    flaw = None if as_given or tensor is None else inertia_flaw(kilograms, tensor)
    if flaw is not None:
        raise ModelError(asked=f"inertia in {where}", found=flaw[0], do=flaw[1])
    if mass is None and centre is not None:
        raise ModelError(
            asked=f"com in {where}",
            found="a centre of mass without a mass",
            do="give mass= as well, or leave com out",
        )
    # Zero counts as not given, so that equal bodies have equal descriptions.
    return (
        kilograms,
        None if tensor is None or not tensor.any() else tensor,
        None if centre is None or not centre.any() else centre,
    )


def inertia_tensor(value: Any, where: str) -> Array:
    """A symmetric 3x3 inertia."""
    given = array(value, ((3,), (3, 3)), "inertia", where, "3 principal moments or 3x3 numbers")
    if given.ndim == 1:
        return np.diag(given)
    scale = np.abs(given).max()
    skew = np.abs(given - given.T)
    if skew.max() > TOLERANCE * scale:
        row, column = sorted(int(i) for i in np.unravel_index(skew.argmax(), (3, 3)))
        raise ModelError(
            asked=f"inertia in {where}",
            found=f"inertia is not symmetric: [{row}, {column}] is {given[row, column]:g}"
            f" and [{column}, {row}] is {given[column, row]:g}",
            do="give a symmetric 3x3 inertia",
        )
    return 0.5 * given + 0.5 * given.T  # this form does not overflow


def inertia_flaw(mass: float, tensor: Array) -> tuple[str, str] | None:
    """Why no distribution of this mass has this inertia, and what to do; None if one has."""
    x, y, z = float(tensor[0, 0]), float(tensor[1, 1]), float(tensor[2, 2])
    coupled = tensor[0, 1] or tensor[0, 2] or tensor[1, 2] or tensor[1, 0] or tensor[2, 0] or tensor[2, 1]
    if not coupled and mass > 0.0 and min(x, y, z) >= 0.0 and 2.0 * max(x, y, z) <= x + y + z:
        return None  # the common case, checked quickly
    principal = np.sort((x, y, z))
    if coupled:
        size = np.abs(tensor).max()
        principal = size * np.linalg.eigvalsh(tensor / size)  # scaled so that they do not overflow
    scale = np.abs(principal).max()
    moments = "({:g}, {:g}, {:g})".format(*principal)
    if principal[0] < -TOLERANCE * scale:
        return (
            f"inertia is not positive semidefinite: its principal moments are {moments}",
            "give an inertia about the centre of mass with no negative principal moment",
        )
    if principal[0] + principal[1] < (1.0 - TOLERANCE) * principal[2]:
        return (
            f"inertia violates the triangle inequality: its principal moments are {moments}",
            "give an inertia about the centre of mass whose largest principal moment is at most"
            " the sum of the other two",
        )
    if mass == 0.0 and tensor.any():
        return "an inertia without a mass", "give a mass above zero as well, or leave the inertia out"
    return None


def check_system(system: System) -> None:
    """The checks that can only be made when the description is complete."""
    if not system.variables:
        raise ModelError(
            asked=f"build of system {system.name!r}",
            found=f"no configuration variable in {counted(len(system.frames), 'frame')}: nothing can move",
            do="give a transform a name in place of a number, such as system.world.rz('angle')",
        )
    system.start.check(system)


def counted(number: int, what: str) -> str:
    """`1 frame`, `2 frames`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
