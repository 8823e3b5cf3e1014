"""The compiled system and its quantities, each a pure function of arrays.

Configurations and velocities have the variables on the last axis; any axes before it are a batch, looped in
the core. Functions are named by the quantity they return: `X_dq` is its derivative by q, and so on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.description.element import Element
from bough.description.plain import description
from bough.description.shapes import Shape
from bough.description.start import Start
from bough.description.system import System
from bough.elements.servo import Servo
from bough.elements.user import UserElement, UserPotential
from bough.errors import ModelError, quoted
from bough.model.acceleration_quantities import AccelerationQuantities
from bough.model.contact_quantities import ContactQuantities
from bough.model.flatten import flatten
from bough.model.frame_quantities import FrameQuantities
from bough.model.lower import (
    constraint_labels,
    constraint_places,
    contact_labels,
    element_places,
    input_names,
    lowered,
    velocity_rows,
)
from bough.model.parameters import (
    Entry,
    Parametric,
    checked_values,
    element_entries,
    element_names,
    elements_at,
    parametric,
)
from bough.model.pickles import KNOWN, check_pickle, fingerprint, known_by, sha256
from bough.model.reduced_quantities import ReducedQuantities
from bough.model.rest_quantities import RestQuantities
from bough.model.text import model_text
from bough.named import ModelNames, Names, places
from bough.validate import counted

if TYPE_CHECKING:
    pass


SMALL = 100  # largest number of variables and constraint rows of a model whose steps are quick
_COMPUTED = ("digest", "_description", "parameter_entries", "_variations", "_sealed")  # on first use


class Model(FrameQuantities, AccelerationQuantities, ContactQuantities, ReducedQuantities, RestQuantities):
    """A compiled system: immutable, safe to share between threads. Made by `System.build()`.

    Attributes
    ----------
    name : str
    variables : tuple of str
        The configuration variables in the order of v: dynamic ones, then kinematic ones.
    dynamic, kinematic : tuple of str
    frames : tuple of str
        Frames by name; one without a name is called "#3".
    inputs, constraints : tuple of str
        What u and lam consist of.
    coordinates : tuple of str
        What q consists of: the variables, but a quaternion (w, x, y, z) for the three rates of a ball.
    balls : tuple of str
    gaps : tuple of str
        The contacts of one-sided elements, such as `JointLimit`.
    nq, nv, nd, nk, nu, nc : int
        How many coordinates, variables, dynamic variables, kinematic variables, inputs, rows of constraints.
        nq = nv without balls.
    total_mass : float
    shapes : tuple of Shape
        What is drawn on frames in place of the automatic picture.
    start : Start
        The default start of runs.
    parameters : mapping
        The parameters of the system by name, with their values: `with_parameters` gives others.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("pendulum")
    >>> bob = system.world.ry("angle").tz(-system.parameter("length", 1.0), name="bob", mass=1.0)
    >>> model = system.build()
    >>> model.acceleration([[0.1], [0.2]], [[0.0], [0.0]]).shape  # two states in one call
    (2, 1)
    >>> float(model.with_parameters(length=2.0).potential_energy([0.0]))
    -19.62
    """

    def __init__(self, system: System) -> None:
        flat = flatten(system)
        self._elements = system.elements
        self.shapes: tuple[Shape, ...] = system.shapes
        self._undescribed: ModelError | None = None  # the reason if there is no description in plain values
        try:
            self._formal = system.to_dict()  # with formulas of parameters
        except ModelError as error:
            self._undescribed = error
            self._formal = description(system, [_stand_in(element) for element in system.elements])
        self._parametric: Parametric | None = parametric(system, flat)
        self.parameters: Mapping[str, float] = MappingProxyType(
            {name: parameter.value for name, parameter in system._parameters.items()}
        )
        self._element_places = element_places(system.elements, flat)
        self.name: str = system.name
        self._set_numbers(flat.arrays, f"system {system.name!r}")
        self.start: Start = system.start
        self.variables: tuple[str, ...] = flat.variable_names
        self.nv: int = len(self.variables)
        self.nd: int = flat.arrays["n_dynamic"]
        self.nk: int = self.nv - self.nd
        self._set_coordinates(flat.balls)
        self.dynamic: tuple[str, ...] = self.variables[: self.nd]
        self.kinematic: tuple[str, ...] = self.variables[self.nd :]
        self.frames: tuple[str, ...] = flat.frame_labels
        self.inputs: tuple[str, ...] = input_names(system.elements)
        self.constraints: tuple[str, ...] = constraint_labels(system.elements)
        self.gaps: tuple[str, ...] = contact_labels(system.elements)
        self.nu: int = len(self.inputs)
        self.nc: int = len(self.constraints)
        self._frame_index = {label: index for index, label in enumerate(self.frames)}
        self._places = places(self.variables)
        self._input_places = places(self.inputs)
        self._where = f"model {self.name!r}"
        self._servos = any(isinstance(element, Servo) for element in self._elements)
        self._wires = any(getattr(element, "wire", None) for element in self._elements)
        self._own_potentials = any(isinstance(record, UserPotential) for record in self._records)
        compiled = all(isinstance(record, tuple) for record in self._records)  # nothing is written in Python
        self._quick = compiled and self.nv + self.nc <= SMALL  # a step takes microseconds
        self._settings: dict[str, dict[str, Any]] = {}  # of variational integrators, by name
        self._steppers: dict[tuple[Any, ...], list[Any]] = {}  # that runs have left for the next ones
        self._names = ModelNames(
            Names(self._rate_places(self.variables), "variable", self._where),
            Names(self._rate_places(self.dynamic), "dynamic variable", self._where),
            Names(places(self.kinematic), "kinematic variable", self._where),
            Names(self._input_places, "input", self._where),
            Names(constraint_places(self._elements), "constraint", self._where),
            self._coordinate_names(),
        )
        self._check_mass_matrix()
        self._bind()
        if self._parametric is not None:
            _ = self.parameter_entries  # refuses parameters where they have no meaning
        self._sealed = True

    @cached_property
    def _velocity_rows(self) -> list[int]:
        """The rows of constraints that hold velocities alone."""
        return velocity_rows(self._elements)

    def _set_numbers(self, arrays: dict[str, Any], where: str) -> None:
        """Compile the numbers of frames and elements."""
        records = lowered(self._elements, self._element_places, where)
        self._records = tuple(records["elements"])
        self._masses = arrays["mass"]  # by frame
        self._core = core.Model(**arrays, **records)
        self.total_mass: float = core.total_mass(self._core)

    def _bind(self) -> None:
        for record in self._records:
            if isinstance(record, UserElement):
                record.bind(self)

    def __setattr__(self, name: str, value: object) -> None:
        if "_sealed" in self.__dict__:
            raise ModelError(
                asked=f"{name} = ... on {self._where}",
                found="a model does not change once it is built",
                do="edit the System and build it again; model.system gives an editable copy",
            )
        super().__setattr__(name, value)

    # --- parameters ---

    def with_parameters(self, **values: float) -> Model:
        """This model with other values of its parameters, in every bit as if it had been built with them.

        Nothing but numbers is computed again, and all of them are checked as `build` checks them.
        """
        chosen = checked_values(self.parameters, values, f"with_parameters of {self._where}")
        if self._parametric is None or chosen == self.parameters:
            return self
        other = Model.__new__(Model)
        put = other.__dict__
        put |= {name: value for name, value in self.__dict__.items() if name not in _COMPUTED}
        put["parameters"] = MappingProxyType(chosen)
        put["_formal"] = {**self._formal, "parameters": chosen}
        changed = frozenset(name for name, value in chosen.items() if value != self.parameters[name])
        put["_parametric"] = numbers = self._parametric.at(chosen, changed)
        put["_elements"] = elements_at(self._elements, chosen, changed)
        put["_element_places"] = element_names(self._element_places, numbers.arrays)
        put["start"] = numbers.start
        other._set_numbers(numbers.arrays, self._where)
        put |= {"_settings": {}, "_steppers": {}}
        other._check_mass_matrix()
        other._bind()
        put["_sealed"] = True
        return other

    @cached_property
    def parameter_entries(self) -> tuple[Entry, ...]:
        """Where the parameters enter the numbers of the model, with the formulas to differentiate."""
        if self._parametric is None:
            return ()
        entries = self._parametric.entries(self.parameters)
        found = element_entries(self._elements, self._records, self._element_places, entries)
        return (*entries, *found)

    @cached_property
    def _variations(self) -> dict[tuple[str, ...], Any]:
        """How the numbers change with parameters, by the names of these."""
        return {}

    # --- identity ---

    @property
    def system(self) -> System:
        """A new editable `System` equal to the one this model was built from."""
        return self._system_with(self._elements)

    @property
    def description(self) -> dict[str, Any]:
        """The description in plain lists, numbers and strings."""
        if self._undescribed is not None:
            raise self._undescribed
        return json.loads(json.dumps(self._formal))  # type: ignore[no-any-return]

    @cached_property
    def _description(self) -> dict[str, Any]:
        """The description with numbers in place of formulas; for a model without one, of its frames."""
        return self._formal if self._parametric is None else description(self.system, [], numbers=True)

    @cached_property
    def digest(self) -> str:
        """A hash of the description without its shapes: equal for equal mechanics, on any machine."""
        mechanics = {key: value for key, value in self._formal.items() if key != "shapes"}
        text = json.dumps(mechanics, sort_keys=True, separators=(",", ":"))
        return sha256(text.encode())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        for element in self._elements:
            check_pickle(element, self._where)
        return _model_from_parts, ({**self._formal, "elements": []}, self._elements, known_by(self))

    def _system_with(self, elements: Iterable[Element]) -> System:
        """A new system with the frames of this one, and these elements."""
        return _system_from_parts({**self._formal, "elements": []}, elements)

    def __str__(self) -> str:
        return model_text(self)

    def __repr__(self) -> str:
        variables = f"{self.nd} dynamic and {self.nk} kinematic variables"
        return f"<Model {self.name!r}: {variables}, {counted(len(self.frames), 'frame')}>"

    def _repr_png_(self) -> bytes:
        from bough.view.notebook import model_png

        return model_png(self)

    def _repr_html_(self) -> str:
        from bough.view.notebook import model_html

        return model_html(self)

    # --- checks ---

    def _check_mass_matrix(self) -> None:
        """Raise if the mass matrix is singular in every configuration: some variable moves no mass."""
        random = np.random.default_rng(0)
        for _ in range(2):
            q = self.random(random)[None] if self._balls else random.normal(size=(1, self.nv))
            p = np.zeros((1, self.nd))
            _, variable = core.velocity_from_momentum(self._core, q, p, np.zeros(1), np.zeros((1, self.nv)))
            if variable < 0:
                return
        if not np.isfinite(self.mass_matrix(q)).all():
            raise ModelError(
                asked=f"build {self.name!r}",
                found="the mass matrix is not finite: masses, inertias or lengths are too large",
                do="give them in kg, kg m² and m, or in other units that go together",
            )
        names = self._inertialess(q[0], variable)
        several = len(names) > 1
        raise ModelError(
            asked=f"build {self.name!r}",
            found="the mass matrix is singular: "
            + (f"a motion of {quoted(names)} together" if several else f"a motion of {names[0]!r}")
            + " moves no mass",
            do="give a frame outboard of "
            + ("the last of them" if several else "it")
            + " a mass or inertia that resists this motion, or make the variable kinematic or constant;"
            " a URDF file can be loaded with massless='merge' or massless=1e-6",
        )

    def _inertialess(self, q: Array, variable: int) -> list[str]:
        """The variables in the null space of the mass matrix."""
        if self.nd > 500:
            return [self.variables[variable]]
        M = self.mass_matrix(q)[: self.nd, : self.nd]
        scale = np.sqrt(np.where(np.diag(M) > 0, np.diag(M), 1.0))
        values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
        null = vectors[:, np.argmin(values)]
        involved = np.flatnonzero(np.abs(null) > 1e-6 * np.abs(null).max())
        return [self.variables[i] for i in involved]


def _system_from_parts(frames: dict[str, Any], elements: Iterable[Element]) -> System:
    system = System.from_dict(frames)
    for element in elements:
        system.add(element)
    return system


def _model_from_parts(frames: dict[str, Any], elements: Iterable[Element], key: str = "") -> Model:
    """The model of a pickle: the one that this process has already, or a new one."""
    model: Model | None = KNOWN.get(key)
    if model is None:
        model = _system_from_parts(frames, elements).build()
        known_by(model)
    return model


def _stand_in(element: Element) -> dict[str, Any]:
    """The description of an element, or another value that identifies it."""
    try:
        return element.to_dict()
    except ModelError:
        return {"type": type(element).__name__, "python": fingerprint(element)}
