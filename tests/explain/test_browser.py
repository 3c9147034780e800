"""Pages in a browser: each part of each is opened, and what must stand there is looked for.

One headless Chromium for all. Skipped, visibly, where there is no Chromium, no chromedriver or no
selenium.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.explain.page import write
from rushlight.explain.page.trim import trimmed
from rushlight.explain.recording import Finding, Module, Recording, Step

from . import handmade, programs

PARTS = ["overview", "graph", "time", "memory", "numbers", "program"]
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1366,768",
]  # fmt: skip
SECONDS = 2  # within which a page must be ready
pytestmark = pytest.mark.long  # half a minute in all


def times(*shape: int) -> str:
    """A shape as the page writes it."""
    return "\u00d7".join(map(str, shape))


class Page:
    """A page that is open."""

    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver, self.folder, self.number = driver, folder, 0

    def open(self, recording: Recording, part: str = "", **media: str) -> Page:
        """Write a page and open it, as a reader would: from a file."""
        self.number += 1
        path = write(recording, self.folder / f"page {self.number}.html")
        self.media(**media)
        for log in ("browser", "performance"):
            self.driver.get_log(log)  # of the page before
        self.driver.get(path.as_uri() + (f"#{part}" if part else ""))
        self.ready()
        return self

    def ready(self) -> float:
        """Seconds from the beginning of the navigation until the page stood there."""
        asked = "return document.documentElement.dataset.ready"
        return float(self.wait(lambda: self.js(asked))) / 1000

    def opens_quickly(self) -> bool:
        """Whether it does at one of three times: other tests run beside this one."""
        for _ in range(3):
            if self.ready() < SECONDS:
                return True
            self.driver.refresh()
        return False

    def media(self, **features: str) -> None:
        chosen = {"prefers-color-scheme": features.get("scheme", "light")}
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": k, "value": v} for k, v in chosen.items()]},
        )

    def size(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def js(self, text: str, *args: Any) -> Any:
        return self.driver.execute_script(text, *args)

    def wait(self, what: Callable[[], Any], seconds: float = 20) -> Any:
        end = time.perf_counter() + seconds
        while True:
            found = what()
            if found:
                return found
            assert time.perf_counter() < end, (what, self.driver.get_log("browser"))
            time.sleep(0.02)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        """The text that can be seen, each paragraph and cell on a line of its own."""
        found = self.js("return document.querySelector(arguments[0]).innerText", selector)
        return re.sub(r"[\n\t]+", "\n", found).strip()

    def texts(self, selector: str) -> list[str]:
        """Asked at once, so that none can be drawn anew meanwhile."""
        found: list[str] = self.js(
            "return [...document.querySelectorAll(arguments[0])].map((x) => x.textContent)",
            selector,
        )
        return found

    def go(self, part: str) -> str:
        """Click a tab; the text of its panel."""
        self.one(f"#tab-{part}").click()
        self.wait(lambda: self.one(f"#part-{part}").is_displayed())
        shown = [p for p in PARTS if self.one(f"#part-{p}").is_displayed()]
        assert shown == [part]
        assert self.one(f"#tab-{part}").get_attribute("aria-selected") == "true"
        return self.text(f"#part-{part}")

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        chain = ActionChains(self.driver, duration=0)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def focused(self) -> Any:
        return self.driver.switch_to.active_element

    def quiet(self) -> None:
        """No request beside the file itself, and nothing to say in the log."""
        assert self.driver.get_log("browser") == []
        assert self.js("return performance.getEntriesByType('resource').map((e) => e.name)") == []
        told = [json.loads(x["message"])["message"] for x in self.driver.get_log("performance")]
        asked = [x["params"]["request"] for x in told if x["method"] == "Network.requestWillBeSent"]
        urls = {r["url"] for r in asked}
        assert urls
        assert urls <= {(self.folder / f"page {self.number}.html").as_uri(), "data:,"}

    def fits(self) -> bool:
        return bool(self.js("return document.documentElement.scrollWidth <= innerWidth + 1"))


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") \
        or shutil.which("google-chrome")  # fmt: skip
    chromedriver = shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("no Chromium and chromedriver on this machine")
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = chromium
    for option in [*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(service=Service(chromedriver), options=options)
    try:
        found.get("about:blank")  # the browser itself starts before anything is timed
        yield found
    finally:
        found.quit()


@pytest.fixture
def page(driver: Any, tmp_path: Path) -> Page:
    found = Page(driver, tmp_path)
    found.size(1366, 768)
    return found


_recorded: dict[str, Recording] = {}


def recorded(name: str) -> Recording:
    """The recording of a program, made once."""
    if name not in _recorded:
        rushlight.manual_seed(1)
        with rushlight.explain.recording(program=f"{name}.py") as session:
            getattr(programs, name)()
        _recorded[name] = session.recording
    return _recorded[name]


def whole(recording: Recording) -> Step:
    """The step that a page shows at first: of those that an optimiser made, without the first, the
    last of the median time."""
    made = sorted({e.step for e in recording.events if e.kind == "optimizer"})
    usual = [recording.steps[i] for i in (made[1:] if len(made) > 2 else made[-1:])]
    median = sorted(s.end - s.begin for s in usual)[(len(usual) - 1) // 2]
    return next(s for s in reversed(usual) if s.end - s.begin == median)


MODELS = [  # what the graph and the program must show of each
    pytest.param("mnist", ["Net", "conv1", "conv2_drop", "nll_loss", "DataLoader"], "self.conv1(x)",
                 id="mnist"),
    pytest.param("lstm", ["Tagger", "lstm", "cell", "call 12 of 12"], "self.lstm(", id="lstm"),
    pytest.param("dcgan", ["netD", "Conv2d", "LeakyReLU"], "netD(fake)", id="dcgan"),
    pytest.param("gpt", ["GPT", "blocks.0", "blocks.11", "mlp", "scaled_dot_product_attention"],
                 "return x + self.mlp(self.norm2(x))", id="gpt"),
    pytest.param("resnet", ["ResNet", "layer1", "layer4", "Bottleneck", "downsample"], "train(",
                 id="resnet"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "graph", "line"), MODELS)
def test_every_part(page: Page, name: str, graph: list[str], line: str) -> None:
    recording = recorded(name)
    page.open(recording)
    assert page.opens_quickly()
    assert (page.folder / "page 1.html").stat().st_size < 3_000_000
    step = whole(recording)
    took = page.js("return time(arguments[0])", step.end - step.begin)

    overview = page.text("#part-overview")
    made = len({e.step for e in recording.events if e.kind == "optimizer"})
    assert f"Step {recording.steps.index(step) + 1} of {made}" in overview
    assert f"takes {took}, " in overview
    for words in ("Where the time goes", "forward", "backward", "optimiser", "Python between",
                  "Advice", "The longest parts", "All steps", "that this machine"):  # fmt: skip
        assert words in overview, words
    shares = page.js("return [...document.querySelectorAll('.phases span')]"
                     ".map((s) => +s.style.flexGrow)")  # fmt: skip
    assert 0.98 < sum(shares) < 1.03

    page.go("graph")
    page.one('[data-unfold="modules"]').click()
    text = page.text("#part-graph")
    for words in graph:
        assert words in text, words
    modules = sum(e.kind == "module" for e in recording.events[step.first : step.last + 1])
    assert len(page.all("details.module")) == modules
    page.one('[data-unfold="none"]').click()
    assert not page.all("details.call[open]")

    text = page.go("time")
    assert "limits of this machine" in text
    assert page.js("return document.querySelector('canvas').height") > 60
    rows = page.texts(".ops tbody tr td:nth-child(4)")
    assert len(rows) > 5
    spent = page.js("return grouped(chosen, 'op').map((g) => g.own)")
    assert rows[0] == page.js("return time(arguments[0])", max(spent))

    text = page.go("memory")
    assert f"holds {page.js('return bytes(arguments[0])', step.peak)}" in text
    for words in ("parameter", "saved for backward", "gradient", "Who holds memory at the peak",
                  "What would save memory", "no_grad"):  # fmt: skip
        assert words in text, words

    text = page.go("numbers")
    for words in ("How large the gradients are", "spread", "zeros"):
        assert words in text, words
    assert len(page.all("#part-numbers svg.histogram")) > 5

    text = page.go("program")
    assert line in text
    assert "/programs.py" in text or "\\programs.py" in text
    page.quiet()


def test_two_models_keep_their_names(page: Page) -> None:
    """A step of the discriminator's optimiser: the generator ran in it, too."""
    page.open(recorded("dcgan"), "graph?step=3")
    text = page.text("#part-graph")
    for words in ("netG", "netD", "Sequential"):
        assert words in text, words
    text = page.go("numbers")
    assert "netD.0.weight" in text


