"""The pictures of the page in docs/pictures: the sample, asked in a real Chromium.

    python benchmarks/web_pictures.py

Needs chromium and chromedriver, selenium and Pillow.
"""

from __future__ import annotations

import argparse
import base64
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from PIL import Image

import common
from answerable.cli.demo import PRIVATE, PUBLIC, copy_sample
from answerable.serving.server import Server, listen
from answerable.web.app import WorkspaceApp
from answerable.workspace.opening import open_workspace
from tests.web.driving import Chromium, chromium

PICTURES = common.ROOT / "docs" / "pictures"
QUESTION = 'Which monk is said to have kept a beacon at the place that Máire calls "the one the monks kept"?'
SHOTS = {"page": (1180, 940, False), "page-dark": (1180, 940, True), "page-phone": (390, 844, False)}
"""Width and height of each, and whether it is dark."""
LARGEST = 150_000
"""Bytes of one picture."""


def shoot(browser: Chromium, url: str) -> None:
    """Ask, and keep what is seen."""
    for name, (width, height, dark) in SHOTS.items():
        browser.window(width, height, dark)
        browser.driver.get(url)
        browser.one("#q").send_keys(QUESTION + "\n")
        browser.asked()
        browser.run("document.activeElement.blur()")
        data = base64.b64decode(browser.command("Page.captureScreenshot", format="png")["data"])
        path = PICTURES / f"{name}.png"
        Image.open(BytesIO(data)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
        if (size := path.stat().st_size) > LARGEST:
            raise SystemExit(f"{path} has {size:,} bytes")
        print(f"{path.name}: {size:,} bytes")


def main(words: list[str] | None = None) -> None:
    """Index the sample in a folder of its own, serve it, and take the pictures."""
    argparse.ArgumentParser(description=__doc__).parse_args(words)
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as place:
        copy_sample(folder := Path(place, "sample"))
        with open_workspace(folder, create=True) as opened:
            opened.index([folder / "sample" / "public"], PUBLIC, "public", as_if_elsewhere=True)
            opened.index([folder / "sample" / "private"], PRIVATE)
            settings = replace(opened.settings.serve, port=0)
            with listen(settings) as bound:
                server = Server(WorkspaceApp(opened, settings, print), settings, bound)
                serving = Thread(target=server.run)
                serving.start()
                browser = chromium()
                try:
                    shoot(browser, server.url)
                finally:
                    browser.driver.quit()
                    server.stop()
                    serving.join()


if __name__ == "__main__":
    main()
