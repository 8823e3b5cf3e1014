"""The compiled system and its quantities, each a pure function of arrays.

Configurations and velocities have the variables on the last axis; any axes before it are a batch, looped in
the core. Functions are named by the quantity they return: `X_dq` is its derivative by q, and so on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bough._core import core
from bough._description import description
from bough._flatten import flatten
from bough._lower import constraint_labels, input_names, lower
from bough._model_text import model_text
from bough._pickles import check_pickle, fingerprint
from bough._user_element import UserElement
from bough.arguments import Array, Vector, batch, vector
from bough.elements import Element
from bough.errors import ModelError, quoted, unknown_name
from bough.frame import Frame
from bough.system import System

if TYPE_CHECKING:
    from bough.equilibrium import Equilibrium
    from bough.state import State

_JACOBIANS = {"body": 0, "spatial": 1, "hybrid": 2}


class LagrangianDerivatives(NamedTuple):
    """All first and second derivatives of the Lagrangian; `dqdv[i, j]` is d²L/dq_i dv_j."""

    dq: Array
    dv: Array
    dqdq: Array
    dqdv: Array
    dvdv: Array


class Model:
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
    """

    def __init__(self, system: System) -> None:
        flat = flatten(system)
        self._elements = system.elements
        self._undescribed: ModelError | None = None  # why there is no description in plain values
        try:
            self._description = system.to_dict()
        except ModelError as error:
            self._undescribed = error
            self._description = description(system, [_stand_in(element) for element in system.elements])
        lowered = lower(system, flat)
        self._core = core.Model(**flat.arrays, **lowered)
        self.name: str = system.name
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
        self._places = {name: index for index, name in enumerate(self.variables)}
        self._input_places = {name: index for index, name in enumerate(self.inputs)}
        self._where = f"model {self.name!r}"
        self._check_mass_matrix()
        for record in lowered["elements"]:
            if isinstance(record, UserElement):
                record.bind(self)

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
        """A hash of the description: equal for models of equal content, on any machine."""
        text = json.dumps(self._description, sort_keys=True, separators=(",", ":"))
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

    # --- frames ---

    def pose(self, frame: str | Frame, q: Vector) -> Array:
        """The pose of a frame in the world, (..., 4, 4)."""
        return self._of_frame(core.pose, (4, 4), frame, q)

    def pose_dq(self, frame: str | Frame, q: Vector) -> Array:
        """dg/dq_i, (..., nq, 4, 4)."""
        return self._of_frame(core.pose_dq, (self.nq, 4, 4), frame, q)

    def pose_dqdq(self, frame: str | Frame, q: Vector) -> Array:
        """d²g/dq_i dq_j, (..., nq, nq, 4, 4)."""
        return self._of_frame(core.pose_dqdq, (self.nq, self.nq, 4, 4), frame, q)

    def pose_derivative(self, frame: str | Frame, q: Vector, variables: Sequence[str]) -> Array:
        """The derivative of the pose by chosen variables, of any order, (..., 4, 4).

        `variables=("a", "a", "b")` is d³g/da² db.
        """
        chosen = np.array([self.index(name) for name in variables], dtype=np.int32)

        def quantity(model: Any, index: int, q: Array, out: Array) -> None:
            core.pose_derivative(model, index, q, chosen, out)

        return self._of_frame(quantity, (4, 4), frame, q)

    def jacobian(self, frame: str | Frame, q: Vector, kind: str = "body") -> Array:
        """The Jacobian of a frame, (..., 6, nq), rows (angular, linear).

        kind "body": velocities in the frame's axes at its origin; "spatial": in world axes at the world
        origin; "hybrid": in world axes at the frame's origin.
        """
        if kind not in _JACOBIANS:
            raise unknown_name("kind of Jacobian", str(kind), _JACOBIANS, self._where)

        def quantity(model: Any, index: int, q: Array, out: Array) -> None:
            core.jacobian(model, index, _JACOBIANS[kind], q, out)

        return self._of_frame(quantity, (6, self.nq), frame, q)

    def body_velocity(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """The body velocity of a frame, (..., 6): (angular, linear) in the frame's axes."""
        return self._of_frame(core.body_velocity, (6,), frame, q, v)

    def body_velocity_dq(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """dv^b/dq_i, (..., nq, 6)."""
        return self._of_frame(core.body_velocity_dq, (self.nq, 6), frame, q, v)

    def body_velocity_dv(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """dv^b/dv_i, (..., nq, 6): the columns of the body Jacobian."""
        shape, (qs, _) = batch(self._vector(q, "q"), self._vector(v, "v"))
        jacobian = self.jacobian(frame, qs)
        return np.ascontiguousarray(np.swapaxes(jacobian, -1, -2)).reshape(*shape, self.nq, 6)

    def body_velocity_dqdq(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """d²v^b/dq_i dq_j, (..., nq, nq, 6)."""
        return self._of_frame(core.body_velocity_dqdq, (self.nq, self.nq, 6), frame, q, v)

    def body_velocity_dqdv(self, frame: str | Frame, q: Vector, v: Vector) -> Array:
        """d²v^b/dq_i dv_j, (..., nq, nq, 6)."""
        return self._of_frame(core.body_velocity_dqdv, (self.nq, self.nq, 6), frame, q, v)

    # --- energy and momentum ---

    def kinetic_energy(self, q: Vector, v: Vector) -> Array:
        """T, of the batch's shape."""
        return self._evaluate(core.kinetic_energy, (), q=q, v=v)

    def potential_energy(self, q: Vector) -> Array:
        """V, of the batch's shape; gravity's is zero at the world origin."""
        return self._evaluate(core.potential_energy, (), q=q)

    def energy(self, q: Vector, v: Vector) -> Array:
        """T + V."""
        return self.kinetic_energy(q, v) + self.potential_energy(q)

    def lagrangian(self, q: Vector, v: Vector) -> Array:
        """L = T - V."""
        return self.kinetic_energy(q, v) - self.potential_energy(q)

    def momentum(self, q: Vector, v: Vector) -> Array:
        """The generalised momentum dL/dv = M v, (..., nq)."""
        return self.L_dv(q, v)

    def center_of_mass(self, q: Vector) -> Array:
        """The centre of all masses in the world, (..., 3)."""
        if self.total_mass == 0.0:
            raise ModelError(
                asked=f"centre of mass of {self._where}", found="no mass", do="give a frame a mass"
            )
        return self._evaluate(core.center_of_mass, (3,), q=q)

    def linear_momentum(self, q: Vector, v: Vector) -> Array:
        """The total linear momentum, (..., 3)."""
        return self._evaluate(core.spatial_momentum, (6,), q=q, v=v)[..., 3:]

    def angular_momentum(self, q: Vector, v: Vector) -> Array:
        """The total angular momentum about the world origin, (..., 3)."""
        return self._evaluate(core.spatial_momentum, (6,), q=q, v=v)[..., :3]

    # --- derivatives of the Lagrangian ---

    def lagrangian_derivatives(self, q: Vector, v: Vector) -> LagrangianDerivatives:
        """All first and second derivatives of L in one call."""
        shape, (qs, vs) = batch(self._vector(q, "q"), self._vector(v, "v"))
        rows, n = qs.shape
        first = [np.empty((rows, n)) for _ in range(2)]
        second = [np.empty((rows, n, n)) for _ in range(3)]
        core.lagrangian_gradient(self._core, qs, vs, *first)
        core.lagrangian_hessians(self._core, qs, vs, *second)
        return LagrangianDerivatives(*(a.reshape(*shape, *a.shape[1:]) for a in (*first, *second)))

    def L_dq(self, q: Vector, v: Vector) -> Array:
        """dL/dq, (..., nq)."""
        return self._evaluate(_first(0), (self.nq,), q=q, v=v)

    def L_dv(self, q: Vector, v: Vector) -> Array:
        """dL/dv, (..., nq): the momentum."""
        return self._evaluate(_first(1), (self.nq,), q=q, v=v)

    def L_dqdq(self, q: Vector, v: Vector) -> Array:
        """d²L/dq_i dq_j, (..., nq, nq)."""
        return self._evaluate(_second(0), (self.nq, self.nq), q=q, v=v)

    def L_dqdv(self, q: Vector, v: Vector) -> Array:
        """d²L/dq_i dv_j, (..., nq, nq)."""
        return self._evaluate(_second(1), (self.nq, self.nq), q=q, v=v)

    def L_dvdv(self, q: Vector, v: Vector) -> Array:
        """d²L/dv_i dv_j, (..., nq, nq): the mass matrix."""
        return self._evaluate(_second(2), (self.nq, self.nq), q=q, v=v)

    # --- dynamics ---

    def mass_matrix(self, q: Vector) -> Array:
        """M, (..., nq, nq), symmetric; rows and columns of kinematic variables included."""
        return self._evaluate(core.mass_matrix, (self.nq, self.nq), q=q)

    def inverse_dynamics(self, q: Vector, v: Vector, a: Vector) -> Array:
        """The generalised forces d/dt dL/dv - dL/dq that produce accelerations a, (..., nq)."""
        return self._evaluate(core.inverse_dynamics, (self.nq,), q=q, v=v, a=a)

    def acceleration(
        self,
        q: Vector,
        v: Vector,
        u: Vector | None = None,
        *,
        ak: Vector | None = None,
        force: Vector | None = None,
        baumgarte: tuple[float, float] = (0.0, 0.0),
        t: npt.ArrayLike = 0.0,
    ) -> Array:
        """The accelerations of all variables, (..., nq), constraints held (002 eq. 36).

        Parameters
        ----------
        u : inputs, by default zero
        ak : accelerations of the kinematic variables, (..., nk), by default zero
        force : further generalised forces on the variables, (..., nq)
        baumgarte : gains (g1, g2): constraint rows obey ḧ + 2 g1 ḣ + g2² h = 0
        t : time, of the batch's shape, where forces or constraints depend on it
        """
        return self.acceleration_and_multipliers(q, v, u, ak=ak, force=force, baumgarte=baumgarte, t=t)[0]

    def acceleration_and_multipliers(
        self,
        q: Vector,
        v: Vector,
        u: Vector | None = None,
        *,
        ak: Vector | None = None,
        force: Vector | None = None,
        baumgarte: tuple[float, float] = (0.0, 0.0),
        t: npt.ArrayLike = 0.0,
    ) -> tuple[Array, Array]:
        """The accelerations, (..., nq), and the constraint forces lam, (..., nc), as in `acceleration`."""
        shape, (qs, vs, us, forces, aks) = batch(
            self._vector(q, "q"),
            self._vector(v, "v"),
            np.zeros(self.nu) if u is None else vector(u, self.inputs, "u", self._where, "inputs"),
            np.zeros(self.nq) if force is None else self._vector(force, "force"),
            np.zeros(self.nk)
            if ak is None
            else vector(ak, self.kinematic, "ak", self._where, "kinematic variables"),
        )
        out = np.zeros_like(qs)
        out[:, self.nd :] = aks
        lam = np.empty((len(qs), self.nc))
        failed = core.acceleration(self._core, qs, vs, forces, us, _times(t, shape), *baumgarte, out, lam)
        self._check_singular("acceleration", failed, shape)
        return out.reshape((*shape, self.nq)), lam.reshape((*shape, self.nc))

    def velocity(self, q: Vector, p: Vector, vk: Vector | None = None, t: npt.ArrayLike = 0.0) -> Array:
        """The velocities of all variables, (..., nq), from momenta, projected onto the constraints.

        Parameters
        ----------
        p : momenta of the dynamic variables, (..., nd)
        vk : velocities of the kinematic variables, by default zero
        t : time, of the batch's shape, where constraints depend on it
        """
        shape, (qs, ps, vks) = batch(
            self._vector(q, "q"),
            vector(p, self.dynamic, "p", self._where, "dynamic variables"),
            np.zeros(self.nk)
            if vk is None
            else vector(vk, self.kinematic, "vk", self._where, "kinematic variables"),
        )
        out = np.zeros_like(qs)
        out[:, self.nd :] = vks
        failed = core.velocity_from_momentum(self._core, qs, ps, _times(t, shape), out)
        self._check_singular("velocity", failed, shape)
        return out.reshape((*shape, self.nq))

    # --- constraints ---

    def constraint(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """h(q, t), (..., nc): zero where the constraints hold; t of the batch's shape, or one for all."""

        def quantity(model: Any, q: Array, t: Array, out: Array) -> None:
            core.constraint(model, q, t, out, np.empty_like(out))

        return self._of_constraints(quantity, (self.nc,), q, t)

    def constraint_scale(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """The size of the terms that cancel in h, (..., nc): what its round-off is measured by."""

        def quantity(model: Any, q: Array, t: Array, out: Array) -> None:
            core.constraint(model, q, t, np.empty_like(out), out)

        return self._of_constraints(quantity, (self.nc,), q, t)

    def constraint_dq(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """dh/dq, (..., nc, nq)."""
        return self._of_constraints(core.constraint_dq, (self.nc, self.nq), q, t)

    def constraint_dt(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """dh/dt at fixed q, (..., nc): zero unless a constraint depends on time."""
        return self._of_constraints(core.constraint_dt, (self.nc,), q, t)

    def constraint_dqdq(self, q: Vector, t: npt.ArrayLike = 0.0) -> Array:
        """d²h/dq dq, (..., nc, nq, nq)."""
        return self._of_constraints(core.constraint_dqdq, (self.nc, self.nq, self.nq), q, t)

    # --- forces ---

    def generalized_force(self, q: Vector, v: Vector, u: Vector | None = None, t: float = 0.0) -> Array:
        """The sum of the force elements over the variables, (..., nq); potentials are not among them."""
        return self._of_forces(core.generalized_force, (self.nq,), q, v, u, t)

    def generalized_force_dq(self, q: Vector, v: Vector, u: Vector | None = None, t: float = 0.0) -> Array:
        """df_i/dq_j of the generalised force, (..., nq, nq)."""
        return self._of_forces(core.generalized_force_dq, (self.nq, self.nq), q, v, u, t)

    def generalized_force_dv(self, q: Vector, v: Vector, u: Vector | None = None, t: float = 0.0) -> Array:
        """df_i/dv_j of the generalised force, (..., nq, nq)."""
        return self._of_forces(core.generalized_force_dv, (self.nq, self.nq), q, v, u, t)

    def mobility(self, q: Vector) -> int | npt.NDArray[np.int64]:
        """How many dynamic variables are free to move: their number less the rank of the constraints at q."""
        from bough.assemble import mobility

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

        Kinematic variables, and the dynamic ones named in `hold`, keep their values and velocities. Raises
        `ModelError` where no configuration is found, with the closest one as its `closest`.
        """
        from bough.assemble import assemble

        return assemble(self, q, v, hold, t)

    def equilibrium(
        self, q: Vector | None = None, *, hold: str | Iterable[str] = (), t: float = 0.0
    ) -> Equilibrium:
        """A configuration at rest: the potential energy falls to it from q, and the constraints hold.

        Kinematic variables, and the dynamic ones named in `hold`, keep their values. Constraints that depend
        on time hold at time t. Forces that no potential describes are left out. From a q at rest already,
        such as a pendulum upside down, the result is that q. Raises `ConvergenceError` where none is found.
        """
        from bough.equilibrium import equilibrium

        return equilibrium(self, q, hold, t)

    # --- names and arrays ---

    def index(self, variable: str) -> int:
        """The place of a variable in q."""
        try:
            return self.variables.index(variable)
        except ValueError:
            raise unknown_name("variable", str(variable), self.variables, self._where) from None

    def configuration(self, q: Vector) -> Array:
        """q as an array: a mapping from names to numbers is filled up with zeros."""
        return self._vector(q, "q")

    def _vector(self, value: Vector, what: str) -> Array:
        return vector(value, self.variables, what, self._where)

    def _evaluate(self, quantity: Callable[..., None], tail: tuple[int, ...], **arguments: Vector) -> Array:
        shape, rows = batch(*(self._vector(value, what) for what, value in arguments.items()))
        out = np.empty((len(rows[0]), *tail))
        quantity(self._core, *rows, out)
        return out.reshape((*shape, *tail))

    def _of_constraints(
        self, quantity: Callable[..., None], tail: tuple[int, ...], q: Vector, t: npt.ArrayLike
    ) -> Array:
        shape, (qs,) = batch(self._vector(q, "q"))
        out = np.empty((len(qs), *tail))
        quantity(self._core, qs, _times(t, shape), out)
        return out.reshape((*shape, *tail))

    def _of_frame(
        self, quantity: Callable[..., None], tail: tuple[int, ...], frame: str | Frame, q: Vector, *v: Vector
    ) -> Array:
        shape, rows = batch(self._vector(q, "q"), *(self._vector(value, "v") for value in v))
        out = np.empty((len(rows[0]), *tail))
        quantity(self._core, self._frame(frame), *rows, out)
        return out.reshape((*shape, *tail))

    def _of_forces(
        self,
        quantity: Callable[..., None],
        tail: tuple[int, ...],
        q: Vector,
        v: Vector,
        u: Vector | None,
        t: float,
    ) -> Array:
        shape, rows = batch(
            self._vector(q, "q"),
            self._vector(v, "v"),
            np.zeros(self.nu) if u is None else vector(u, self.inputs, "u", self._where, "inputs"),
        )
        out = np.empty((len(rows[0]), *tail))
        quantity(self._core, *rows, t, out)
        return out.reshape((*shape, *tail))

    def _frame(self, frame: str | Frame) -> int:
        label = frame.label if isinstance(frame, Frame) else frame
        if label not in self._frame_index:
            raise unknown_name("frame", str(label), [f for f in self.frames if f[0] != "#"], self._where)
        return self._frame_index[label]

    def _check_singular(self, what: str, failed: tuple[int, int], shape: tuple[int, ...]) -> None:
        row, variable = failed
        if row < 0:
            return
        at = f" in row {row} of the batch" if shape else ""
        raise ModelError(
            asked=f"{what} of {self._where}",
            found=f"the mass matrix is singular in this configuration{at},"
            f" at variable {self.variables[variable]!r}",
            do="move away from this configuration (gimbal lock of Euler angles is the usual cause), "
            "or choose another order of rotations",
        )

    def _check_mass_matrix(self) -> None:
        """Raise where the mass matrix is singular in every configuration: some variable moves no mass."""
        random = np.random.default_rng(0)
        for _ in range(2):
            q = random.normal(size=(1, self.nq))
            p = np.zeros((1, self.nd))
            _, variable = core.velocity_from_momentum(self._core, q, p, np.zeros(1), np.zeros_like(q))
            if variable < 0:
                return
        names = self._inertialess(q[0], variable)
        several = len(names) > 1
        raise ModelError(
            asked=f"build {self.name!r}",
            found="the mass matrix is singular: "
            + (f"a motion of {quoted(names)} together" if several else f"a motion of {names[0]!r}")
            + " moves no mass",
            do="give a frame behind "
            + ("the last of them" if several else "it")
            + " a mass or inertia that resists this motion, or make the variable kinematic or constant",
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
    """The description of an element, or a sign by which it is told from others."""
    try:
        return element.to_dict()
    except ModelError:
        return {"type": type(element).__name__, "python": fingerprint(element)}


def _times(t: npt.ArrayLike, shape: tuple[int, ...]) -> Array:
    """One time for each row of a batch."""
    return np.array(np.broadcast_to(np.asarray(t, dtype=np.float64), shape), order="C").reshape(-1)


def _first(which: int) -> Callable[..., None]:
    def quantity(model: Any, q: Array, v: Array, out: Array) -> None:
        both = [np.empty_like(out), np.empty_like(out)]
        both[which] = out
        core.lagrangian_gradient(model, q, v, *both)

    return quantity


def _second(which: int) -> Callable[..., None]:
    def quantity(model: Any, q: Array, v: Array, out: Array) -> None:
        outputs = [np.empty((0, 0, 0))] * 3
        outputs[which] = out
        core.lagrangian_hessians(model, q, v, *outputs)

    return quantity