def test_ready_within_two_seconds(page: Page) -> None:
    """Three steps of 720 layers, more than of a ResNet-50."""
    assert page.open(handmade.mnist(3, repeat=60)).opens_quickly()


def test_an_operation_shows_its_record(page: Page) -> None:
    recording = recorded("mnist")
    step = whole(recording)
    place = next(
        i for i in range(step.first, step.last) if recording.events[i].name == "convolution"
    )
    page.open(recording, f"graph/e{place}")
    row = page.wait(lambda: [d for d in page.all(".operation") if d.is_displayed()])[0]
    text = row.text
    for words in ("Forward", "Backward", "self.conv1(x)", "conv1.weight", times(64, 1, 28, 28),
                  times(10, 1, 5, 5), "float32", times(64, 10, 24, 24), "Keeps",
                  "Derivative from the record of convolution",
                  "in memory for it", "because of", "Read by max_pool2d", "of the step", "FLOP/s",
                  "read and written", "of what this machine can do", "ConvolutionBackward0",
                  "Declared at rushlight/ops"):  # fmt: skip
        assert words in text, words
    kernel = row.find_element("css selector", ".plan")
    assert not kernel.find_element("css selector", "pre").is_displayed()
    kernel.find_element("css selector", "summary").click()
    plan = recording.plans[recording.events[place].plan].text
    assert kernel.find_element("css selector", "pre").text.split() == plan.split()
    # An operand's link leads to what made it, with everything around it unfolded.
    reader = next(a for a in row.find_elements("css selector", ".readers a"))
    target = reader.get_attribute("href").split("#")[1]
    reader.click()
    page.wait(lambda: page.driver.current_url.endswith(target))
    opened = page.wait(lambda: page.focused().find_elements("xpath", "./parent::details[@open]"))
    assert "max_pool2d" in opened[0].text
    page.quiet()


