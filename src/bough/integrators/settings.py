"""The settings of variational integrators, checked."""

from __future__ import annotations

from typing import Any

from bough import validate
from bough.description.element import UnilateralConstraint
from bough.errors import ModelError
from bough.integrators.gauss import LIMITS as GAUSS_LIMITS
from bough.integrators.gauss import ORDERS
from bough.model.model import Model

LIMITS: dict[str, float] = {
    "tolerance": 3e-11,
    "constraint_tolerance": 2e-14,
    "max_iterations": 20,
    "max_halvings": 6,
    "order": 2,
}
BALL_CONSTRAINTS = (
    2e-15  # rotations are known to round-off in any orientation, which takes a tenth of an iteration
)
COMPOSED_TOLERANCE = 1e-15  # of order 6 and 8: what an iteration leaves would be seen in their errors
MOST_HALVINGS = 60  # beyond, a part of a step is below the round-off of t


def usual_limits(order: int, staged: bool, balls: bool) -> dict[str, float]:
    """What the settings are if none are given: for a rule with stages, or a composed one."""
    if staged:
        return {**LIMITS, **GAUSS_LIMITS}
    usual = {**LIMITS, "constraint_tolerance": BALL_CONSTRAINTS} if balls else LIMITS
    return {**usual, "tolerance": COMPOSED_TOLERANCE} if order > 4 else usual


def checked_model(model: Any) -> Model:
    """The model of an integrator."""
    if not isinstance(model, Model):
        raise ModelError(
            asked=f"integrator of {validate.shown(model)}",
            found="not a model",
            do="give a model, made by system.build()",
        )
    return model


def checked_alpha(value: Any, where: str) -> float:
    """Where in a step its rule is evaluated."""
    number = validate.real(value, "alpha", where)
    if not 0.0 <= number <= 1.0:
        raise ModelError(
            asked=f"alpha={validate.shown(value)} in {where}",
            found="alpha is not between 0 and 1",
            do="give alpha from 0 to 1; 0.5 gives second order",
        )
    return number


def checked_order(value: Any, alpha: float, where: str) -> int:
    """An order that the method has."""
    if not validate.is_whole(value) or value not in (2, *ORDERS):
        raise ModelError(
            asked=f"order={validate.shown(value)} in {where}",
            found=f"order {validate.shown(value)} is not available",
            do="give order=2, 4, 6 or 8",
        )
    if value > 2 and alpha != 0.5:
        raise ModelError(
            asked=f"order={value} with alpha={alpha:g} in {where}",
            found="a rule that is not symmetric, of first order, of which no higher order is made",
            do=f"leave alpha at 0.5, which has order {value}, or order at 2",
        )
    return int(value)


LONGEST_BACK = {4: 0.658, 6: 0.706, 8: 0.606}  # parts of a composed step that go back in time, in steps


def fed_back_text(order: int) -> str:
    """Why a composed step was refused: (S5)."""
    grows = 2.0 / LONGEST_BACK[order]
    return (
        f"with order={order} a part of a step goes back in time, where damping feeds the motion: the rate of"
        f" damping times dt is above {0.8 * grows:.2g} here, near {grows:.3g} a step grows without bound;"
        " order=2 has no such part"
    )


def count(value: Any, what: str, least: int, where: str, usual: int, most: int = 10**6) -> int:
    """A checked whole number."""
    if not validate.is_whole(value) or value < least:
        raise ModelError(
            asked=f"{what}={validate.shown(value)} in {where}",
            found=f"{what} is not a whole number of {least} or more",
            do=f"give {what} as a whole number, such as {usual}",
        )
    if value > most:
        raise ModelError(
            asked=f"{what}={validate.shown(value)} in {where}",
            found=f"{what} is above {most}",
            do=f"give {what} as a whole number, such as {usual}",
        )
    return int(value)


def located(model: Model, value: Any, where: str) -> bool:
    """Whether impacts are located, which restitution needs."""
    if not isinstance(value, bool):
        raise ModelError(
            asked=f"locate={validate.shown(value)} in {where}",
            found="neither True nor False",
            do="give locate=False for steps that hold a contact from their start on, or leave it out",
        )
    if not value:
        bounce = [
            (x.name, e)
            for x in model._elements
            if isinstance(x, UnilateralConstraint) and (e := getattr(x, "restitution", 0.0)) > 0.0
        ]
        if bounce:
            more = f" and {len(bounce) - 1} more" if len(bounce) > 1 else ""
            raise ModelError(
                asked=f"locate=False in {where}",
                found=f"contact {bounce[0][0]!r} with restitution {bounce[0][1]:g}{more}",
                do="leave locate out, so that impacts are located, or build the system with restitution=0",
            )
    return value


def no_contacts(model: Model, method: str, where: str) -> None:
    """Raise if a method that does not know contacts is asked to move a model that has them."""
    if not model.gaps:
        return
    first = model.gaps[0]
    more = f" and {len(model.gaps) - 1} more" if len(model.gaps) > 1 else ""
    raise ModelError(
        asked=f"{method} in {where}",
        found=f"contacts, {first!r}{more}, which this method does not keep",
        do="use integrator='midpoint' or 'trapezoidal' of order 2, or build the system without them",
    )
