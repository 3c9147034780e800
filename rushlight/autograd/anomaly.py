"""Anomaly mode: find where a NaN comes from, and which forward line a failing backward belongs to.

`detect_anomaly` and `set_detect_anomaly` keep the traceback of every recorded operation and check
each gradient for NaN. With `check_forward=True` also the results of the forward operations are
checked.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from ..errors import message
from . import door, engine, watch
from .node import Node, Out, TensorBase

KEPT = ("traceback_", "parent_")  # what anomaly mode puts into the metadata of nodes
_setting: list[tuple[bool, bool] | None] = [None]  # (check_nan, check_forward) while the mode is on


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """
    return _setting[0] is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether gradients are checked for NaN.

    >>> with torch.autograd.set_detect_anomaly(True, check_nan=False):
    ...     torch.is_anomaly_check_nan_enabled()
    False
    """
    setting = _setting[0]
    return setting is not None and setting[0]


def switch(setting: tuple[bool, bool] | None) -> tuple[bool, bool] | None:
    """Change the mode; returns what it was. Where this is interrupted it is called again."""
    was = _setting[0]
    others = tuple([w for w in door.state.watchers if w is not note])
    if setting is None:
        watch.go("anomaly")
        door.state.watchers, door.noting = others, None
        engine.checks[:] = []
    else:
        watch.come("anomaly")
        if was is None:
            door.state.watchers = (*others, note)
        door.noting = remember
        engine.checks[:] = [check]
    _setting[0] = setting
    return was


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off; `torch.autograd.set_detect_anomaly` does it for a block.

    >>> torch.set_anomaly_enabled(True, check_nan=False)
    >>> torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    (True, False)
    >>> torch.set_anomaly_enabled(False)
    """
    for place, (name, value) in enumerate((("enabled", enabled), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {place}) must be bool, not "
                f"{type(value).__name__}"
            )
    switch((check_nan, False) if enabled else None)


def user_traceback() -> str:
    """The Python stack outside this package, as text."""
    import traceback  # imported here: it takes a millisecond

    package = __name__.partition(".")[0]
    frames = [
        f for f in traceback.extract_stack() if f"/{package}/" not in f.filename.replace("\\", "/")
    ]
    return "".join(traceback.format_list(frames))


def note(next_apply: Any, op: Any, inputs: Any, kw: Any) -> Any:
    """The watcher: keep the forward traceback with each new node."""
    out = next_apply(op, inputs, kw)
    first = out[0] if isinstance(out, tuple) and out else out
    fn = first._fn if isinstance(first, TensorBase) else None
    node = fn.node if fn.__class__ is Out else fn
    if isinstance(node, Node) and "traceback_" not in node.metadata:
        remember(node)
    if _setting[0] is not None and _setting[0][1]:
        for t in out if isinstance(out, tuple) else (out,):
            a = t._a
            if (
                isinstance(a, np.ndarray)
                and a.dtype.kind in "fc"
                and not np.isfinite(a).all()
                and not _already_bad(inputs)
            ):
                what = "nan" if np.isnan(a).any() else "inf"
                raise RuntimeError(
                    message(
                        f"Function '{op.name}' returned {what} values in its forward.",
                        got=f"a result of shape {tuple(a.shape)} from finite inputs",
                        hint="look at the inputs of this operation: a division, log or sqrt of "
                        "0, an overflow",
                    )
                )
    return out


def remember(node: Node) -> None:
    """Keep the stack of the forward call with its node, and what the node knew that was running
    when this one was made, in a backward."""
    node.metadata["traceback_"] = user_traceback()
    running = engine.current_node()
    if running is not None:
        kept = {k: running.metadata[k] for k in KEPT if k in running.metadata}
        node.metadata["parent_"] = kept | {"name_": running.name()}


def _already_bad(inputs: Any) -> bool:
    return any(
        isinstance(t, TensorBase)
        and isinstance(t._a, np.ndarray)
        and t._a.dtype.kind in "fc"
        and not np.isfinite(t._a).all()
        for t in inputs
    )


def warn_origin(node: Node) -> None:
    """Show the forward traceback of the node whose backward failed."""
    told = f"Error detected in {node.name()}. "
    known: Any = node.metadata
    again = ""
    while True:
        stack = known.get("traceback_")
        if stack is None:
            told += (
                "No forward pass information available. Enable detect anomaly during forward pass "
                "for more information."
            )
        else:
            told += (
                f"Traceback of forward call that {'induced' if again else 'caused'} the "
                f"{again or 'error'}:\n{stack}"
            )
        _warn(told)
        known = known.get("parent_")  # of what ran when this node was made
        if known is None:
            return
        told = f"\n\nPrevious calculation was induced by {known['name_']}. "
        again = "previous calculation"


def _warn(text: str) -> None:
    """Warn; where warnings are errors print it, so that the error itself is what is raised."""
    try:
        warnings.warn(text, UserWarning, stacklevel=4)
    except UserWarning:
        print(f"UserWarning: {text}", file=sys.stderr)


def check(node: Node, results: Any) -> None:
    """After a node ran: raise when a gradient is NaN."""
    if not is_anomaly_check_nan_enabled():
        return
    for i, r in enumerate(results):
        a = r._a if isinstance(r, TensorBase) else r
        if (
            a is not None
            and np.asarray(a).dtype.kind in "fcVW"
            and np.isnan(
                np.asarray(a, np.float32 if np.asarray(a).dtype.kind == "V" else None)
            ).any()
        ):
            warn_origin(node)
            raise RuntimeError(
                message(
                    f"Function '{node.name()}' returned nan values in its {i}th output.",
                    got=f"made at {node.line()}",
                    hint="the warning above shows the forward call; "
                    "detect_anomaly(check_forward=True) finds NaN there",
                )
            )


class detect_anomaly:
    """Within the block, gradients are checked for NaN and errors in backward name the forward line.

    Args:
        check_nan: raise when a gradient is NaN.
        check_forward: also raise when an operation makes NaN or Inf from finite inputs. PyTorch
            looks at the backward only.

    It costs time, and warns of that: it is for looking for an error, not for training.

    >>> import warnings
    >>> x = torch.tensor([0.0], requires_grad=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     with torch.autograd.detect_anomaly():
    ...         (torch.sqrt(x) * 0).sum().backward()  # the derivative of sqrt is 0 / 0 here
    Traceback (most recent call last):
        ...
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output...
    """

    def __init__(self, check_nan: bool = True, check_forward: bool = False) -> None:
        self.setting = (check_nan, check_forward)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and "
            "should only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.before = _setting[0]
        try:
            switch(self.setting)
        except BaseException:
            switch(self.before)
            raise

    def __exit__(self, *args: object) -> None:
        try:
            switch(self.before)
        except BaseException:
            switch(self.before)
            raise


class set_detect_anomaly:
    """Switch anomaly mode on or off, as a function for good or as a context for a block.

    Args:
        mode: on or off.
        check_nan: raise when a gradient is NaN.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    >>> torch.is_anomaly_enabled()
    False
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = switch((check_nan, False) if mode else None)

    def __enter__(self) -> None:
        """The mode was switched by the constructor."""

    def __exit__(self, *args: object) -> None:
        try:
            switch(self.before)
        except BaseException:
            switch(self.before)
            raise
