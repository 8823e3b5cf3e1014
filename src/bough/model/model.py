"""The compiled system and its quantities, each a pure function of arrays.

Configurations and velocities have the variables on the last axis; any axes before it are a batch, looped in
the core. Functions are named by the quantity they return: `X_dq` is its derivative by q, and so on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough.arguments import Array, Vector
from bough.description.element import Element
from bough.description.plain import description
from bough.description.shapes import Shape
from bough.description.start import Start
from bough.description.system import System
from bough.elements.servo import Servo
from bough.elements.user import UserElement
from bough.errors import ModelError, quoted
from bough.model.dynamics_quantities import DynamicsQuantities
from bough.model.flatten import flatten
from bough.model.frame_quantities import FrameQuantities
from bough.model.lower import constraint_labels, input_names, lower
from bough.model.pickles import check_pickle, fingerprint
from bough.model.reduced_quantities import ReducedQuantities
from bough.model.text import model_text
from bough.named import ModelNames, Names, places

if TYPE_CHECKING:
    from bough.motion.equilibrium import Equilibrium
    from bough.motion.state import State


class Model(FrameQuantities, DynamicsQuantities, ReducedQuantities):
    """A compiled system: immutable, safe to share between threads. Made by `System.build()`.

    Attributes
    ----------
    name : str
    variables : tuple of str
        The configuration variables in the order of q: dynamic ones, then kinematic ones.
    dynamic, kinematic : tuple of str
    frames : tuple of str
        Frames by name; one without a name is called "#3".
    inputs, constraints : tuple of str
        What u and lam consist of.
    nq, nd, nk, nu, nc : int
        How many variables, dynamic variables, kinematic variables, inputs, rows of constraints.
    total_mass : float
    shapes : tuple of Shape
        What is drawn on frames in place of the automatic picture.
    start : Start
        The default start of runs.
    """

    def __init__(self, system: System) -> None:
        flat = flatten(system)
        self._elements = system.elements
        self.shapes: tuple[Shape, ...] = system.shapes
        self._undescribed: ModelError | None = None  # the reason if there is no description in plain values
        try:
            self._description = system.to_dict()
        except ModelError as error:
            self._undescribed = error
            self._description = description(system, [_stand_in(element) for element in system.elements])
        lowered = lower(system, flat)
        self._records = tuple(lowered["elements"])
        self._masses = flat.arrays["mass"]  # by frame
        self._core = core.Model(**flat.arrays, **lowered)
        self.name: str = system.name
        self.start: Start = system.start
        self.variables: tuple[str, ...] = flat.variable_names
        self.nq: int = len(self.variables)
        self.nd: int = flat.arrays["n_dynamic"]
        self.nk: int = self.nq - self.nd
        self.dynamic: tuple[str, ...] = self.variables[: self.nd]
        self.kinematic: tuple[str, ...] = self.variables[self.nd :]
        self.frames: tuple[str, ...] = flat.frame_labels
        self.inputs: tuple[str, ...] = input_names(system.elements)
        self.constraints: tuple[str, ...] = constraint_labels(system.elements)
        self.nu: int = len(self.inputs)
        self.nc: int = len(self.constraints)
        self.total_mass: float = core.total_mass(self._core)
        self._frame_index = {label: index for index, label in enumerate(self.frames)}
        self._places = places(self.variables)
        self._input_places = places(self.inputs)
        self._where = f"model {self.name!r}"
        self._servos = any(isinstance(element, Servo) for element in self._elements)
        self._settings: dict[str, dict[str, Any]] = {}  # of variational integrators, by name
        self._names = ModelNames(
            Names(self._places, "variable", self._where),
            Names(places(self.dynamic), "dynamic variable", self._where),
            Names(places(self.kinematic), "kinematic variable", self._where),
            Names(self._input_places, "input", self._where),
            Names(places(self.constraints), "constraint", self._where),
        )
        self._check_mass_matrix()
        for record in lowered["elements"]:
            if isinstance(record, UserElement):
                record.bind(self)
        self._sealed = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_sealed" in self.__dict__:
            raise ModelError(
                asked=f"{name} = ... on {self._where}",
                found="a model does not change once it is built",
                do="edit the System and build it again; model.system gives an editable copy",
            )
        super().__setattr__(name, value)

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
        return json.loads(json.dumps(self._description))  # type: ignore[no-any-return]

    @cached_property
    def digest(self) -> str:
        """A hash of the description without its shapes: equal for equal mechanics, on any machine."""
        mechanics = {key: value for key, value in self._description.items() if key != "shapes"}
        text = json.dumps(mechanics, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        for element in self._elements:
            check_pickle(element, self._where)
        return _model_from_parts, ({**self._description, "elements": []}, self._elements)

    def _system_with(self, elements: Iterable[Element]) -> System:
        """A new system with the frames of this one, and these elements."""
        return _system_from_parts({**self._description, "elements": []}, elements)

    def __str__(self) -> str:
        return model_text(self)

    def __repr__(self) -> str:
        variables = f"{self.nd} dynamic and {self.nk} kinematic variables"
        return f"<Model {self.name!r}: {variables}, {len(self.frames)} frames>"

    def _repr_png_(self) -> bytes:
        from bough.view.notebook import model_png

        return model_png(self)

    def _repr_html_(self) -> str:
        from bough.view.notebook import model_html

        return model_html(self)

    # --- configurations ---

    def mobility(self, q: Vector) -> int | npt.NDArray[np.int64]:
        """The number of free dynamic variables: their number minus the rank of the constraints at q."""
        from bough.motion.assemble import mobility

        return mobility(self, self._vector(q, "q"))

    def assemble(
        self,
        q: Vector | None = None,
        v: Vector | None = None,
        *,
        hold: str | Iterable[str] = (),
        t: float = 0.0,
    ) -> State:
        """The state nearest to q and v that meets the constraints at time t, by the metric of kinetic energy.

        Values missing from q and v are those of the system's start, `model.start`, unless q is an array.
        Kinematic variables, and the dynamic ones named in `hold`, keep their values and velocities. Raises
        `ModelError` where no configuration is found, with the closest one as its `closest`.
        """
        from bough.motion.assemble import assemble

        return assemble(self, q, v, hold, t)

    def equilibrium(
        self,
        q: Vector | None = None,
        u: Vector | None = None,
        *,
        hold: str | Iterable[str] = (),
        t: float = 0.0,
    ) -> Equilibrium:
        """A configuration at rest under potentials, forces and inputs u: the system falls to it from q.

        Values missing from q are those of the system's start, `model.start`, unless q is an array.
        Kinematic variables, and the dynamic ones named in `hold`, keep their values. Inputs are zero unless
        given; forces are those at rest and at time t, at which constraints hold too. Masses count by their
        weight alone. From a q at rest already, such as a pendulum upside down, the result is that q. Raises
        `ConvergenceError` if the forces do not cancel at the end.
        """
        from bough.motion.equilibrium import equilibrium

        return equilibrium(self, q, u, hold, t)

    # --- checks ---

    def _check_mass_matrix(self) -> None:
        """Raise if the mass matrix is singular in every configuration: some variable moves no mass."""
        random = np.random.default_rng(0)
        for _ in range(2):
            q = random.normal(size=(1, self.nq))
            p = np.zeros((1, self.nd))
            _, variable = core.velocity_from_momentum(self._core, q, p, np.zeros(1), np.zeros_like(q))
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


def _model_from_parts(frames: dict[str, Any], elements: Iterable[Element]) -> Model:
    return _system_from_parts(frames, elements).build()


def _stand_in(element: Element) -> dict[str, Any]:
    """The description of an element, or another value that identifies it."""
    try:
        return element.to_dict()
    except ModelError:
        return {"type": type(element).__name__, "python": fingerprint(element)}
