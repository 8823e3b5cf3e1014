"""Springs, dampers, armature, equalities and tendons of a MuJoCo model as elements of a system."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.description.frame import Frame
from bough.description.functions import PiecewisePolynomial
from bough.elements.constraints import DistanceConstraint, PointConstraint, WeldConstraint
from bough.elements.contacts import DryFriction
from bough.elements.forces import Damping, LinearDamper
from bough.elements.joint_limit import JointLimit
from bough.elements.potentials import ConfigurationSpring, GearSpring, LinearSpring, TorsionSpring
from bough.elements.string import String
from bough.elements.variable_constraints import CamConstraint, GearConstraint

if TYPE_CHECKING:
    from bough.io.mjcf import Imported


def add_elements(imported: Imported, limits: bool, contacts: bool = False) -> None:
    """Add what acts on the frames, and report what has no counterpart."""
    model, bits = imported.model, imported.mujoco.mjtDisableBit
    flags = model.opt.disableflags
    passive = getattr(bits, "mjDSBL_PASSIVE", 0)
    springs = not flags & (getattr(bits, "mjDSBL_SPRING", 0) | passive)
    dampers = not flags & (getattr(bits, "mjDSBL_DAMPER", 0) | passive)
    none = bits.mjDSBL_CONSTRAINT
    losses = limits and not flags & (getattr(bits, "mjDSBL_FRICTIONLOSS", 0) | none)
    limits = limits and not flags & (getattr(bits, "mjDSBL_LIMIT", 0) | none)
    for joint in range(model.njnt):
        _joint(imported, joint, springs, dampers, limits, losses)
    held: set[int] = set()
    for equality in range(model.neq):
        if not model.eq_active0[equality] or flags & (bits.mjDSBL_EQUALITY | bits.mjDSBL_CONSTRAINT):
            imported.report.unused("equalities that are not active", model.equality(equality).name)
        else:
            held |= _equality(imported, equality)
    for tendon in range(model.ntendon):
        pulled = _string(imported, tendon) if limits and model.tendon_limited[tendon] else False
        _tendon(imported, tendon, springs, dampers, tendon in held or pulled, pulled)
    _report_rest(imported, contacts)


def _joint(imported: Imported, joint: int, springs: bool, dampers: bool, limits: bool, losses: bool) -> None:
    model, system, report = imported.model, imported.system, imported.report
    name, variables = model.joint(joint).name, imported.variables[joint]
    dof = int(model.jnt_dofadr[joint])
    single = len(variables) == 1
    stiffness, damping = float(model.jnt_stiffness[joint]), float(model.dof_damping[dof])
    if stiffness and springs:
        if single:
            rest = float(model.qpos_spring[model.jnt_qposadr[joint]])
            system.add(ConfigurationSpring(variables[0], stiffness, rest))
        elif imported.balls:
            _ball_spring(imported, joint, stiffness)
        else:
            report.unused("springs of ball and free joints", name)
    if damping and dampers:
        if single:
            system.add(Damping({variables[0]: damping}))
        elif imported.balls:
            system.add(Damping(dict.fromkeys(variables, damping)))
        else:
            report.unused("damping of ball and free joints", name)
    _armature(imported, joint, float(model.dof_armature[dof]))
    friction = float(model.dof_frictionloss[dof])
    if friction and losses and (single or imported.balls):
        for variable in variables:
            system.add(DryFriction(variable, friction, name=_label(imported, f"{variable} friction")))
    elif friction:
        report.unused("friction", name)
    if model.jnt_limited[joint]:
        lower, upper = (float(x) for x in model.jnt_range[joint])
        if single and limits and lower < upper:
            system.add(JointLimit(variables[0], lower, upper, name=_label(imported, f"{variables[0]} limit")))
        else:
            report.unused("limits", name)
    if _any(model, "jnt_stiffnesspoly", joint) or _any(model, "dof_dampingpoly", dof):
        report.unused("nonlinear springs and damping of joints", name)


def _ball_spring(imported: Imported, joint: int, stiffness: float) -> None:
    """Springs of a ball by the angle of its rotation, and of the three translations of a free joint."""
    model, variables = imported.model, imported.variables[joint]
    rest = model.qpos_spring[model.jnt_qposadr[joint] :]
    for variable, place in zip(variables[:-3], rest[:3], strict=False):
        imported.system.add(ConfigurationSpring(variable, stiffness, float(place)))
    before, behind = imported.ends[joint]
    turn = rest[len(variables) - 3 :][:4]
    imported.system.add(TorsionSpring(before, behind, stiffness, rest=tuple(turn.tolist())))


TURNING = ("_rz", "_ry", "_rx", "_wx", "_wy", "_wz")  # variables of free joints that turn


def _armature(imported: Imported, joint: int, armature: float) -> None:
    """T = armature / 2 v^2: a wheel without mass that turns by the value of the variable."""
    variables = imported.variables[joint]
    if not armature:
        return
    world = imported.system.world
    for variable in variables if len(variables) != 3 else ():
        if not variable.endswith(TURNING) or len(variables) == 1:
            world.rz(variable, shared=True).body_as_given(0.0, (0.5 * armature, 0.5 * armature, armature))
    if len(variables) == 1:
        return
    if not imported.balls:  # the angular velocity of a ball or free joint
        world.spherical(variables[-3:], shared=True).body_as_given(0.0, (armature, armature, armature))
    elif _rests(imported, joint):  # its rates are those of the body in the world
        imported.ends[joint][1].fixed(np.eye(4)).body_as_given(0.0, (armature, armature, armature))
    else:
        imported.report.unused("armature of balls on bodies that move", variables[-3].removesuffix("_wx"))


def _rests(imported: Imported, joint: int) -> bool:
    """Whether a joint is the first between its body and the world."""
    model = imported.model
    body = int(model.jnt_bodyid[joint])
    if joint != int(model.body_jntadr[body]):
        return False
    while (body := int(model.body_parentid[body])) > 0:
        if model.body_jntnum[body]:
            return False
    return True


def _equality(imported: Imported, equality: int) -> set[int]:
    """Add a constraint; returns the numbers of the tendons that it holds."""
    model, system, kinds = imported.model, imported.system, imported.mujoco.mjtEq
    kind, name = int(model.eq_type[equality]), model.equality(equality).name
    first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    data = np.array(model.eq_data[equality])
    label = name if name and name.isprintable() and name not in system._element_names else None
    weld = kind == int(kinds.mjEQ_WELD)
    if weld or kind == int(kinds.mjEQ_CONNECT):
        if model.eq_objtype[equality] == int(imported.mujoco.mjtObj.mjOBJ_SITE):
            a, b = _site(imported, first), _site(imported, second)
        elif weld:
            a, b = imported.at(first, data[3:6], data[6:10]), imported.at(second, data[:3])
        else:
            a, b = imported.at(first, data[:3]), imported.at(second, data[3:6])
        system.add((WeldConstraint if weld else PointConstraint)(a, b, name=label))
    elif kind == int(kinds.mjEQ_JOINT):
        _joint_equality(imported, first, second, data[:5], label)
    elif kind == int(kinds.mjEQ_TENDON) and _tendon_equality(imported, first, second, data[:5], label):
        return {first, second}
    else:
        imported.report.unused("equalities without a counterpart", name)
    return set()


def _joint_equality(imported: Imported, first: int, second: int, powers: Any, label: str | None) -> None:
    """q1 - start1 = sum of c_m (q2 - start2)^m."""
    model, system = imported.model, imported.system
    follower = imported.variables[first][0]
    start = float(model.qpos0[model.jnt_qposadr[first]])
    if second < 0 or not powers[1:].any():
        system.add(GearConstraint({follower: 1.0}, start + float(powers[0]), name=label))
        return
    leader = imported.variables[second][0]
    start2 = float(model.qpos0[model.jnt_qposadr[second]])
    if powers[2:].any():
        profile = PiecewisePolynomial((start2, start2 + 1.0), ((start + powers[0], *powers[1:]),))
        system.add(CamConstraint(follower, leader, profile, name=label))
        return
    ratio = float(powers[1])
    offset = start + float(powers[0]) - ratio * start2
    system.add(GearConstraint({follower: 1.0, leader: -ratio}, offset, name=label))


def _tendon_equality(imported: Imported, first: int, second: int, powers: Any, label: str | None) -> bool:
    """l1 - start1 = c_0 + c_1 (l2 - start2); whether this has a counterpart."""
    model, system = imported.model, imported.system
    offset = float(model.tendon_length0[first]) + float(powers[0])
    if second < 0 and (ends := _ends(imported, first)) is not None:
        system.add(DistanceConstraint(*ends, offset, name=label))
        return True
    relation = linear(imported, first)
    if relation is None or (second >= 0 and powers[2:].any()):
        return False
    if second >= 0:
        other, ratio = linear(imported, second), float(powers[1])
        if other is None:
            return False
        offset -= ratio * float(model.tendon_length0[second])
        for name, coefficient in other.items():
            relation[name] = relation.get(name, 0.0) - ratio * coefficient
    system.add(GearConstraint({k: v for k, v in relation.items() if v}, offset, name=label))
    return True


def _string(imported: Imported, tendon: int) -> bool:
    """Add a limited tendon through sites as a string; whether it is one."""
    model = imported.model
    start, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    kinds = {int(kind) for kind in model.wrap_type[start : start + count]}
    if count < 2 or kinds != {int(imported.mujoco.mjtWrap.mjWRAP_SITE)}:
        return False
    path = [_site(imported, int(site)) for site in model.wrap_objid[start : start + count]]
    lower, upper = (float(x) for x in model.tendon_range[tendon])
    if upper <= 0.0 or any(a is b for a, b in pairwise(path)):
        return False
    name = model.tendon(tendon).name
    label = _label(imported, name) if name else None
    imported.system.add(String(path[0], path[-1], upper, via=tuple(path[1:-1]), name=label))
    if lower > 0.0:
        imported.report.unused("least lengths of tendons", name)
    return True


def _label(imported: Imported, name: str) -> str | None:
    """A name for an element, if it is free and can be printed."""
    return name if name.isprintable() and name not in imported.system._element_names else None


def _tendon(
    imported: Imported, tendon: int, springs: bool, dampers: bool, held: bool, pulled: bool = False
) -> None:
    """A spring and a damper between two sites, or on joints."""
    model, system, report = imported.model, imported.system, imported.report
    name = model.tendon(tendon).name
    stiffness, damping = float(model.tendon_stiffness[tendon]), float(model.tendon_damping[tendon])
    low, high = (float(x) for x in model.tendon_lengthspring[tendon])
    stiffness, damping = stiffness if springs else 0.0, damping if dampers else 0.0
    used = held
    if stiffness or damping:
        ends, wheel = _ends(imported, tendon), linear(imported, tendon)
        straight = not stiffness or low == high
        if ends is not None and straight:
            if stiffness:
                system.add(LinearSpring(*ends, stiffness, low))
            if damping:
                system.add(LinearDamper(*ends, damping))
            used = True
        elif wheel and straight:
            (variable, ratio), *others = wheel.items()
            if stiffness and others:
                system.add(GearSpring(wheel, stiffness, low))
            elif stiffness:
                system.add(ConfigurationSpring(variable, stiffness * ratio * ratio, low / ratio))
            if damping and others:
                report.unused("damping of tendons over several joints", name)
            elif damping:
                system.add(Damping({variable: damping * ratio * ratio}))
            used = True
    if not used:
        report.unused("tendons", name)
    if model.tendon_limited[tendon] and not pulled:
        report.unused("limits of tendons", name)
    if model.tendon_frictionloss[tendon] or _any(model, "tendon_armature", tendon):
        report.unused("friction and armature of tendons", name)
    if _any(model, "tendon_stiffnesspoly", tendon) or _any(model, "tendon_dampingpoly", tendon):
        report.unused("nonlinear springs and damping of tendons", name)


def _ends(imported: Imported, tendon: int) -> tuple[Frame, Frame] | None:
    """The frames of a straight tendon between two sites."""
    model = imported.model
    start, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    kinds = [int(kind) for kind in model.wrap_type[start : start + count]]
    if kinds != [int(imported.mujoco.mjtWrap.mjWRAP_SITE)] * 2:
        return None
    first, second = (_site(imported, int(site)) for site in model.wrap_objid[start : start + 2])
    return None if first is second else (first, second)


def linear(imported: Imported, tendon: int) -> dict[str, float] | None:
    """The length of a tendon as a linear function of variables, if it is one."""
    model = imported.model
    coefficients: dict[str, float] = {}
    for wrap in range(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon]):
        if model.wrap_type[wrap] != int(imported.mujoco.mjtWrap.mjWRAP_JOINT):
            return None
        variables = imported.variables[int(model.wrap_objid[wrap])]
        if len(variables) != 1:
            return None
        coefficients[variables[0]] = coefficients.get(variables[0], 0.0) + float(model.wrap_prm[wrap])
    return {name: coefficient for name, coefficient in coefficients.items() if coefficient}


def _site(imported: Imported, site: int) -> Frame:
    model = imported.model
    found = imported.sites.get(site)
    if found is None:
        body, name = int(model.site_bodyid[site]), model.site(site).name
        found = imported.at(body, model.site_pos[site], model.site_quat[site], name)
        imported.sites[site] = found
    return found


def _report_rest(imported: Imported, contacts: bool) -> None:
    model, report = imported.model, imported.report
    for body in range(1, model.nbody):
        if model.body_gravcomp[body]:
            report.unused("gravity compensation", model.body(body).name)
    for geom in range(0 if contacts else model.ngeom):
        if model.geom_contype[geom] or model.geom_conaffinity[geom]:
            report.unused("contacts of geoms", model.geom(geom).name)
    for _ in range(model.nflex):
        report.unused("elasticity of flexes", "")


def _any(model: Any, field: str, index: int) -> bool:
    """Whether a field is set, which older versions of MuJoCo do not have."""
    values = getattr(model, field, None)
    return values is not None and bool(np.any(values[index]))
