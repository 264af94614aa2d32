"""A real Chromium without a window, driven by selenium."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

webdriver = pytest.importorskip("selenium.webdriver")

LOOKING = (Path(__file__).parent / "looking.js").read_text("utf-8")
AXE = Path(__file__).parents[2] / ".venv-dev" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""Where `.ci/run` puts axe-core, which is not ours to keep here."""
_AXE = """axe.run({runOnly: arguments[0]}).then(
    found => arguments[1](found.violations.map(one => one.help + ": " + one.nodes[0].html)))"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


class Chromium:
    """One browser for all that is looked at."""

    def __init__(self, binary: str, driver: str) -> None:
        options = webdriver.ChromeOptions()
        for flag in _FLAGS:
            options.add_argument(flag)
        options.binary_location = binary
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        self.driver.set_page_load_timeout(60)

    def window(self, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """A window of that size, light or dark."""
        how = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", **how)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])

    def command(self, name: str, **given: Any) -> Any:
        """One command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, given)

    def all(self, selector: str) -> list[Any]:
        """Every element of a selector."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> Any:
        """The first; waits for it."""
        return self.until(lambda: self.all(selector))[0]

    def text(self, selector: str = "main") -> str:
        """What stands in the first."""
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def run(self, script: str, *given: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *given)

    def until(self, found: Any, seconds: float = 60) -> Any:
        """What `found` gives as soon as it is true."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, seconds, 0.03, [StaleElementReferenceException])
        return waiting.until(lambda _: found())

    def asked(self) -> str:
        """What the page says once a question is answered."""
        self.until(lambda: self.all(".turn") and not self.all(".busy"))
        return self.text()

    def faults(self) -> list[str]:
        """What is wrong with the page: by our own rules, and by axe-core where it is there."""
        found: list[str] = self.run(LOOKING)
        if AXE.is_file():
            self.run(AXE.read_text("utf-8"))
            found += self.driver.execute_async_script(_AXE, RULES)
        return found

    def complaints(self) -> list[str]:
        """What the console said since it was last asked."""
        return [one["message"] for one in self.driver.get_log("browser") if one["level"] in ("SEVERE", "WARNING")]


def chromium() -> Chromium:
    """A browser; skips where there is none."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (binary and driver):
        pytest.skip("needs chromium and chromedriver")
    return Chromium(binary, driver)
