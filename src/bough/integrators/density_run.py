"""A run whose steps are chosen by a reversible density: cpp/bough/integrators/step_density.hpp.

The tolerance is the error of the configuration, in rad or parts of the size of the system, over a pilot of
twenty steps at the start. It sets eps of (SD2) and delta of (SD5), (SD6); the pilot's rates set w0 by (SD4), and its
means T_ref and W_ref. All of them are constants of the run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bough._core import core
from bough.arguments import Array
from bough.errors import CoarseStepWarning, ModelError, warn
from bough.integrators import variational as integrator
from bough.integrators.run import CHUNK, Failure, Plan
from bough.motion.energy_check import AT_REST
from bough.motion.events import Ended, Observer, plain_event, within
from bough.motion.interpolation import sketches
from bough.motion.stages import gauss_times
from bough.motion.state import State
from bough.motion.trajectory import Driving, Trajectory
from bough.watch import Watch

PILOT, FIRST, LARGEST = 20, 0.1, 0.2  # steps of the pilot, its eps, and the largest eps
SMOOTH = 3.0  # c of (SD4): what is lost where bodies turn back is below 4e-7
MOST = 4096  # steps of a chunk
COUNTS = ("resets", "halved", "unresolved")  # what is counted in a run
ROUND_OFF = 1e-15
VANISHING = 1e-9  # length of a step, of the longest one, that leads nowhere
JUDGED, MOST_JUDGED = 1e3, 1e-5  # delta of (SD5): so many tolerances, but no more than that, or one tolerance
KEPT, LEAST_KEPT = 10.0, 1e-7  # change of the energy of a run that is told: in delta, and at least
CHECKED = 64  # rows of a run whose energy is compared


class DensityRun:
    """One run with `tol` of a motion that keeps its energy."""

    def __init__(self, plan: Plan) -> None:
        model = plan.model
        self.plan = plan
        self._stepper = integrator.new_stepper(model, plan.settings)
        self._u = plan.inputs.at([0])[0]
        self._vk = np.zeros(model.nk)
        self._observer = Observer(model, plan.events)
        self._t, self._q, self._p = [plan.grid.t0], [plan.q], [plan.p]  # of the nodes
        self._rows: list[tuple[float, State]] = []  # at chosen instants
        self._end: State | None = None  # at a terminal event
        self._used: Any = None  # the density
        self._chunk = 1 if plan.events or plan.instants is not None else 16

    @cached_property
    def _method(self) -> Any:
        return integrator.from_settings(self.plan.model, self.plan.settings)

    def run(self, watch: Watch) -> None:
        """Step to the end."""
        plan, grid = self.plan, self.plan.grid
        if "epsilon" not in plan.settings:
            plan.settings |= self._pilot()
        density = self._used = self._density(plan.settings["epsilon"], plan.settings["rate"])
        density.judge(self._delta(), plan.settings["kinetic"], plan.settings["speed"])
        self._begin()
        end, state = plan.settings.get("until", grid.t0 + grid.duration), self._state()
        if plan.events:
            self._observer.begin(grid.t0, state)
        if plan.instants is not None and plan.instants[0] <= grid.t0:
            self._rows.append((grid.t0, state))
        while self._t[-1] < end:
            begin = time.perf_counter()
            self._steps(density, self._chunk, end)
            if plan.events or plan.instants is not None:
                before, state = state, self._state()
                try:
                    self._look(before, state)
                except Ended as ended:
                    self._end_with(ended)
                    return
            else:
                elapsed = time.perf_counter() - begin
                self._chunk = max(
                    1, min(int(self._chunk * CHUNK / max(elapsed, 1e-9)), 4 * self._chunk, MOST)
                )
            watch.look(self._t[-1] - grid.t0)

    def _delta(self) -> float:
        """Of (SD5) and (SD6)."""
        tol: float = self.plan.settings["tol"]
        return max(min(JUDGED * tol, MOST_JUDGED), tol)

    # --- steps ---

    def _begin(self) -> None:
        singular = self._stepper.start(self.plan.grid.t0, self.plan.q, self.plan.p, self._vk)
        if singular >= 0:
            self.plan.model._check_singular("velocity", (0, singular), ())

    def _density(self, epsilon: float, rate: float) -> Any:
        return core.StepDensity(self.plan.model._core, pairs(self.plan.model), epsilon, rate)

    def _steps(self, density: Any, count: int, end: float) -> None:
        """Make some steps, not beyond a time."""
        model = self.plan.model
        t, q, p = np.empty(count), np.empty((count, model.nv)), np.empty((count, model.nd))
        status, done, raised = density.run(self._stepper, count, end, self._u, t, q, p)
        self._t += t[:done].tolist()
        self._q += list(q[:done])
        self._p += list(p[:done])
        if isinstance(raised, BaseException):  # by a user's element
            raise raised
        if status:
            raise self._failure(status, density.last)

    def _failure(self, status: int, last: float) -> Failure:
        """The failure of a step of some length."""
        _, residual, worst, attempted = self._stepper.failure()
        t, carried = self._t[-1], "this exception carries the motion before it as .trajectory"
        if status != core.StepStatus.singular and last <= VANISHING * max(abs(t), self._longest()):
            found = (
                f"the steps at t = {t:.6g} become as short as {last:.1g} s, as where points meet that attract,"
                " or where a force is not defined any more"
            )
            do = f"end the run before that instant, or start it so that points pass each other; {carried}"
        else:
            found = f"at t = {t:.6g}: {self._method.failure_text(status, residual, worst)}"
            do = f"take a smaller tol, or look at the motion before it: {carried}"
        return Failure(
            len(self._t) - 1,
            t,
            found,
            f"{do} (on_failure='stop' returns it instead)",
            attempted,
            residual,
        )

    def _longest(self) -> float:
        """The longest step so far."""
        return float(np.diff(self._t).max(initial=0.0))

    def _pilot(self) -> dict[str, float]:
        """The constants of the run: twenty steps, and the same time with steps half as long."""
        model, order = self.plan.model, self.plan.settings["order"]
        slowest = self._slowest()
        _, q, p = self._try(FIRST, slowest, PILOT, np.inf)
        turning, accelerating = self._rates(q, p)
        mean = turning.mean() if turning.mean() > 1e-6 * slowest else 4.0 * slowest
        missing = (SMOOTH * LARGEST * accelerating - turning**2).max()
        rate = float(np.sqrt(max((0.25 * mean) ** 2, missing)))  # (SD4)
        t, q, p = self._try(FIRST, rate, PILOT, np.inf)
        _, half, _ = self._try(0.5 * FIRST, rate, 100 * PILOT, t)
        units = np.array(core.variable_units(model._core))[: model.nd]
        error = max(float((np.abs(q[-1] - half[-1])[: model.nd] * units).max(initial=0.0)), ROUND_OFF)
        v = np.array([model.velocity(*row, self._vk)[: model.nd] for row in zip(q, p, strict=True)])
        return {
            "epsilon": min(FIRST * (self.plan.settings["tol"] / error) ** (1.0 / order), LARGEST),
            "rate": rate,
            "kinetic": float(0.5 * (p * v).sum(axis=1).mean()),
            "speed": float((np.abs(v) * units).max(axis=1, initial=0.0).mean()),
        }

    def _rates(self, q: Array, p: Array) -> tuple[Array, Array]:
        """How fast bodies turn and pairs of points pass at some nodes, and how fast that changes at rest."""
        model, density = self.plan.model, self._density(FIRST, 1.0)
        found = []
        for at, momentum in zip(q, p, strict=True):
            v = model.velocity(at, momentum, self._vk)
            a = model.acceleration(at, v, u=self._u, t=self.plan.grid.t0)
            found.append([density.rate(at.copy(), np.array(x), 1e-300, model.nv) for x in (v, a)])
        turning, accelerating = np.array(found).T
        return turning, accelerating

    def _slowest(self) -> float:
        """A rate of the start that is not zero, if it is about to move."""
        model, plan = self.plan.model, self.plan
        units = np.array(core.variable_units(model._core))
        a = model.acceleration(plan.q, plan.v, u=self._u, t=plan.grid.t0)
        falling = float(np.sqrt((np.abs(a) * units)[: model.nd].max(initial=0.0)))
        turning = self._density(FIRST, 1.0).rate(plan.q.copy(), np.array(plan.v), 1e-300, model.nv)
        return max(falling, turning) or 10.0 / (plan.grid.duration or 1.0)

    def _try(self, epsilon: float, rate: float, count: int, end: float) -> tuple[float, Array, Array]:
        """Some steps from the start: their end, and q and p of all nodes."""
        model = self.plan.model
        self._begin()
        t, q, p = np.empty(count), np.empty((count, model.nv)), np.empty((count, model.nd))
        status, done, raised = self._density(epsilon, rate).run(self._stepper, count, end, self._u, t, q, p)
        if isinstance(raised, BaseException):
            raise raised
        if status or done == 0:
            raise Failure(
                0,
                self.plan.grid.t0,
                "the steps of the pilot, which sets the length of all others, did not converge",
                "give dt= in place of tol=, or another start",
            )
        return float(t[done - 1]), q[:done], p[:done]

    # --- within steps ---

    def _state(self) -> State:
        state: State = self._method.state(self._stepper, self._vk, self.plan.q, self._u)
        return state

    def _look(self, before: State, after: State) -> None:
        start, end = self._t[-2], self._t[-1]
        parts = tuple(gauss_times(self.plan.settings["order"])[0].tolist())

        exact = within(before, after, start, end, lambda t: self._side(before, start, t))

        def sketch(times: Sequence[float]) -> list[State]:
            momenta = not self._observer.expressions
            return sketches(self.plan.model, before, after, end - start, times, parts, momenta)

        try:
            if self.plan.events:
                inner = [start + c * (end - start) for c in parts]
                self._observer.look(end, after, start, inner, sketch, exact)
        except Ended as ended:
            self._record(ended.event.t, exact, before=True)
            raise
        self._record(end, exact)

    def _record(self, end: float, exact: Any, before: bool = False) -> None:
        instants = self.plan.instants
        while instants is not None and len(self._rows) < len(instants):
            t = float(instants[len(self._rows)])
            if t > end or (before and t == end):
                return
            self._rows.append((t, exact(t)))

    def _side(self, before: State, start: float, t: float) -> State:
        """The state at time t of the step from a node: a step that is not continued."""
        self._method.step(before, self._u, None, t - start)
        state: State = self._method.state(self._method._stepper(), self._vk, self.plan.q, self._u)
        return state

    def _end_with(self, ended: Ended) -> None:
        """End the run with a terminal event."""
        event = ended.event
        self._end = event.state
        self._t[-1], self._q[-1], self._p[-1] = event.t, np.asarray(event.state.q), np.asarray(event.state.p)
        if self.plan.instants is not None:
            self._rows.append((event.t, event.state))

    # --- results ---

    def trajectory(self, status: str, wall_time: float) -> Trajectory:
        """The recorded rows."""
        plan, steps = self.plan, len(self._t) - 1
        chosen = [*range(0, steps, plan.grid.every), steps]
        t, q, p = ([rows[i] for i in chosen] for rows in (self._t, self._q, self._p))
        if plan.instants is not None and self._rows:
            t = [row[0] for row in self._rows]
            q = [np.asarray(row[1].q) for row in self._rows]
            p = [np.asarray(row[1].p) for row in self._rows]
        settings = {**plan.settings, "dt": None, "steps": steps}
        if self._end is not None:
            settings |= {"ended": self._observer.found[-1].name}
        if self._end is not None or status != "finished":
            settings |= {"until": self._t[-1]}
        counts = {name: getattr(self._used, name, 0) for name in COUNTS}
        run = Trajectory(
            plan.model,
            t,
            np.array(q),
            p=np.array(p),
            u=np.repeat(self._u[None], len(t), axis=0),
            vk=np.zeros((len(t), plan.model.nk)),
            status=status if self._end is None else "event",
            settings=settings,
            statistics={"steps": steps, **counts, "wall_time": wall_time},
            driving=Driving(plan.inputs.rows, plan.prescribed, plan.stages),
        )
        run.events = tuple(plain_event(plan.model, event, self._u, None) for event in self._observer.found)
        return run

    def warn(self, run: Trajectory) -> None:
        """Warn if the energy changes by more than the tolerance explains."""
        if len(run.t) < 2 or self._used is None:
            return
        rows = np.unique(np.linspace(0, len(run.t) - 1, CHECKED).astype(np.intp))
        model, q, p = run.model, run.q[rows], run.p[rows]
        try:
            energies = model.kinetic_energy(q, model.velocity(q, p))
        except ModelError:  # a singular position
            return
        kinetic = float(energies.max())
        energies += model.potential_energy(q)
        change = np.abs(energies - energies[0])
        tol, worst = run.settings["tol"], int(change.argmax())
        allowed = min(max(KEPT * self._delta(), LEAST_KEPT), core.COARSE_ENERGY)
        if change[worst] <= allowed * kinetic or kinetic <= AT_REST * model.total_mass:
            return
        first = int(np.argmax(~(change <= 0.5 * change[worst])))
        counts = (
            ("resets", "the density of steps was lost and reset {} times"),
            ("unresolved", "{} steps could not be made short enough"),
        )
        told = [text.format(run.statistics[name]) for name, text in counts if run.statistics[name]]
        warn(
            f"the energy of {model.name!r} changes by {change[worst] / kinetic:.1e} of its largest kinetic energy"
            f" near t = {run.t[rows[first]]:.4g} s, although nothing drives or damps it and tol = {tol:g}"
            + (f": {' and '.join(told)}" if told else "")
            + "; take a smaller tol, or give dt and order=8",
            CoarseStepWarning,
        )


def pairs(model: Any) -> list[list[int]]:
    """The frames at the ends of springs, attractions and rods, whose approach asks for shorter steps."""
    kinds = ("LinearSpring", "NonlinearSpring", "CentralGravity", "DistanceConstraint")
    found = [element for element in model._elements if type(element).__name__ in kinds]
    return [[model._frame(element.a), model._frame(element.b)] for element in found]
