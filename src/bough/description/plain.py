"""A system as plain lists, numbers and strings, and back. Frames form a flat list, so depth has no limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bough import validate
from bough.description.element import element_from_dict
from bough.description.expression import plain_formulas, read_formulas
from bough.description.formulas import formula_of, numbers_in
from bough.description.frame import Frame
from bough.description.joints import Step
from bough.description.parameter import Kinematic
from bough.description.shapes import geometry_from_dict
from bough.description.start import Start
from bough.errors import ModelError, quoted

if TYPE_CHECKING:
    from bough.description.system import System

FORMAT = 1
DEPTH = 64  # largest nesting depth of lists; descriptions that bough writes stay below ten
TRANSFORMS = ("tx", "ty", "tz", "rx", "ry", "rz", "fixed", "twist", "ball")
SYSTEM_KEYS = ("bough", "name", "parameters", "gravity", "frames", "elements", "start", "shapes")
FRAME_KEYS = (
    "parent",
    "transform",
    "parameter",
    "ratio",
    "offset",
    "pose",
    "xi",
    "name",
    "mass",
    "com",
    "inertia",
    "as_given",
)
SHAPE_KEYS = ("frame", "kind", "size", "path", "scale", "vertices", "faces", "x", "y", "z", "pose", "color")


def description(
    system: System, elements: list[dict[str, Any]] | None = None, *, numbers: bool = False
) -> dict[str, Any]:
    """The description of a system; frame i of the list is frame i + 1, frame 0 is the world.

    `elements` replaces the descriptions of the elements if they are already known. With `numbers`, gravity and
    frames have numbers in place of formulas of parameters.
    """
    start = system.start.to_dict()
    parameters = {name: parameter.value for name, parameter in system._parameters.items()}
    gravity = list(system.gravity if numbers else system._formulas.get("gravity", system.gravity))
    data = {
        "bough": FORMAT,
        "name": system.name,
        **({"parameters": parameters} if parameters else {}),
        "gravity": plain_formulas(gravity),
        "frames": [_frame_to_dict(frame, numbers) for frame in system._frames[1:]],
        "elements": [element.to_dict() for element in system.elements] if elements is None else elements,
        **({"start": start} if start else {}),
    }
    if system.shapes:
        data["shapes"] = [shape.to_dict() for shape in system.shapes]
    return data


def from_description(cls: type[System], data: Mapping[str, Any]) -> System:
    """The system of a description."""
    if deeper_than(data, DEPTH):
        raise ModelError(
            asked="description of a system",
            found=f"lists in lists, {DEPTH} deep and more",
            do="give a description as System.to_dict() makes it",
        )
    _check_keys(data, SYSTEM_KEYS, ("name", "frames"), "description of a system")
    if data.get("bough", FORMAT) != FORMAT:
        raise ModelError(
            asked="description of a system",
            found=f"format {validate.shown(data['bough'])}; this version reads format {FORMAT}",
            do="use the version of bough that wrote it, or a newer one",
        )
    system = cls(data["name"])
    if "parameters" in data:
        _check_keys(data["parameters"], tuple(data["parameters"]), (), "parameters of a description")
        for name, value in data["parameters"].items():
            system.parameter(name, value)
        data = read_formulas(data, system.parameters)
    if "gravity" in data:
        system.gravity = data["gravity"]
    for index, item in enumerate(_list_of(data, "frames"), start=1):
        _add_frame(system, index, item)
    for item in _list_of(data, "elements"):
        system.add(element_from_dict(item))
    for item in _list_of(data, "shapes"):
        _check_keys(item, SHAPE_KEYS, ("frame", "kind"), "shape of a description")
        system.shape(item["frame"], geometry_from_dict(item), pose=item.get("pose"), color=item.get("color"))
    if "start" in data:
        system.start = Start.from_dict(data["start"])
    return system


def deeper_than(data: Any, depth: int) -> bool:
    """Whether lists and dictionaries are nested deeper than this."""
    level = [data]
    for _ in range(depth):
        level = [
            item
            for whole in level
            if isinstance(whole, Mapping | list | tuple)
            for item in (whole.values() if isinstance(whole, Mapping) else whole)
            if isinstance(item, Mapping | list | tuple)
        ]
    return bool(level)


def _frame_to_dict(frame: Frame, numbers: bool) -> dict[str, Any]:
    """The fields of a frame that differ from their defaults."""
    data: dict[str, Any] = {"parent": frame._parent, "transform": frame._kind}
    parameter = frame._parameter
    if parameter is not None:
        data["parameter"] = {"kinematic": parameter.name} if isinstance(parameter, Kinematic) else parameter
    if frame._ratio != 1.0:
        data["ratio"] = frame._ratio
    if frame._offset != 0.0:
        data["offset"] = frame._offset
    if frame._geometry is not None:
        data["pose" if frame._kind == "fixed" else "xi"] = frame._geometry.tolist()
    if frame._name is not None:
        data["name"] = frame._name
    if frame._mass != 0.0 or frame._com is not None or frame._inertia is not None:
        data["mass"] = frame._mass
    if frame._com is not None:
        data["com"] = frame._com.tolist()
    if frame._inertia is not None:
        data["inertia"] = frame._inertia.tolist()
    if frame._as_given:
        data["as_given"] = True  # an inertia that no physical body can have
    if frame._formulas and not numbers:
        data |= plain_formulas(frame._formulas)
    return data


def _add_frame(system: System, index: int, data: Mapping[str, Any]) -> None:
    place = f"frame {index} of a description"
    _check_keys(data, FRAME_KEYS, ("parent", "transform"), place)
    parent, kind = data["parent"], data["transform"]
    if isinstance(parent, bool) or not isinstance(parent, int) or not 0 <= parent < index:
        raise ModelError(
            asked=place,
            found=f"parent {validate.shown(parent)}",
            do=f"give the number of an earlier frame: 0 (world){f' to {index - 1}' if index > 1 else ''}",
        )
    if kind not in TRANSFORMS:
        raise ModelError(
            asked=place,
            found=f"transform {validate.shown(kind)}",
            do=f"use one of {quoted(TRANSFORMS, len(TRANSFORMS))}",
        )
    needed = {"fixed": ("pose",), "twist": ("parameter", "xi")}.get(kind, ("parameter",))
    _check_keys(data, FRAME_KEYS, needed, place)
    parameter = data.get("parameter")
    if isinstance(parameter, Mapping):
        _check_keys(parameter, ("kinematic",), ("kinematic",), f"parameter of {place}")
        parameter = Kinematic(parameter["kinematic"])
    on, name = system._frames[parent], data.get("name")
    where = on._where(kind, name=name) if kind == "fixed" else on._where(kind, parameter, name=name)
    geometry = formula = None
    if kind == "fixed":
        geometry, formula = validate.pose(numbers_in(data["pose"]), where), formula_of(data["pose"])
    elif kind == "twist":
        geometry, formula = validate.screw(numbers_in(data["xi"]), where), formula_of(data["xi"])
    if kind == "ball" and not isinstance(parameter, str):
        raise ModelError(
            asked=place, found=f"parameter {validate.shown(parameter)}", do="give the name of the ball"
        )
    body: tuple[Any, Any, Any] = (data.get("mass"), data.get("inertia"), data.get("com"))
    steps = (Step(kind, parameter, geometry, formula=formula),)
    moving = (data.get("ratio", 1.0), data.get("offset", 0.0))
    if data.get("as_given", False) is True and body[1] is not None:
        on._add(where, steps, name, None, None, None, *moving, shared=True).body_as_given(*body)
    else:
        on._add(where, steps, name, *body, *moving, shared=True)


def _list_of(data: Mapping[str, Any], key: str) -> Sequence[Any]:
    items = data.get(key, [])
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise ModelError(
            asked=f"{key} of a description", found=f"{validate.shown(items)}", do=f"give {key} as a list"
        )
    return items


def _check_keys(data: Any, allowed: Sequence[str], needed: Sequence[str], place: str) -> None:
    if not isinstance(data, Mapping):
        raise ModelError(
            asked=place, found=validate.shown(data), do=f"give a dictionary with {quoted(needed)}"
        )
    missing = [key for key in needed if key not in data]
    unknown = [str(key) for key in data if key not in allowed]
    if missing:
        raise ModelError(asked=place, found=f"no {quoted(missing)}", do=f"give {quoted(missing)} as well")
    if unknown:
        raise ModelError(
            asked=place,
            found=f"the unknown {quoted(unknown)}",
            do=f"use only {quoted(allowed, len(allowed))}",
        )
