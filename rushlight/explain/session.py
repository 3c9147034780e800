"""A recording from its beginning to its page."""

from __future__ import annotations

import datetime
import importlib.util
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..autograd.node import TensorBase
from ..autograd.observe import observe, unobserve
from ..errors import message
from . import machine
from .observer import MOST, Look
from .plans import Asked
from .recording import NONE, Recording, Watched
from .watch import kept

_active = threading.local()
KEPT = 2  # graphs of a line that are alive when the last step is over: the last one always is


class Session:
    """Records this thread from `start()` until `stop()`, or until so many steps are over.

    Args:
        steps: how many steps are recorded (`rounds.py` says what one is); None: until `stop()`.
        program: what is run, for the page.
        events: how many events are kept.
        ended: called when the steps are over.
        marked: whether steps end where `step()` is called, and nowhere else.
    """

    def __init__(
        self,
        steps: int | None = 3,
        program: str | None = None,
        events: int = MOST,
        ended: Callable[[], None] | None = None,
        marked: bool = False,
    ) -> None:
        self.steps = steps
        self.marked = marked
        self.program = " ".join([os.path.basename(sys.argv[0] or "python"), *sys.argv[1:]]) \
            if program is None else program  # fmt: skip
        self.events = events
        self.ended = ended
        self.look: Look | None = None
        self.active = False
        self.began = ""
        self.error = ""
        self._kept: list[Watched] = []
        self._recording: Recording | None = None

    def start(self) -> None:
        """Record from now on."""
        if getattr(_active, "session", None) is not None:
            raise RuntimeError(
                message(
                    "a recording is being made already, and there can be only one at a time",
                    hint="end it first: rushlight.explain.recording() cannot stand inside another "
                    "one, nor inside python -m rushlight explain",
                )
            )
        machine.measured()
        self.began = datetime.datetime.now().isoformat(" ", "seconds")
        self.look = Look(self.events, self._stepped, self.marked)
        _active.session = self
        self.active = True
        observe(self.look)

    def step(self) -> None:
        """Say that a step of the program's own is over: from then on steps end here, and those
        before the first call are one. `recording(marked=True)` says so beforehand."""
        if self.active and self.look is not None:
            self.look.step_marked()

    def _stepped(self, over: int) -> None:
        look = self.look
        if look is None or self.steps is None:
            return
        if over >= self.steps or look.left_out:  # or nothing more can be kept
            self.rest()
            if self.ended is not None:
                self.ended()

    def rest(self) -> None:
        """Look no more; what was seen is kept."""
        if not self.active or self.look is None:
            return
        unobserve(self.look)
        if getattr(_active, "session", None) is self:
            _active.session = None
        self.active = False
        if self.look.modules.reached():
            self._kept = kept(self.look.lines, sys._getframe(1), KEPT)
        self.look.finish()

    def fail(self, error: BaseException) -> None:
        """Note the error that ended what was recorded."""
        if not isinstance(error, (SystemExit, GeneratorExit)):
            notes = getattr(error, "__notes__", [])
            self.error = "\n".join([f"{type(error).__name__}: {error}", *notes])
            if self._recording is not None:  # it came behind the recorded steps
                self._recording.error = self.error

    @property
    def recording(self) -> Recording:
        """What was recorded; what is asked of records is asked now."""
        if self._recording is None:
            self.rest()
            self._recording = self._made()
        return self._recording

    def _made(self) -> Recording:
        from .. import version  # its own also where `torch.__version__` is PyTorch's

        look = self.look
        found = Recording(self.program, version.rushlight, machine.measured(), self.began)
        if look is None:
            return found
        asked = Asked()
        asked.fill(look.events, look.ops, look.calls)
        look.calls.clear()
        found.steps, found.events, found.modules = look.steps, look.events, look.modules.modules
        found.lines, found.records, found.plans = look.lines.finish(), asked.records, asked.plans
        found.blocks = look.memory.blocks
        found.numbers, found.broken = look.samples.finish(), look.samples.broken
        found.left_out = look.left_out
        found.parameters, found.unreached = look.parameters, look.unreached
        found.optimizers = [about for _, about in look.optimizers.values()]
        found.watched, found.evaluated = self._kept, look.evaluated
        found.error, found.failed = self.error, look.failed if self.error else NONE
        advise(found)
        return found

    def relined(self) -> None:
        """Take in the lines that were met since, and find again."""
        if self.look is not None:
            self.recording.lines = self.look.lines.finish()
        advise(self.recording)

    def write(self, path: str) -> None:
        """Write the page."""
        write(self.recording, path)


def part(name: str) -> Any:
    """A part of this package that reads recordings; None where it is not there."""
    full = f"{__package__}.{name}"
    if importlib.util.find_spec(full) is None:
        return None
    return importlib.import_module(full)


def advise(recording: Recording) -> None:
    """Put the findings in."""
    advice = part("advice")
    if advice is not None:
        recording.findings = advice.findings(recording)


def write(recording: Recording, path: str) -> None:
    """Write a recording as a page, or as JSON where the path ends so."""
    page = part("page")
    if page is not None and not path.endswith(".json"):
        page.write(recording, path)
        return
    text = json.dumps(recording.as_json())
    beside = f"{path}.{os.getpid()}.part"
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(beside, path)


def total(x: Any) -> Any:
    """The sum of all floating-point tensors with a gradient in a nest of results; None: of none."""
    if isinstance(x, TensorBase):
        return x.sum() if x.requires_grad and x.is_floating_point() else None
    parts = list(x.values()) if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ()
    found = [t for t in map(total, parts) if t is not None]
    return sum(found[1:], found[0]) if found else None


def _forget() -> None:
    """A child of a recorded process records nothing."""
    session = getattr(_active, "session", None)
    if session is not None and session.look is not None:
        _active.session = None
        session.active = False
        session.look.over = True
        unobserve(session.look)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
