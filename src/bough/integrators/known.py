"""What a model may have for a variational integrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.integrators import gauss as _gauss
from bough.integrators.settings import no_contacts
from bough.model.configurations import refuse_balls
from bough.model.holonomic import need_holonomic

if TYPE_CHECKING:
    from bough.integrators.variational import VariationalIntegrator


def check_model(vi: VariationalIntegrator, where: str) -> None:
    """Raise if a rule does not know something that its model has."""
    model = vi.model
    if vi._code != 0 or vi.alpha != 0.5:
        asked = type(vi).__name__ if vi._code else f"alpha={vi.alpha:g}"
        refuse_balls(model, asked, "use MidpointVI with alpha=0.5, which moves balls along geodesics")
    if vi._staged:
        need_holonomic(model, f"order={vi.order} in {where}", *_gauss.NO_VELOCITY_ROWS)
    if vi.order > 2:
        no_contacts(model, f"order={vi.order}", where)
