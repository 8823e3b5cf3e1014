"""Actuators of a MuJoCo model as motors and servos, with MuJoCo's ctrl as input.

MuJoCo's force is  gain ctrl + b_0 + b_1 l + b_2 dl/dt,  kept within a range, at the length l of the
transmission, and dl/dq times this acts on the variables. With l = gear q on one joint, or
l = gear (sum of c_i q_i) on a fixed tendon:

    motor      b = 0                               f_i = gear c_i gain ctrl; on a ball or free joint gear_i gain ctrl
    position   b = (0, -gain, -kd)                 a servo of kp = gain to the target ctrl / (gear c)
    velocity   b = (0, 0, -gain)                   a servo of kd = gain to the rate ctrl / (gear c)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.elements.forces import ConfigurationForce
from bough.elements.potentials import GearSpring
from bough.elements.servo import Servo
from bough.io._mjcf_elements import linear
from bough.model.lower import input_names

if TYPE_CHECKING:
    from bough.io.mjcf import Imported


def add_actuators(imported: Imported) -> None:
    """Add a motor or servo for every actuator that has a counterpart, and report the others."""
    model, option = imported.model, imported.model.opt
    off = bool(option.disableflags & imported.mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    for actuator in range(getattr(model, "nactuator", model.nu)):  # some have several controls
        group = int(model.actuator_group[actuator])
        if off or (0 <= group < 31 and option.disableactuator >> group & 1):
            imported.report.unused("actuators that the file disables", model.actuator(actuator).name)
        else:
            _Actuator(imported, actuator).add()
    for kind, count in (("jnt", model.njnt), ("tendon", model.ntendon)):
        for place in range(count):
            if getattr(model, f"{kind}_actfrclimited")[place]:
                named = model.joint(place) if kind == "jnt" else model.tendon(place)
                imported.report.unused("ranges of the force of all actuators together", named.name)


def _not_zero(gears: Iterable[tuple[str, Any]]) -> dict[str, float]:
    return {variable: float(gear) for variable, gear in gears if gear}


class _Actuator:
    """One actuator of a compiled model."""

    def __init__(self, imported: Imported, actuator: int) -> None:
        self.imported, self.actuator = imported, actuator
        self.model, self.report = imported.model, imported.report
        self.name: str = self.model.actuator(actuator).name or self._named_after()
        self.gain = float(self.model.actuator_gainprm[actuator, 0])
        self.bias = tuple(float(x) for x in self.model.actuator_biasprm[actuator, :3])

    def add(self) -> None:
        """Add what acts on the variables."""
        known, moved = self._is_affine(), self._length_per_variable()
        if self._has("actuator_armature") or self._has("actuator_damping"):
            self.report.unused("armature and damping of actuators", self.name)
        if self.model.actuator_dyntype[self.actuator] != int(self.imported.mujoco.mjtDyn.mjDYN_NONE):
            self.report.unused("actuators with a state of their own", self.name)
        elif not moved or not known or not self.gain:
            self.report.unused("actuators without a counterpart", self.name)
        elif not any(self.bias):
            self._motor(moved)
        elif self.bias[0] == 0.0 and self.bias[1] == -self.gain and self.gain > 0.0 and self.bias[2] <= 0.0:
            self._position(moved)
        elif self.bias[:2] == (0.0, 0.0) and self.bias[2] == -self.gain and self.gain > 0.0:
            self._velocity(moved)
        else:
            self.report.unused("actuators without a counterpart", self.name)

    def _named_after(self) -> str:
        """The name of what an actuator without one acts on: "hip motor", "hip motor 1" for a second one there."""
        model, kinds = self.model, self.imported.mujoco.mjtTrn
        kind, target = int(model.actuator_trntype[self.actuator]), int(model.actuator_trnid[self.actuator, 0])
        name = ""
        if kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
            name = model.joint(target).name or next(iter(self.imported.variables[target]), "")
        elif kind == int(kinds.mjTRN_TENDON):
            name = model.tendon(target).name
        if not name:
            return f"actuator {self.actuator}"
        count = getattr(model, "nactuator", model.nu)
        taken = {model.actuator(i).name for i in range(count)} | {*input_names(self.imported.system.elements)}
        numbers = (f" {i}" if i else "" for i in itertools.count())
        return next(label for i in numbers if (label := f"{name} motor{i}") not in taken)

    def _length_per_variable(self) -> dict[str, float]:
        """The derivative of the transmission length by each variable; empty if it is not linear."""
        model, kinds = self.model, self.imported.mujoco.mjtTrn
        gear, kind = model.actuator_gear[self.actuator], int(model.actuator_trntype[self.actuator])
        target = int(model.actuator_trnid[self.actuator, 0])
        if kind in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
            variables = self.imported.variables[target]
            if len(variables) > 1 and self.imported.balls and kind == int(kinds.mjTRN_JOINT):
                # only a motor: its forces and torques, in the axes of the rates, do not depend on the length
                return {} if any(self.bias) else _not_zero(zip(variables, gear, strict=False))
            return {variables[0]: float(gear[0])} if len(variables) == 1 and gear[0] else {}
        if kind == int(kinds.mjTRN_TENDON) and gear[0]:
            return {name: float(gear[0]) * c for name, c in (linear(self.imported, target) or {}).items()}
        return {}

    def _is_affine(self) -> bool:
        kinds, biases = self.imported.mujoco.mjtGain, self.imported.mujoco.mjtBias
        bias = int(self.model.actuator_biastype[self.actuator])
        fixed = int(self.model.actuator_gaintype[self.actuator]) == int(kinds.mjGAIN_FIXED)
        if bias == int(biases.mjBIAS_NONE):
            self.bias = (0.0, 0.0, 0.0)
        if self._has("actuator_delay") or self.model.actuator_plugin[self.actuator] >= 0:
            return False
        return fixed and bias in (int(biases.mjBIAS_NONE), int(biases.mjBIAS_AFFINE))

    def _has(self, field: str) -> bool:
        """Whether a field is set, which older versions of MuJoCo do not have."""
        values = getattr(self.model, field, None)
        return values is not None and bool(np.any(values[self.actuator]))

    def _motor(self, moved: dict[str, float]) -> None:
        ranges = [self._range("ctrl"), self._range("force", 1.0 / abs(self.gain))]
        limits = [limit for limit in ranges if limit is not None]
        for variable, gear in moved.items():
            label = self._label(variable if len(moved) > 1 else "")
            self.imported.system.add(
                ConfigurationForce(
                    variable, self.name, gear=gear * self.gain, effort=min(limits, default=None), name=label
                )
            )

    def _position(self, moved: dict[str, float]) -> None:
        if len(moved) == 1:
            self._unlimited("ctrl")
            self._servo(moved, self.gain, -self.bias[2], target=self.name)
            return
        effort = self._range("ctrl")
        self._unlimited("force")
        if self.bias[2]:
            self.report.unused("damping of actuators over several joints", self.name)
        self.imported.system.add(GearSpring(moved, self.gain, name=self._label("spring")))
        for variable, gear in moved.items():
            label = self._label(variable)
            self.imported.system.add(
                ConfigurationForce(variable, self.name, gear=gear * self.gain, effort=effort, name=label)
            )

    def _velocity(self, moved: dict[str, float]) -> None:
        self._unlimited("ctrl")
        if len(moved) == 1:
            self._servo(moved, 0.0, self.gain, target_rate=self.name)
        else:
            self.report.unused("actuators without a counterpart", self.name)

    def _servo(self, moved: dict[str, float], kp: float, kd: float, **target: Any) -> None:
        ((variable, gear),) = moved.items()
        self.imported.system.add(
            Servo(
                variable,
                kp,
                kd,
                gear=None if gear == 1.0 else gear,
                effort=self._range("force"),
                name=self._label(""),
                **target,
            )
        )

    # --- ranges ---

    def _range(self, kind: str, scale: float = 1.0) -> float | None:
        """The limit of a symmetric range; other ranges are reported."""
        if not getattr(self.model, f"actuator_{kind}limited")[self.actuator]:
            return None
        low, high = getattr(self.model, f"actuator_{kind}range")[self.actuator]
        if low == -high and high > 0.0:
            return float(high) * scale
        self.report.unused(f"ranges of the {kind} of actuators that differ in their directions", self.name)
        return None

    def _unlimited(self, kind: str) -> None:
        if getattr(self.model, f"actuator_{kind}limited")[self.actuator]:
            self.report.unused(f"ranges of the {kind} of servos", self.name)

    def _label(self, part: str) -> str | None:
        """A name for the element, if it is free."""
        name = f"{self.name} {part}".strip()
        usable = name.isprintable() and name not in self.imported.system._element_names
        return name if usable else None
