"""What is put in place of what while somebody profiles, and put back afterwards.

Nothing in the package asks whether it is profiled. Instead `install` swaps: the door gets a watcher
(`door.watching`), the engine measured forms of three of its functions, composites another function
in the cell they call, a few classes another method; `uninstall` puts the same objects back. Each
measured form asks first whether its own thread is recorded.

Read next: `recording.py` for what `enter` and `leave` do, `names.py` for what events are called.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import door, engine, views
from ..autograd.node import LEAF, Out, TensorBase
from . import flops as counting
from .names import QUIET, op_name, public_name, update_name
from .recording import (
    BYTES,
    COMPOSITE,
    EVALUATE,
    KIND,
    NAME,
    NODE,
    OP,
    SEQUENCE,
    SHAPES,
    USER,
    Recorder,
    local,
    now,
)

# The attribute of this name in the package is the function `backward`.
backward_pass = importlib.import_module("rushlight.autograd.backward")
ndarray = np.ndarray
_lock = threading.Lock()
_users = 0
_undo: list[Callable[[], None]] = []


class Everything:
    """A set of all nodes: with it the engine runs each through `run_watched`."""

    def __contains__(self, node: object) -> bool:
        return True


# -- putting in place and back ---------------------------------------------------------------------


def begin(recorder: Recorder) -> Callable[..., Any]:
    """Let a recorder of this thread see everything; the watcher is returned for `finish`."""
    global _users
    with _lock:
        if _users == 0:
            try:
                _install()
            except BaseException:
                _put_back()
                raise
        _users += 1
    watch = watcher(recorder)
    door.watch(watch)
    return watch


def finish(watch: Callable[..., Any]) -> None:
    """The opposite of `begin`."""
    global _users
    door.unwatch(watch)
    with _lock:
        _users -= 1
        if _users == 0:
            _put_back()


def _put_back() -> None:
    while _undo:
        _undo.pop()()


def _put(owner: Any, name: str, new: Any) -> None:
    """Set an attribute until `finish`."""
    old = vars(owner)[name]
    setattr(owner, name, new)

    def back() -> None:
        if vars(owner).get(name) is new:  # unless somebody else has set it meanwhile
            setattr(owner, name, old)

    _undo.append(back)


def _install() -> None:
    _put(engine, "everything", Everything())
    _put(engine, "run_watched", measured_node(engine.run_watched))
    _put(engine, "finish_leaf", measured_leaf(engine.finish_leaf))
    _put(backward_pass, "run", measured_run(backward_pass.run))
    _put(views, "apply_inplace", measured_inplace(views.apply_inplace))
    _install_functions()
    _install_classes()


def _install_functions() -> None:
    """Measured composites: the public functions that are written with other operations."""
    import rushlight
    import rushlight.nn.functional

    from ..ops.core.composite import composites
    from ..ops.core.overrides import dispatching

    dispatcher: Any = dispatching(_install_functions)
    place = dispatcher.__code__.co_freevars.index("fn")
    spaces: dict[str, Any] = {
        "torch": rushlight,
        "nn.functional": rushlight.nn.functional,
        "Tensor": door.Tensor,
    }
    for c in composites.values():
        fn: Any = c.fn
        if c.name in QUIET or not c.public or not hasattr(fn, "__code__"):
            continue
        name = public_name(c.name, c.public)
        if fn.__code__ is dispatcher.__code__:
            # The cell of the dispatching function is the one place through which all calls go,
            # whoever imported the function under whatever name.
            cell = fn.__closure__[place]
            plain = cell.cell_contents
            cell.cell_contents = measured(name, plain)
            _undo.append(functools.partial(setattr, cell, "cell_contents", plain))
            continue
        again = measured(name, fn)
        for space in c.public:
            owner = spaces.get(space)
            for public in (c.name, *c.aliases):
                if owner is not None and vars(owner).get(public) is fn:
                    _put(owner, public, again)


def _install_classes() -> None:
    from ..autograd.function import Function
    from ..kernels.optim.reference import Arrays
    from ..ops.core.record import Op
    from ..optim import optimizer

    tensor = door.Tensor
    _put(Op, "__call__", measured_call(Op.__call__))
    _put(tensor, "detach", measured("aten::detach", tensor.detach))
    _put(tensor, "item", measured("aten::item", tensor.item))
    _put(Arrays, "run", measured_update(Arrays.run))
    _put(Function, "apply", classmethod(measured_function(Function.__dict__["apply"].__func__)))
    cls = optimizer.Optimizer
    _put(cls, "zero_grad", measured_zero_grad(cls.zero_grad))
    before, after = optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks
    before[STEP_HOOK] = begin_step
    before.move_to_end(STEP_HOOK, last=False)
    after[STEP_HOOK] = end_step

    def back() -> None:
        before.pop(STEP_HOOK, None)
        after.pop(STEP_HOOK, None)

    _undo.append(back)
    for module in LOADERS:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
        for kind in list(vars(sys.modules.get(module, object)).values()):
            if isinstance(kind, type) and kind.__module__ == module and "__next__" in vars(kind):
                _put(kind, "__next__", measured_next(vars(kind)["__next__"]))


# Where the iterators of data loaders are.
LOADERS = ("rushlight.utils.data.dataloader", "rushlight.utils.data._utils.iterators")


# -- operations ------------------------------------------------------------------------------------


def watcher(recorder: Recorder) -> Callable[..., Any]:
    """What stands at the door of the recorded thread."""
    frames = recorder.open
    enter, leave = recorder.enter, recorder.leave

    def watch(next_apply: Any, op: Any, inputs: Any, kw: Any) -> Any:
        if local.recorder is not recorder:  # stopped, or resting while another one records
            return next_apply(op, inputs, kw)
        name = op_name(op)
        if frames:
            top = frames[-1]
            if top[KIND] == OP:
                return next_apply(op, inputs, kw)  # a part of what is shown already
            if is_again(top, name):
                out = next_apply(op, inputs, kw)  # the very thing that is shown already
                top[SEQUENCE] = sequence(out)
                return out
        frame = enter(name, OP, inputs)
        out = None
        try:
            out = next_apply(op, inputs, kw)
        finally:
            end = now()
            frame[SEQUENCE] = sequence(out)
            leave(
                frame,
                end,
                made(out) if recorder.memory and not op.view else 0,
                counting.count(name, frame[SHAPES][0], out) if recorder.flops else 0,
            )
        return out

    return watch


def sequence(out: Any) -> int:
    """The number of the node that made a result, which joins operation and derivative."""
    if out.__class__ is tuple and out:
        out = out[0]
    fn = out._fn if isinstance(out, TensorBase) else None
    if fn is None or fn is LEAF:
        return -1
    seq: int = (fn.node if fn.__class__ is Out else fn).seq
    return seq


def made(out: Any) -> int:
    """Bytes of the arrays of results."""
    if isinstance(out, TensorBase):
        return out._a.nbytes if out._a.__class__ is ndarray else 0
    if isinstance(out, tuple):
        return sum(made(t) for t in out)
    return 0


def made_by(out: Any, given: tuple[Any, ...]) -> int:
    """As `made`, without what shares the memory of something given."""
    if isinstance(out, TensorBase):
        out = out._a
    if out.__class__ is ndarray:
        owner = out if out.base is None else out.base
        for x in given:
            a = x._a if isinstance(x, TensorBase) else x
            if a.__class__ is ndarray and (a is owner or a.base is owner):
                return 0
        size: int = out.nbytes
        return size
    if isinstance(out, (tuple, list)):
        return sum(made_by(t, given) for t in out)
    return 0


def measured(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tensors with an event around it."""

    @functools.wraps(fn)
    def again(*args: Any, **kw: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return fn(*args, **kw)
        frames = recorder.open
        if frames and (frames[-1][KIND] == OP or is_again(frames[-1], name)):
            return fn(*args, **kw)
        frame = recorder.enter(name, COMPOSITE, (*args, *kw.values()) if kw else args)
        out = None
        try:
            out = fn(*args, **kw)
        finally:
            end = now()
            fresh = made_by(out, args) if recorder.memory and not frame[BYTES] else 0
            count = counting.count(name, frame[SHAPES][0], out) if recorder.flops else 0
            recorder.leave(frame, end, fresh, count)
        return out

    return again


def is_again(top: Any, name: str) -> bool:
    """Whether a frame shows what is about to happen already: a function that calls itself, or the
    operation of its own name."""
    return bool(top[KIND] == COMPOSITE and top[NAME] == name)


def measured_inplace(plain: Any) -> Any:
    """`views.apply_inplace` with an event `aten::name_` around it."""

    @functools.wraps(plain)
    def apply_inplace(op: Any, target: Any, rest: Any, kw: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(op, target, rest, kw)
        frames = recorder.open
        name = op_name(op) + "_"
        if frames and frames[-1][KIND] == OP:
            return plain(op, target, rest, kw)
        if frames and is_again(frames[-1], name):
            frame = frames[-1]
            frame[KIND] = OP  # from here on the computation itself, which is not shown
            try:
                return plain(op, target, rest, kw)
            finally:
                frame[SEQUENCE] = sequence(target)
        frame = recorder.enter(name, OP, (target, *rest))
        try:
            return plain(op, target, rest, kw)
        finally:
            end = now()
            frame[SEQUENCE] = sequence(target)
            recorder.leave(frame, end)

    return apply_inplace


def measured_call(plain: Any) -> Any:
    """`Op.__call__`: the operations on arrays that derivatives are made of."""

    def __call__(op: Any, *args: Any, **kw: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(op, *args, **kw)
        frames = recorder.open
        if not frames or frames[-1][KIND] != NODE or not any(a.__class__ is ndarray for a in args):
            return plain(op, *args, **kw)
        frame = recorder.enter(op_name(op), OP, args)
        out = None
        try:
            out = plain(op, *args, **kw)
        finally:
            end = now()
            recorder.leave(frame, end, made_by(out, args) if recorder.memory else 0)
        return out

    return __call__


def measured_function(plain: Any) -> Any:
    """`Function.apply`, under the name of the user's class."""

    @functools.wraps(plain)
    def apply(cls: Any, *args: Any, **kw: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(cls, *args, **kw)
        frame = recorder.enter(cls.__name__, COMPOSITE, args)
        out = None
        try:
            out = plain(cls, *args, **kw)
        finally:
            end = now()
            frame[SEQUENCE] = sequence(out)
            recorder.leave(frame, end)
        return out

    return apply


# -- backward --------------------------------------------------------------------------------------


def measured_run(plain: Any) -> Any:
    """`engine.run`, after which no frame of its own is left open."""

    @functools.wraps(plain)
    def run(*args: Any, **kw: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(*args, **kw)
        depth = len(recorder.open)
        try:
            return plain(*args, **kw)
        finally:
            recorder.unwind(depth)

    return run


def measured_node(plain: Any) -> Any:
    """`engine.run_watched`: the derivative of one node.

    Two frames, as in PyTorch: the node's own, and around it the engine's, which lasts until the
    next node begins and so contains the adding up of gradients.
    """

    @functools.wraps(plain)
    def run_watched(node: Any, g: Any, *rest: Any) -> Any:
        recorder = local.recorder
        if recorder is None or g is None:
            return plain(node, g, *rest)
        recorder.end_evaluation()
        name = node.name()
        recorder.enter("autograd::engine::evaluate_function: " + name, EVALUATE)
        frame = recorder.enter(name, NODE, (g,))
        results = None
        try:
            results = plain(node, g, *rest)
        finally:
            end = now()
            fresh = 0
            if recorder.memory and results is not None:
                fresh = max(0, made_by(results, (g,)) - frame[BYTES])
            frame[SEQUENCE] = node.seq
            recorder.leave(frame, end, fresh)
            if results is None:
                recorder.end_evaluation()
        return results

    return run_watched


def measured_leaf(plain: Any) -> Any:
    """`engine.finish_leaf`: a leaf keeps its gradient, PyTorch's AccumulateGrad."""

    @functools.wraps(plain)
    def finish_leaf(
        leaf: Any,
        g: Any,
        owned: bool,
        tensors: bool,
        targets: Any,
        captured: Any,
        capture: bool,
        inputs: Any,
    ) -> Any:
        recorder = local.recorder
        if recorder is None or capture:
            return plain(leaf, g, owned, tensors, targets, captured, capture, inputs)
        recorder.end_evaluation()
        name = "torch::autograd::AccumulateGrad"
        around = recorder.enter("autograd::engine::evaluate_function: " + name, EVALUATE)
        recorder.enter(name, NODE, (g,))
        try:
            return plain(leaf, g, owned, tensors, targets, captured, capture, inputs)
        finally:
            recorder.leave(around, now())

    return finish_leaf


# -- optimisers and loaders ------------------------------------------------------------------------

STEP_HOOK = -1  # hooks of users are numbered from 0


def begin_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    """Before a step of any optimiser."""
    if local.recorder is not None:
        kind = type(optimizer).__name__
        local.recorder.enter(f"Optimizer.step#{kind}.step", USER)


def end_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    """After it: close the frame that `begin_step` opened."""
    recorder = local.recorder
    if recorder is None:
        return
    name = f"Optimizer.step#{type(optimizer).__name__}.step"
    for frame in reversed(recorder.open):
        if frame[NAME] == name:
            recorder.leave(frame, now())
            return


def measured_zero_grad(plain: Any) -> Any:
    """`Optimizer.zero_grad` under the name of the optimiser's class."""

    @functools.wraps(plain)
    def zero_grad(self: Any, *args: Any, **kw: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(self, *args, **kw)
        kind = type(self).__name__
        frame = recorder.enter(f"Optimizer.zero_grad#{kind}.zero_grad", USER)
        try:
            return plain(self, *args, **kw)
        finally:
            recorder.leave(frame, now())

    return zero_grad


def measured_update(plain: Any) -> Any:
    """`Arrays.run`: the update of one parameter."""

    @functools.wraps(plain)
    def run(self: Any, update: Any, k: Any, p: Any, *others: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(self, update, k, p, *others)
        frame = recorder.enter(update_name(update), OP, (p, *others))
        try:
            return plain(self, update, k, p, *others)
        finally:
            recorder.leave(frame, now())

    return run


def measured_next(plain: Any) -> Any:
    """`__next__` of a loader's iterator."""

    @functools.wraps(plain)
    def __next__(self: Any) -> Any:
        recorder = local.recorder
        if recorder is None:
            return plain(self)
        name = f"enumerate(DataLoader)#{type(self).__name__}.__next__"
        frame = recorder.enter(name, USER)
        try:
            return plain(self)
        finally:
            recorder.leave(frame, now())

    return __next__
