"""Settings of the whole suite: hypothesis is deterministic, long runs wait for `-m verify`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from bough.elements import user

# A tree draws some hundred small choices; that is not an unhealthy test.
_common = {
    "derandomize": True,
    "deadline": None,
    "database": None,
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
}
settings.register_profile("bough", max_examples=20, **_common)
settings.register_profile("verify", max_examples=500, **_common)
settings.load_profile("bough")


@pytest.fixture(autouse=True)
def _each_test_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `DerivativeWarning` is given once for a class: in each test, whichever runs first."""
    monkeypatch.setattr(user, "_warned", set())


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    """Figures belong to the test that makes them: matplotlib warns at the twenty-first that is open in a process."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture
def without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    """JAX is as if never imported, whatever tests ran before in this process: its derivatives need no warning."""
    monkeypatch.delitem(sys.modules, "jax", raising=False)


def pytest_configure() -> None:
    """Ctrl-C interrupts, as at a terminal: shells start jobs in the background with the signal ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked `verify` out unless a marker expression or a test id asks for them."""
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    kept = [item for item in items if item.get_closest_marker("verify") is None]
    config.hook.pytest_deselected(
        items=[item for item in items if item.get_closest_marker("verify") is not None]
    )
    items[:] = kept


def pytest_sessionfinish() -> None:
    """Let go of the models kept for the session while the core can still delete them."""
    case_module = sys.modules.get("support.cases")
    if case_module is not None:
        case_module._case.cache_clear()
