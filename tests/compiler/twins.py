"""One program, run twice: as it is, and with `torch.compile`. All that can be seen must be equal.

A program is a function of a `Twin`. It makes everything anew, compiles by `t.compile(...)`, which
compiles for one of the twins only, and runs each call by `t(fn, *args)`. After every call all is
written down that a program could look at: the result or the exception, what was printed, warnings,
the generators of random numbers, and the state of whatever `t.watch(...)` was told of: values to
the bit, gradients, types, strides, versions, and who shares memory with whom.

    def program(t):
        layer = nn.Linear(2, 2)
        t.watch(layer)
        compiled = t.compile(layer)
        t(compiled, torch.ones(1, 2))
        layer.weight.data.zero_()
        t(compiled, torch.ones(1, 2))

    same(program)
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import random
import traceback
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as torch
from rushlight import nn, once
from rushlight.nn import functional as F

FORMS = ("step", "forward", "module")


class Twin:
    """One of the two runs of a program.

    Attributes:
        compiled: whether this is the run with `torch.compile`.
        records: what was seen, in order.
    """

    def __init__(self, compiled: bool) -> None:
        self.compiled = compiled
        self.records: list[Any] = []
        self.watched: list[Any] = []
        self.told: set[tuple[str, str]] = set()  # warnings

    def compile(self, thing: Any, **options: Any) -> Any:
        """`torch.compile(thing)`, or just the thing."""
        if not self.compiled:
            return thing
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return torch.compile(thing, **options)

    def watch(self, *things: Any) -> None:
        """Look at these too, after each call."""
        self.watched += things

    def see(self, *things: Any) -> None:
        """Write down what these are now."""
        self.records.append(described([*things, self.watched]))

    def __call__(self, fn: Any, *args: Any, **kw: Any) -> Any:
        """Call, write down what happened, and return the result (None after an exception)."""
        result, raised = None, None
        with warnings.catch_warnings(record=True) as told, printed() as text:
            warnings.simplefilter("always")
            try:
                result = fn(*args, **kw)
            except Exception as error:
                raised = self.about(error)
        said = []
        for w in told:
            one = (w.category.__name__, str(w.message))
            # NumPy's, of infinities and the like, are nobody's promise; others are shown once.
            if w.category is not RuntimeWarning and one not in self.told:
                self.told.add(one)
                said += [one] * ("compile" not in one[1])
        self.records.append(
            {
                "raised": raised,
                "printed": text.getvalue(),
                "warned": said,
                "settings": settings(),
                "seen": described([result, args, kw, self.watched]),
            }
        )
        return result

    def about(self, error: BaseException) -> dict[str, Any]:
        """What a program sees of an exception; where it left a test."""
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "/tests/" in f.filename]
        where = [(f.filename, f.lineno) for f in frames if not f.filename.endswith("twins.py")]
        return {
            "class": type(error).__name__,
            "message": words(error),
            "where": where[-1:],
            "because": None if error.__cause__ is None else type(error.__cause__).__name__,
        }


def words(error: BaseException) -> str:
    """The text of an exception. Where it is about a graph, which nodes there are is left out: what
    is compiled may be one of them."""
    text = str(error)
    about_graph = ("second time", "modified by an inplace operation")
    return text.partition("\n")[0] if any(w in text for w in about_graph) else text


@contextlib.contextmanager
def printed() -> Any:
    """What goes to the standard output meanwhile."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield text


def settings() -> dict[str, Any]:
    """What a call may have left behind in the process."""
    state = np.random.get_state()
    return {
        "generator": torch.get_rng_state().numpy().tobytes(),
        "random": hash(random.getstate()),
        "numpy": (state[1].tobytes(), *state[2:]),
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "dtype": str(torch.get_default_dtype()),
        "autocast": torch.is_autocast_enabled("cpu"),
    }


