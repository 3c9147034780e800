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
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..blocks import contextmanager

if TYPE_CHECKING:
    from .. import nn
    from ..tensor import Tensor
    from .live import Live
    from .reach import Gradients
    from .recording import Recording
    from .session import Session
    from .summary import Summary

__all__ = [
    "gradients", "memory", "page", "record", "record_step", "recording", "summary", "text",
]  # fmt: skip


@contextmanager
def recording(
    path: str | None = None, *, steps: int | None = None, program: str | None = None,
    events: int | None = None, marked: bool = False,
) -> Iterator[Session]:  # fmt: skip
    """Record what this thread does in a block, and write a page about it.

    A step is a round of the training loop: it ends with an optimiser's step; optimisers that take
    turns, as those of a GAN, make it together, and what a model in eval() does between two steps is
    in neither. `step()` of what is yielded says that a step ends here, if it is to be another one.

    Args:
        path: where the page goes; None: nowhere, see `recording` of what is yielded.
        steps: after so many steps nothing more is recorded.
        program: what the page says that was run; the command line, if nothing is given.
        events: at most so many events are kept, 200,000 if nothing is given.
        marked: steps end where `step()` is called, and nowhere else.

    >>> model = nn.Linear(4, 2)
    >>> with torch.explain.recording() as session:
    ...     model(torch.ones(3, 4)).sum().backward()
    >>> session.recording.modules[0].kind
    'Linear'
    """
    from .observer import MOST
    from .session import Session

    session = Session(steps, program, MOST if events is None else events, marked=marked)
    try:
        session.start()
    except BaseException:
        session.rest()
        raise
    try:
        yield session
    except BaseException as error:
        session.fail(error)
        raise
    finally:
        try:
            session.rest()
        except BaseException:
            session.rest()
            raise
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


def summary(
    model: nn.Module,
    *inputs: Any,
    input_size: Sequence[Any] | None = None,
    depth: int = 3,
    col_names: Sequence[str] = ("output_size", "num_params", "mult_adds"),
    row_settings: Sequence[str] = ("depth", "var_names"),
    mode: str = "eval",
) -> Summary:
    """A table of a model's layers, as torchinfo prints it; `str` of the result is the table.

    The model is called once with `inputs`, without gradients. Without inputs the table has the
    parameters only.

    Args:
        model: a module.
        inputs: what it is called with.
        input_size: in place of inputs, a shape or a list of shapes of random inputs.
        depth: how deep the table goes; the last depth counts what is below it, too.
        col_names: columns, of "input_size", "output_size", "num_params", "params_percent",
            "kernel_size", "mult_adds", "trainable".
        row_settings: "depth" for `type:depth-index`, "var_names" for the names of modules.
        mode: "eval", "train" (running statistics change then), or "same".

    >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    >>> print(torch.explain.summary(model, torch.ones(3, 4)))
    =============================================================================
    Layer (type (var_name):depth-idx)    Output Shape    Param #    Mult-Adds
    =============================================================================
    Sequential                           [3, 2]          --         --
    ├─Linear (0): 1-1                    [3, 8]          40         96
    ├─ReLU (1): 1-2                      [3, 8]          --         --
    ├─Linear (2): 1-3                    [3, 2]          18         48
    =============================================================================
    Total params: 58
    Trainable params: 58
    Non-trainable params: 0
    Total mult-adds (M): 0.00
    =============================================================================
    Input size (MB): 0.00
    Forward/backward pass size (MB): 0.00
    Params size (MB): 0.00
    Estimated Total Size (MB): 0.00
    =============================================================================
    """
    from .summary import summary as table

    return table(
        model, *inputs, input_size=input_size, depth=depth, col_names=col_names,
        row_settings=row_settings, mode=mode,
    )  # fmt: skip


def memory() -> Live:
    """The tensors that are alive now: by role, by the line that made them, and by what holds them,
    the largest first. Memory that tensors share is counted once.

    >>> model = nn.Linear(1000, 100)
    >>> found = torch.explain.memory()
    >>> [row.bytes for row in found.rows if row.holder.endswith("weight")][:1]
    [400000]
    """
    from .live import memory as live

    return live(sys._getframe(1))


def gradients(
    loss: Tensor | Callable[[], Tensor], model: nn.Module | None = None
) -> Gradients:
    """For each parameter: whether a loss reaches it, and if not, what cut the chain; the norm of
    its gradient, and whether there is a NaN in it. No `.grad` is changed.

    Args:
        loss: a loss, whose graph is looked at; or a function that computes one, which is called
            and recorded, so that the operation that cut a chain is known for each parameter.
        model: whose parameters are told; those of all models in the program's variables, if it is
            not given.

    >>> model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False))
    >>> _ = nn.init.ones_(model[1].weight)
    >>> x = model[0](torch.ones(1, 2)).detach()
    >>> print(torch.explain.gradients(model[1](x * 0 + 2).sum(), model)["1.weight"])
    2.83
    """
    from .reach import gradients as reached

    return reached(loss, model, sys._getframe(1))


class _Explain(ModuleType):
    """Keeps `recording` and `page` functions although files of this package have these names, too
    (`from rushlight.explain.recording import Event` finds the file)."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Explain
