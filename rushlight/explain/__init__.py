"""One page that explains a training step.

    with rushlight.explain.recording("page.html"):
        ...                                          # a training loop
    rushlight.explain.page(model, inputs)            # one call
    python -m rushlight explain train.py --steps 3 --out page.html

A recording (`recording.py`) is plain data: who looks fills it (`observer.py` and its neighbours),
who finds reads it (`advice/`), who shows writes it out (`page/`, `text.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .recording import Recording
    from .session import Session

__all__ = ["page", "record", "record_step", "recording", "text"]


@contextmanager
def recording(
    path: str | None = None, *, steps: int | None = None, program: str | None = None,
    events: int | None = None,
) -> Iterator[Session]:  # fmt: skip
    """Record what this thread does in a block, and write a page about it.

    Args:
        path: where the page goes; None: nowhere, see `recording` of what is yielded.
        steps: after so many steps of an optimiser nothing more is recorded.
        program: what the page says that was run; the command line, if nothing is given.
        events: at most so many events are kept, 200,000 if nothing is given.

    >>> model = nn.Linear(4, 2)
    >>> with torch.explain.recording() as session:
    ...     model(torch.ones(3, 4)).sum().backward()
    >>> session.recording.modules[0].kind
    'Linear'
    """
    from .observer import MOST
    from .session import Session

    session = Session(steps, program, MOST if events is None else events)
    session.start()
    try:
        yield session
    except BaseException as error:
        session.fail(error)
        raise
    finally:
        session.rest()
        if path is not None:
            session.write(path)


def record(model: Callable[..., Any], *inputs: Any, **kw: Any) -> Recording:
    """The recording of one call: forward, and backward if the output requires a gradient.

    The backward is that of the sum of all floating-point results; gradients that the model's
    parameters had before are there again afterwards.

    >>> found = torch.explain.record(nn.Linear(4, 2), torch.ones(3, 4))
    >>> [e.name for e in found.events if e.kind == "op"]
    ['linear', 'sum_all']
    """
    return _recorded(None, model, inputs, kw)


def record_step(fn: Callable[[], Any], program: str | None = None) -> Recording:
    """The recording of whatever `fn()` does.

    >>> found = torch.explain.record_step(lambda: torch.ones(3).exp())
    >>> [e.name for e in found.events if e.kind == "op"]
    ['ones', 'exp']
    """
    with recording(program=program) as session:
        fn()
    return session.recording


def page(
    model: Callable[..., Any], *inputs: Any, path: str = "explain.html", **kw: Any
) -> str:
    """Write a page about one call, forward and backward (as `record`); returns its path.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = torch.explain.page(nn.Linear(4, 2), torch.ones(3, 4), path=folder + "/p.html")
    ...     os.listdir(folder)
    ['p.html']
    """
    _recorded(path, model, inputs, kw)
    return path


def _recorded(path: str | None, model: Any, inputs: Any, kw: dict[str, Any]) -> Recording:
    from .session import total

    held = list(model.parameters()) if hasattr(model, "parameters") else []
    before = [p.grad for p in held]
    for p in held:
        p.grad = None
    try:
        with recording(path, program=type(model).__name__) as session:
            out = total(model(*inputs, **kw))
            if out is not None:
                out.backward()
            del out
    finally:
        for p, g in zip(held, before, strict=True):
            p.grad = g
    return session.recording


def text(recording: Recording) -> str:
    """What a recording tells, for the terminal: overview, findings, time and memory.

    >>> model = nn.Linear(4, 2)
    >>> print(torch.explain.text(torch.explain.record(model, torch.ones(3, 4))).splitlines()[0])
    Linear
    """
    from .text import text

    return text(recording)


class _Explain(ModuleType):
    """Keeps `recording` and `page` functions although files of this package have these names, too
    (`from rushlight.explain.recording import Event` finds the file)."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Explain