def same(program: Callable[[Twin], None], seed: int = 0) -> list[Any]:
    """Run the program eagerly and compiled and compare; what was written down."""
    found = []
    for compiled in (False, True):
        torch._dynamo.reset()
        random.seed(seed)
        np.random.seed(seed % 2**32)  # NumPy takes no larger one
        torch.manual_seed(seed)
        once._told.clear()  # each twin is told what a process is told once
        twin = Twin(compiled)
        program(twin)
        found.append(twin.records)
    eager, compiled_records = found
    assert eager, "the program has not called anything"
    for k, (a, b) in enumerate(zip(eager, compiled_records, strict=True)):
        different = None if a == b else difference(a, b)
        assert different is None, f"call {k + 1}: {different}"
    return eager


# -- what things are -----------------------------------------------------------------------------


def described(x: Any) -> Any:
    """Everything that a program can see of `x`, as plain values."""
    return Describer().of(x)


class Describer:
    """Names tensors, memory and objects by the order in which they are met."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no id is used twice
        self.memory: dict[int, int] = {}

    def of(self, x: Any) -> Any:
        if x is None or isinstance(x, (bool, int, str, bytes, torch.dtype, torch.device)):
            return (type(x).__name__, str(x))
        if isinstance(x, (float, complex, np.generic)):
            return (type(x).__name__, bits(np.asarray(x)))
        if isinstance(x, (types.FunctionType, types.BuiltinFunctionType, type)) or (
            type(x).__name__ == "Compiled"
        ):
            return ("function", x.__qualname__)
        if isinstance(x, types.MethodType):
            return ("method", x.__func__.__qualname__)
        if isinstance(x, tuple):
            return [type(x).__name__, *map(self.of, x)]
        if id(x) in self.met:
            return ("object", self.met[id(x)])
        self.met[id(x)] = len(self.met)
        self.kept.append(x)
        if isinstance(x, torch.Tensor):
            return self.tensor(x)
        if isinstance(x, np.ndarray):
            return ("ndarray", str(x.dtype), x.shape, bits(x))
        if isinstance(x, dict):
            return [(self.of(k), self.of(v)) for k, v in x.items()]
        if isinstance(x, list):
            return [type(x).__name__, *map(self.of, x)]
        if isinstance(x, (set, frozenset)):
            return [type(x).__name__, *sorted(map(repr, x))]
        if isinstance(x, torch.Generator):
            return ("generator", x.get_state().numpy().tobytes())
        return self.thing(x)

    def tensor(self, x: Any) -> dict[str, Any]:
        found = {
            "class": type(x).__name__,
            "dtype": str(x.dtype),
            "shape": tuple(x.shape),
            "value": bits(x.detach().clone()._a),
            "stride": x.stride(),
            "requires_grad": x.requires_grad,
            "leaf": x.is_leaf,
            "history": x.grad_fn is not None,
            "inference": x.is_inference(),
        }
        if not x.is_inference():
            found["version"] = x._version
        if x.numel():
            where = x.untyped_storage().data_ptr()
            found["memory"] = self.memory.setdefault(where, len(self.memory))
        if x.is_leaf:
            found["grad"] = self.of(x.grad)
        return found

    def thing(self, x: Any) -> Any:
        """A module, an optimiser, or any other object with attributes."""
        if isinstance(x, torch._dynamo.OptimizedModule):
            return self.of(x._orig_mod)
        if isinstance(x, nn.Module):
            own = {k: v for k, v in vars(x).items() if not k.startswith("_")}
            parts = (x._parameters, x._buffers, x._modules, own)
            return [type(x).__name__, *({k: self.of(v) for k, v in d.items()} for d in parts)]
        if isinstance(x, torch.optim.Optimizer):
            return [type(x).__name__, self.of(x.param_groups), self.of(dict(x.state))]
        if hasattr(x, "state_dict") and not isinstance(x, type):
            return [type(x).__name__, self.of(x.state_dict())]
        if dataclasses.is_dataclass(x):
            names = [f.name for f in dataclasses.fields(x)]
            return [type(x).__name__, *((n, self.of(getattr(x, n))) for n in names)]
        if isinstance(x, (Twin, Lab)) or not type(x).__module__.startswith(("tests.", "types")):
            return type(x).__name__  # what is inside is watched, or nobody's business
        return [type(x).__name__, self.of(dict(getattr(x, "__dict__", {})))]


def bits(a: Any) -> bytes:
    """The bytes of an array. One NaN is as good as another: which of two an operation hands on is
    the processor's affair, and neither PyTorch nor IEEE 754 says it."""
    if a.dtype.kind in "fc" and np.isnan(a).any():
        a = np.where(np.isnan(a), a.dtype.type(np.nan), a)
    return a.tobytes()  # type: ignore[no-any-return]


