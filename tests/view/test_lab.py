"""In Chromium: a lesson is opened, its slider changes plots and picture, and another lesson is chosen."""

from __future__ import annotations

from typing import Any

import pytest

from bough.lab import open_lab
from support.browser import Drawn

PORT = 8580


@pytest.mark.verify
def test_lessons_in_the_browser(browser: Any) -> None:
    with open_lab("catenary", port=PORT, block=False) as lab:
        page = Drawn(browser, lab.url)
        page.node("/grid")
        assert "more and shorter links" in page.text()
        # the note of viser on missing graphics cards does not stay above the scene
        page.page.wait_for_function("!document.body.innerText.includes('Software WebGL')")
        sag = lab.shown.numbers["sag"]
        assert sag in page.text()
        for _ in page.drag(1, 0.6, 0.9):
            pass
        page.page.wait_for_function("sag => !document.body.innerText.includes(sag)", arg=sag)
        assert lab.values["span [m]"] > 1.6
        assert lab.shown.numbers["sag"] in page.text()
        page.page.get_by_label("Lesson").click()
        page.page.get_by_role("option", name="Closing a loop").click()
        page.page.wait_for_function("document.body.innerText.includes('Freudenstein')")
        page.node("/grid")
        assert lab.lesson.name == "loop"
        assert page.errors == []
        page.close()