def test_the_keyboard_walks_through_tabs(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open(handmade.mnist())
    assert [t.get_attribute("role") for t in page.all(".tabs > *")] == ["tab"] * len(PARTS)
    page.one("#tab-overview").send_keys("")
    page.js("document.getElementById('tab-overview').focus()")
    for part in [*PARTS[1:], PARTS[0]]:
        page.press(Keys.ARROW_RIGHT)
        page.wait(lambda part=part: page.one(f"#part-{part}").is_displayed())
        assert page.focused().get_attribute("id") == f"tab-{part}"
        assert page.driver.current_url.endswith(f"#{part}")
    page.press(Keys.ARROW_LEFT)
    page.wait(lambda: page.one("#part-program").is_displayed())
    page.press(Keys.HOME)
    page.wait(lambda: page.one("#part-overview").is_displayed())
    panel = page.one("#part-overview")
    assert panel.get_attribute("role") == "tabpanel"
    assert panel.get_attribute("aria-labelledby") == "tab-overview"
    # Only the chosen tab is a stop of the Tab key.
    assert [t.get_attribute("tabindex") for t in page.all("[role=tab]")] == ["0"] + ["-1"] * 5


def test_the_keyboard_walks_through_the_tree(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open(handmade.mnist(), "graph")
    page.js("document.querySelector('#part-graph summary.row').focus()")

    def name() -> str:
        return str(page.focused().find_element("css selector", ".name").text)

    assert name() == "DataLoader waits for a batch"
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert name() == "Net"
    page.press(Keys.ARROW_RIGHT)  # it is open already: into it
    assert name() == "conv1 Conv2d"
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert name() == "convolution"
    page.press(Keys.ENTER)
    page.wait(lambda: [d for d in page.all(".operation") if d.is_displayed()])
    page.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert name() == "conv1 Conv2d"
    page.press(Keys.ARROW_LEFT)
    assert not page.focused().find_element("xpath", "..").get_attribute("open")
    page.press(Keys.END)
    assert "item" in name()
    page.press(Keys.HOME)
    assert "DataLoader" in name()


def test_the_flame_by_keyboard_and_as_a_table(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open(handmade.mnist(), "time")
    page.js("document.querySelector('canvas').focus()")
    page.press(Keys.ARROW_DOWN)
    assert "DataLoader" in page.text("#flame-text")
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.text("#flame-text").startswith("Net")
    page.press(Keys.ARROW_DOWN)
    assert page.text("#flame-text").startswith("conv1")
    view = "return document.querySelector('#part-time > div').flame.view"
    page.press(Keys.ENTER)
    whole = page.js("return [chosen.begin, chosen.end]")
    page.wait(lambda: page.js(view)[1] - page.js(view)[0] < (whole[1] - whole[0]) / 4)
    page.press(Keys.ESCAPE)
    page.wait(lambda: page.js(view) == whole)
    page.one(".twin summary").click()
    calls = page.wait(lambda: page.all(".twin tbody tr"))
    assert "DataLoader" in calls[0].text
    for how, words in (("module", "conv1"), ("line", "mnist.py:34"), ("name", "relu")):
        page.js("const s = document.querySelector('.grouping'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('change'))", how)  # fmt: skip
        assert words in page.text(".ops"), how
    page.one(".ops [data-column='2']").click()  # by number of calls
    calls = [int(x) for x in page.texts(".ops tbody tr td:nth-child(3)")]
    assert calls == sorted(calls, reverse=True)
    page.one(".ops [data-column='2']").click()
    assert page.one(".ops th:nth-child(3)").get_attribute("aria-sort") == "ascending"


def test_search(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open(handmade.mnist())
    page.js("document.body.focus()")
    page.press("/")
    assert page.focused().get_attribute("id") == "search"
    for words, kind, where in (
        ("fc1", "module", "#graph/e"),
        ("log_soft", "operation", "#graph/e"),
        ("ConvolutionBackward", "derivative", "#graph/e"),
        ("optimizer.step", "line", "#program/L8"),
        ("conv2.weight", "parameter", "#numbers/conv2.weight"),
        ("waits for its data", "advice", "#overview/advice-loader"),
    ):
        before = page.driver.current_url
        page.one("#search").send_keys(words)
        assert kind in page.wait(lambda: page.texts("#found [role=option]"))[0]
        assert page.one("#search").get_attribute("aria-expanded") == "true"
        page.press(Keys.ENTER)
        page.wait(lambda before=before: page.driver.current_url != before)
        assert where in page.driver.current_url
    page.one("#search").send_keys("no such thing")
    assert "Nothing of that name" in page.text("#found")
    page.press(Keys.ESCAPE)


def test_another_step(page: Page) -> None:
    page.open(handmade.mnist(3), "memory?step=2")
    assert page.one("#step").get_attribute("value") == "1"
    page.go("overview")
    assert "Step 2 of 3" in page.text(".lead")
    page.js("const s = document.querySelector('#step'); s.value = '0';"
            "s.dispatchEvent(new Event('change'))")  # fmt: skip
    page.wait(lambda: "Step 1 of 3" in page.text(".lead"))
    assert page.driver.current_url.endswith("#overview?step=1")


def test_evaluations_stand_beside_the_steps(page: Page) -> None:
    model = rushlight.nn.Sequential(rushlight.nn.Linear(8, 4), rushlight.nn.Linear(4, 1))
    optimizer = rushlight.optim.SGD(model.parameters(), lr=0.1)
    with rushlight.explain.recording(steps=4) as session:
        for _ in range(2):
            for _ in range(2):
                optimizer.zero_grad()
                model(rushlight.ones(3, 8)).sum().backward()
                optimizer.step()
            model.eval()
            with rushlight.no_grad():
                model(rushlight.ones(5, 8))
            model.train()
    page.open(session.recording)
    labels = [text.partition(":")[0] for text in page.texts("#step option")]
    assert labels == ["1 of 4", "2 of 4", "evaluation", "3 of 4", "4 of 4"]
    page.one(".steps-table a[href*=evaluation]").click()
    page.wait(lambda: page.text("#part-overview").startswith("The evaluation before step 3 takes"))
    page.go("graph")
    assert page.js("return location.hash") == "#graph?step=evaluation3"
    page.driver.refresh()
    page.ready()
    assert page.text("#part-graph")
    assert page.js("return chosen.kind") == "evaluation"
    page.open(session.recording, "overview?step=3")
    assert page.text("#part-overview").startswith("Step 3 of 4")


def test_a_typical_step_is_shown_first(page: Page) -> None:
    recording = handmade.mnist(5)
    for step, took in zip(recording.steps, (90, 3, 5, 4, 30), strict=True):
        step.end = step.begin + took * 10**6
    page.open(recording)
    lead = page.text(".lead").replace("\u202f", " ")
    assert lead.startswith("Step 4 of 5, a typical one, takes 4.00 ms")


def test_memory_at_another_moment(page: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page.open(handmade.mnist(), "memory")
    page.js("document.querySelector('.course').focus()")
    page.press(Keys.HOME)
    assert "0 µs after the begin" in page.text(".holders h2").replace("\u202f", " ")
    assert "saved for backward" not in page.text(".holders")
    page.one(".to-peak").click()
    assert page.text(".holders h2") == "Who holds memory at the peak"
    for how, words in (("role", "what the model learns"), ("each", "fc1.weight")):
        page.js("const s = document.querySelector('.holding'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('change'))", how)  # fmt: skip
        assert words in page.text(".holders"), how


def test_what_would_save_memory(page: Page) -> None:
    """A chain of three blocks whose results go nowhere else: what a saving comes to is known."""
    recording = handmade.mnist(1, repeat=3)
    page.open(recording, "memory")
    whole, *rows = page.texts(".savings p:first-of-type, .savings tbody tr")
    kept = sum(b.bytes for b in recording.blocks if b.role == "saved for backward")
    assert page.js("return bytes(arguments[0])", kept) in whole
    assert "no_grad" in whole
    cut = {r.split(" ")[0]: r for r in rows}
    # A dropout's only result is its own: a checkpoint of it would free nothing; a detach behind it
    # what was made before.
    before = 0
    for b in recording.blocks:
        if b.role == "saved for backward":
            event = recording.events[b.event]
            if event.name == "dropout":
                break
            before += b.bytes
    assert "nothing" in cut["block0.conv2_drop"]
    assert page.js("return bytes(arguments[0])", before) in cut["block0.conv2_drop"]


def test_a_line_opens_to_what_it_called(page: Page) -> None:
    page.open(handmade.mnist(), "program/L0")
    assert page.focused().text == "x = F.relu(F.max_pool2d(self.conv1(x), 2))"
    page.focused().click()
    text = page.text("tr.called")
    for words in ("conv1", "max_pool2d", "relu"):
        assert words in text


def test_what_is_broken_comes_first(page: Page) -> None:
    page.open(handmade.broken())
    text = page.text("#part-overview")
    assert text.startswith("A NaN appeared in step 1")
    for words in ("gradient of input of log_softmax", "in backward", "mnist.py:37",
                  "return F.log_softmax(self.fc2(x), dim=1)", "1 parameter got no gradient",
                  "fc1.weight: x.data cut the chain", "mnist.py:36"):  # fmt: skip
        assert words in text, words
    text = page.go("numbers")
    assert "A NaN appeared" in text
    assert "1 tensor holds NaN or infinity: fc2.weight" in text
    page.go("graph")
    assert "first NaN" in page.text("#part-graph")


def test_what_makes_a_result_wrong_comes_first(page: Page) -> None:
    recording = handmade.mnist(1)
    recording.findings.append(
        Finding("group", "No optimiser holds `fc2.weight`", "Give it\nto `SGD`.", 8, weight=2.0)
    )
    page.open(recording)
    text = page.text("#part-overview")
    assert text.startswith("The result is wrong\nNo optimiser holds fc2.weight")
    first = page.all(".advice li")[0]
    assert "wrong" in first.get_attribute("class")
    assert [c.text for c in first.find_elements("css selector", "p code")][:1] == ["SGD"]
    page.one("#wrong a").click()
    page.wait(lambda: "pointed" in page.one("#advice-group").get_attribute("class"))


def test_the_error_that_ended_it(page: Page) -> None:
    recording = handmade.mnist(1)
    recording.error = "RuntimeError: mat1 and mat2\n  got   <64 x 320>"
    recording.failed = next(i for i, e in enumerate(recording.events) if e.name == "linear")
    page.open(recording)
    text = page.text("#part-overview")
    assert text.startswith("The program ended with an error")
    for words in (recording.error, "linear in module fc1", "mnist.py:36"):
        assert words in text, words


def test_a_real_nan(page: Page) -> None:
    page.open(recorded("nan"))
    text = page.text("#broken")
    for words in ("A NaN appeared in step 2", "output of log", "in forward", "programs.py",
                  "(x - 10.0).log().sum()"):  # fmt: skip
        assert words in text, words


def test_vanishing_gradients_and_dead_relus_are_told(page: Page) -> None:
    recording = handmade.mnist(1)
    depth = 0
    channels = [n for n in recording.numbers if n.what == "activation" and n.name == "relu"]
    channels[1].dead = 0.25
    for n in recording.numbers:
        if n.what == "gradient":
            n.spread = 1e-9 if n.name.startswith("conv1") else 1e-2
            n.mean = 0.0
        if n.what == "activation" and n.name == "relu" and not depth:
            n.zeros, depth = 1.0, 1
    page.open(recording, "numbers")
    text = page.text("#part-numbers")
    assert "Vanishing gradients" in text
    assert "1 dead ReLU" in text
    assert "Dead channels" in text
    assert "25 % of relu" in text.replace("\u202f", " ")


def test_one_call(page: Page) -> None:
    """Of `rushlight.explain.page(model, x)`: there is no step."""
    recording = rushlight.explain.record(programs.Net(), rushlight.randn(2, 1, 28, 28))
    page.open(recording)
    text = page.text("#part-overview")
    assert text.startswith("This recording takes")
    assert "All steps" not in text
    assert not page.all("#step")
    assert "conv1" in page.go("graph")
    for part in PARTS:
        assert page.go(part)
    page.quiet()


def test_a_compiled_step(page: Page) -> None:
    recording = handmade.mnist(2)
    for event in recording.events:
        if event.kind == "module" and event.name == "Net":
            event.kind, event.phase, event.name = "compiled", "other", "step"
    page.open(recording)
    assert "compiled program" in page.text(".legend")
    page.go("graph")
    row = page.one("details.compiled")
    row.find_element("css selector", "summary").click()
    found = page.wait(lambda: [e.text for e in row.find_elements("css selector", ".operation")])
    assert "torch.compiler.explain" in found[0]
    page.quiet()


def test_nothing_recorded(page: Page) -> None:
    page.open(handmade.empty())
    assert "Nothing ran while this was recorded" in page.text("#part-overview")
    for part in PARTS[1:]:
        assert page.go(part)
    page.quiet()


def test_a_long_recording_shows_its_last_steps(page: Page) -> None:
    page.open(trimmed(handmade.mnist(60), 20 * 46))
    text = page.text("#part-overview")
    assert "Step 60 of 60, a typical one" in text
    assert "Steps with a link are in this page whole" in text
    links = page.texts(".steps-table a")
    assert links[0] == "1"
    assert links[-1] == "60"
    assert "2" not in links
    options = len(page.all("#step option"))
    assert 10 < options < 30
    for part in PARTS[1:]:
        page.go(part)
    page.quiet()


def test_whatever_a_recording_holds(page: Page) -> None:
    """Random recordings: each part is drawn, each call opened, and nothing is said in the log."""
    seed = int(os.environ["RUSHLIGHT_TEST_SEED"])
    for k in range(4):
        print("handmade.random", seed + k)
        page.open(handmade.random(seed + k))
        for part in PARTS:
            page.go(part)
            page.js("for (let i = 0; i < 6; i++) for (const d of "
                    "document.querySelectorAll('details:not([open])')) d.open = true;"
                    "for (const s of document.querySelectorAll('main select')) "
                    "for (const o of [...s.options]) { s.value = o.value;"
                    "s.dispatchEvent(new Event('change')); }")  # fmt: skip
        assert "NaN%" not in page.js("return document.body.innerHTML")
        page.quiet()


def test_words_of_the_user_are_text(page: Page) -> None:
    recording = handmade.mnist(1)
    evil = "<img src=x onerror=document.title='hit'>\"'<script>document.title='hit'</script>"
    recording.program = recording.machine.name = evil
    recording.modules[1] = Module(f"a.{evil}", evil, evil, 0, 5, True)
    for line in recording.lines:
        line.file, line.function, line.text = f"C:\\{evil}.py", evil, evil
    for event in recording.events:
        event.name = evil
        for value in event.takes:
            value.name = value.name and evil
        for saved in event.saved:
            saved.name = saved.why = evil
    for thing in (*recording.blocks, *recording.numbers, *recording.unreached):
        thing.name = evil
    for record in recording.records:
        record.name = record.summary = record.formula = record.derivative = record.declared = evil
    for plan in recording.plans:
        plan.text = evil
    for finding in recording.findings:
        finding.title = finding.text = finding.gain = evil
    page.open(recording)
    for part in PARTS:
        page.go(part)
        page.js("for (const d of document.querySelectorAll('details')) d.open = true")
    page.one("#search").send_keys("img")
    assert page.js("return document.querySelectorAll('img, #app script').length") == 0
    assert "hit" not in page.driver.title.split("onerror")[0]
    assert evil in page.text(".brand")
    page.quiet()


def test_dark(page: Page) -> None:
    def shade() -> int:
        found = page.js("return getComputedStyle(document.documentElement).backgroundColor")
        return sum(int(x) for x in found.removeprefix("rgb(").removesuffix(")").split(","))

    page.open(handmade.mnist())
    assert shade() > 600
    page.open(handmade.mnist(), scheme="dark")
    assert shade() < 150
    page.media()


CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const read = (color) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
};
const light = (c) => { const [r, g, b] = [...c].slice(0, 3).map((v) => v / 255)
  .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const found = [];
const texts = document.createTreeWalker(document.querySelector('#app'), NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const e = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !e.checkVisibility() || e.closest('.idle, svg')) continue;
  let under = e;
  const clear = (x) => read(getComputedStyle(x).backgroundColor)[3] < 200;
  while (under && clear(under)) under = under.parentElement;
  const a = light(read(getComputedStyle(e).color));
  const b = light(read(getComputedStyle(under || document.documentElement).backgroundColor));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) found.push([texts.currentNode.data.trim(), e.className, ratio]);
}
return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(page: Page, scheme: str) -> None:
    """All text has at least the contrast that WCAG asks for (AA: 4.5)."""
    page.open(handmade.broken(), scheme=scheme)
    for part in PARTS:
        page.go(part)
        page.js("for (const d of document.querySelectorAll('details')) d.open = true")
        assert page.js(CONTRAST) == [], part
    page.media()


@pytest.mark.parametrize("width", [1366, 800, 390])
def test_no_part_is_wider_than_the_window(page: Page, width: int) -> None:
    page.size(width, 768)
    page.open(recorded("mnist"))
    for part in PARTS:
        page.go(part)
        if part == "graph":
            page.one('[data-unfold="modules"]').click()
        assert page.fits(), part


def test_printed(page: Page) -> None:
    page.open(recorded("mnist"))
    found = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    pdf = base64.b64decode(found["data"])
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") > 5  # each part begins on a page of its own
    for part in PARTS:  # those that nobody had opened are there, too
        assert page.js("return document.getElementById(arguments[0]).childElementCount",
                       f"part-{part}") > 1, part  # fmt: skip
