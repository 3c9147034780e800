"""The README's pictures of the page that explains a step: docs/images/explain-*.png.

    python tools/explain_screenshots.py          wants Chromium, chromedriver, selenium and Pillow
    python tools/explain_screenshots.py dcgan    this one only

Records a step of examples/mnist.py by the command of the README, and steps of the other networks
that the tests look at, opens the pages without a window, and keeps each picture as a PNG with a
palette, so that it stays small.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
WIDTH = 1280
PICTURES = [  # name, what stands behind the #, height, colours of the page, what is done before
    ("overview", "overview", 860, "light", ""),
    ("graph", "graph", 1000, "light", "const row = [...document.querySelectorAll('summary.row')]"
     ".find((r) => r.querySelector('.name').textContent.includes('relu')); row.click();"
     "setTimeout(() => document.activeElement.blur(), 50)"),
    ("time", "time", 860, "light", ""),
    ("memory", "memory", 860, "dark", "document.querySelector('.group').open = false"),
]  # fmt: skip
OTHERS = [  # a function of tests/explain/programs.py, and the same
    ("resnet", "graph", 760, "light", ""),
    ("lstm", "numbers", 760, "light", ""),
    ("gpt", "time", 760, "light", ""),
    ("dcgan", "overview", 760, "dark", ""),
]


def recorded_program(name: str, path: Path) -> None:
    """The page of one of the programs that the tests look at."""
    code = (
        "from rushlight import explain; from tests.explain import programs\n"
        f"with explain.recording({str(path)!r}): programs.{name}(4)"
    )
    subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def recorded(path: Path) -> None:
    """The page of the first steps of the example."""
    subprocess.run(
        [sys.executable, "-m", "rushlight", "explain", "--steps", "20", "--stop",
         "--out", str(path), "examples/mnist.py", "--epochs", "1"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def browser(folder: str) -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--disable-background-networking", f"--user-data-dir={folder}"):  # fmt: skip
        options.add_argument(option)
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def small(png: bytes) -> bytes:
    """The same picture with a palette."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB")
    # Small spots of a colour of their own keep it (the median cut would give them a neighbour's).
    image = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        wanted = sys.argv[1:] or [name for name, *_ in (*PICTURES, *OTHERS)]
        pages = [(page, *picture) for picture in PICTURES if picture[0] in wanted]
        if pages:
            recorded(page)
        for name, *picture in OTHERS:
            if name not in wanted:
                continue
            page = Path(folder) / f"{name}.html"
            recorded_program(name, page)
            pages.append((page, name, *picture))
        driver = browser(f"{folder}/profile")
        try:
            for page, name, part, height, scheme, before in pages:
                driver.execute_cdp_cmd(
                    "Emulation.setDeviceMetricsOverride",
                    {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False},
                )
                driver.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia",
                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
                )
                driver.get("about:blank")
                driver.get(f"{page.as_uri()}#{part}")
                while not driver.execute_script("return document.documentElement.dataset.ready"):
                    time.sleep(0.05)
                # the step that other programs on the machine disturbed least
                driver.execute_script(
                    "choose(R.rounds.reduce((a, b) => (b.duration < a.duration ? b : a)), true)"
                )
                time.sleep(0.3)
                driver.execute_script(before)
                time.sleep(0.5)
                path = IMAGES / f"explain-{name}.png"
                path.write_bytes(small(driver.get_screenshot_as_png()))
                print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1024} kB")
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