def difference(a: Any, b: Any, path: str = "") -> str | None:
    """Where two descriptions first differ, in words."""
    if isinstance(a, dict) and isinstance(b, dict):
        for k in a.keys() | b.keys():
            if k not in a or k not in b:
                return f"{path}.{k} only {'eagerly' if k in a else 'compiled'}"
        found = (difference(a[k], b[k], f"{path}.{k}") for k in a)
        return next((f for f in found if f), None)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return f"{path}: eagerly {len(a)} entries, {short(a)}, compiled {len(b)}, {short(b)}"
        found = (
            difference(x, y, f"{path}[{k}]") for k, (x, y) in enumerate(zip(a, b, strict=True))
        )
        return next((f for f in found if f), None)
    return None if a == b else f"{path}: eagerly {short(a)}, compiled {short(b)}"


def short(x: Any) -> str:
    if isinstance(x, bytes) and x and len(x) % 4 == 0:
        return f"{np.frombuffer(x, np.float32)[:8]} (as float32)"
    return repr(x)[:300]


# -- what is trained -----------------------------------------------------------------------------


def network(dropout: float = 0.0) -> nn.Module:
    """4 numbers to 2, by way of a hidden layer."""
    layers = [nn.Linear(4, 6), nn.ReLU(), nn.Dropout(dropout), nn.Linear(6, 2)]
    return nn.Sequential(*layers) if dropout else nn.Sequential(*layers[:2], layers[3])


class Lab:
    """A network, its optimiser and its training, one of three parts of it compiled.

    Attributes:
        model, optimizer: they may be changed between calls.
        step: one step of training, by (x, target).
        form: what is compiled: the whole step, the forward pass with the loss, or the module.
    """

    def __init__(
        self, t: Twin, form: str = "step", model: Any = None, optimizer: Any = None, **options: Any
    ) -> None:
        self.t, self.form = t, form
        self.model = model = network() if model is None else model
        if optimizer is None:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        elif isinstance(optimizer, (type, types.FunctionType)):
            optimizer = optimizer(model.parameters(), lr=0.01)
        self.optimizer = optimizer
        t.watch(model, optimizer)

        def whole(x: Any, target: Any) -> Any:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), target)
            loss.backward()
            optimizer.step()
            return loss

        def forward(x: Any, target: Any) -> Any:
            return F.mse_loss(model(x), target)

        compiled = t.compile({"step": whole, "forward": forward, "module": model}[form], **options)

        def around(x: Any, target: Any) -> Any:
            optimizer.zero_grad()
            loss = compiled(x, target) if form == "forward" else F.mse_loss(compiled(x), target)
            loss.backward()
            optimizer.step()
            return loss

        self.compiled = compiled
        self.step = compiled if form == "step" else around

    def batch(self, n: int = 3) -> tuple[Any, Any]:
        """Drawn anew each time."""
        return torch.randn(n, 4), torch.randn(n, 2)

    def __call__(self, times: int = 1, n: int = 3) -> Any:
        """So many steps; the last loss."""
        for _ in range(times):
            loss = self.t(self.step, *self.batch(n))
        return loss
