"""When a page draws without a graphics card: 30 pictures a second, though some come late."""

from __future__ import annotations

from importlib.resources import files
from itertools import pairwise
from typing import Any

HEAD = (files("bough.view") / "page_head.js").read_text(encoding="utf-8")
# a screen whose pictures are given by their times in ms, in place of that of the browser
PLAY = """([head, times]) => {
  const asked = [];
  window.requestAnimationFrame = (action) => { asked.push(action); };
  (0, eval)(head);
  const drawn = [];
  const picture = (now) => { drawn.push(now); window.requestAnimationFrame(picture); };
  window.requestAnimationFrame(picture);
  for (const time of times) for (const action of asked.splice(0)) action(time);
  return drawn;
}"""
SYNC = 1000.0 / 60.0  # ms between two pictures of a screen


def drawn(browser: Any, times: list[float]) -> list[float]:
    page = browser.new_page()
    try:
        return list(page.evaluate(PLAY, [HEAD, times]))
    finally:
        page.close()


def test_every_second_picture_of_a_screen_is_drawn(browser: Any) -> None:
    found = drawn(browser, [1000.0 + k * SYNC for k in range(181)])
    assert 90 <= len(found) <= 92
    apart = [b - a for a, b in pairwise(found[2:])]  # the first follow each other
    assert max(abs(each - 2.0 * SYNC) for each in apart) < 1e-6


def test_late_pictures_do_not_delay_those_after_them(browser: Any) -> None:
    """A screen that leaves out every ninth of its pictures still has 30 a second of them."""
    found = drawn(browser, [1000.0 + k * SYNC for k in range(181) if k % 9 != 8])
    assert 90 <= len(found) <= 92


def test_a_long_pause_is_not_made_up_for(browser: Any) -> None:
    """After half a second without a screen the pictures are not drawn twice as often."""
    times = [1000.0 + k * SYNC for k in range(61)]
    found = drawn(browser, [*times, *(time + 1500.0 for time in times)])
    assert 60 <= len(found) <= 64


def test_the_photograph_of_viser_is_not_fetched(browser: Any) -> None:
    """Other data are, small pictures too."""
    fetched = """async (head) => {
      (0, eval)(head);
      const late = () => new Promise((done) => setTimeout(() => done("late"), 1000));
      const length = (url) => fetch(url).then((answer) => answer.arrayBuffer()).then((data) => data.byteLength);
      const size = (url) => Promise.race([length(url), late()]);
      return [await size("data:image/jpeg;base64," + "A".repeat(20000)), await size("data:image/jpeg;base64,AAAA"),
              await size("data:text/plain," + "a".repeat(20000))];
    }"""
    page = browser.new_page()
    try:
        assert page.evaluate(fetched, HEAD) == ["late", 3, 20000]
    finally:
        page.close()
