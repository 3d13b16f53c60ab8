"""A real browser for pages on disk: chromium without a screen, driven by selenium."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--autoplay-policy=no-user-gesture-required",
    "--window-size=1280,720",
)


OWN = ("data:", "blob:", "chrome:")  # of the page, and of the browser's own first tab


@contextmanager
def browser(folder: Path) -> Iterator[Any]:
    """A driver with the logs of console and network. Its profile is in `folder`."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("chromium and chromedriver are not installed: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in (*OPTIONS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driven = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        yield driven
    finally:
        driven.quit()


def open_page(driver: Any, path: Path) -> Any:
    """Opens a file; the logs of what was open before are dropped."""
    for kind in ("browser", "performance"):
        driver.get_log(kind)
    driver.get(path.as_uri())
    return driver


def console_errors(driver: Any) -> list[str]:
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def requested(driver: Any) -> list[str]:
    """Addresses that the page asked for, apart from itself and from data in it."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [url for url in asked if not url.startswith(OWN) and not url.endswith(".html")]


def color_scheme(driver: Any, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def serious_violations(driver: Any) -> list[str]:
    """What axe-core finds, of impact serious or critical."""
    script = next(path for path in files("axe_playwright_python").iterdir() if path.name == "axe.min.js")
    driver.execute_script(script.read_text(encoding="utf-8"))
    found = driver.execute_async_script("const done = arguments[0]; axe.run().then(done)")["violations"]
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
