"""The site: `make docs` builds it without a warning; it needs no network, and its search finds what users look for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from support.browser import chromium

pytest.importorskip("sphinx", reason="the packages of the extra 'docs' are not installed")
ROOT = Path(__file__).parents[2]
SOURCE = re.compile(r"""<(?:script|link|img|iframe)[^>]*?\s(?:src|href)=["'](?:https?:)?//""")
STYLE = re.compile(r"""url\(\s*["']?(?:https?:)?//""")
NOT_SET = """[...document.querySelectorAll('div.math, span.math')]
  .filter(each => !each.querySelector('.katex')).map(each => each.textContent)"""
LOOKED_FOR = ("gimbal lock", "URDF", "joint limit", "Adams", "natural frequencies", "drive torque")


@pytest.mark.verify
def test_the_site(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        tmp_path / "doctrees",
    ]
    site = tmp_path / "html"
    subprocess.run([*command, ROOT / "docs", site], check=True, env=environment, cwd=tmp_path)
    pages = [page for page in site.rglob("*.html") if "players" not in page.parts]
    assert len(pages) > 150
    assert [page.name for page in pages if SOURCE.search(page.read_text(encoding="utf-8"))] == []
    assert [
        style.name for style in site.rglob("*.css") if STYLE.search(style.read_text(encoding="utf-8"))
    ] == []
    broken = [
        (page.name, link)
        for page in pages
        if not {"_modules", "_static"} & set(page.parts)  # listings of sources, and templates of the theme
        for link in re.findall(r"""(?:src|href)=["']([^"'#?:]+)["'#?]""", page.read_text(encoding="utf-8"))
        if not (page.parent / unquote(link)).exists()
    ]
    assert broken == []
    with chromium() as browser:
        for theory in (site / "theory").glob("*.html"):
            page = browser.new_page()
            page.goto(theory.as_uri())
            page.wait_for_timeout(300)
            assert page.evaluate(NOT_SET) == [], theory.name
            page.close()
        for words in LOOKED_FOR:
            page = browser.new_page()
            page.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
            page.wait_for_selector("ul.search li a")
            page.close()
