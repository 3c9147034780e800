"""What the comparisons with PyTorch share: both run on the same arrays, all results compared."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight

SEEDS = ("cuda", "xpu", "mtia")  # of devices that a seed is kept for until they are used


@pytest.fixture(scope="session", autouse=True)
def no_seeds_of_absent_devices() -> None:
    """`torch.manual_seed` keeps a text of the whole stack for each kind of device that is not
    there, which was a third of the time of tests that seed before each call."""
    torch = sys.modules.get("torch")
    for name in SEEDS if torch is not None else ():
        device = getattr(torch, name)
        if not device.is_available():
            device.manual_seed_all = lambda seed: None


def _tensors(result: Any) -> list[Any]:
    """The tensors of a result, one level of tuples deep."""
    if isinstance(result, (tuple, list)):
        return [t for r in result for t in _tensors(r)]
    return [] if result is None else [result]


def _array(t: Any) -> np.ndarray:
    return np.asarray(t.detach().numpy(force=True))


@pytest.fixture
def same(rng: np.random.Generator) -> Callable[..., Any]:
    """`same(ours, theirs, *args, order=1, rtol=..., **kw)`.

    Arrays among `args` become tensors (floats with gradients unless named in `fixed`); both
    functions are called with them. Values, first gradients and with `order=2` the gradients of
    the gradients must agree.
    """
    torch = pytest.importorskip("torch")

    def check(
        ours: Any,
        theirs: Any,
        *args: Any,
        order: int = 1,
        fixed: tuple[int, ...] = (),
        rtol: float = 1e-6,
        atol: float = 1e-8,
        seed: int | None = None,
        **kw: Any,
    ) -> Any:
        def run(lib: Any, fn: Any) -> tuple[list[Any], list[Any]]:
            tensors: dict[int, Any] = {}
            own = []
            for i, a in enumerate(args):
                if isinstance(a, np.ndarray):
                    t = lib.from_numpy(np.array(a))
                    if a.dtype.kind == "f" and i not in fixed and order:
                        t.requires_grad_()
                        tensors[i] = t
                    own.append(t)
                else:
                    own.append(a)
            named = {
                k: lib.from_numpy(np.array(v)) if isinstance(v, np.ndarray) else v
                for k, v in kw.items()
            }
            if seed is not None:
                lib.manual_seed(seed)
            return _tensors(fn(*own, **named)), list(tensors.values())

        (y1, x1), (y2, x2) = run(rushlight, ours), run(torch, theirs)
        assert len(y1) == len(y2)
        for a, b in zip(y1, y2, strict=True):
            assert str(a.dtype).split(".")[-1] == str(b.dtype).split(".")[-1]
            np.testing.assert_allclose(_array(a), _array(b), rtol=rtol, atol=atol)
        if not order:
            return y1[0]
        g = [rng.standard_normal(tuple(b.shape)) for b in y2]

        def gradients(lib: Any, ys: list[Any], xs: list[Any]) -> list[Any]:
            some = [(y, a) for y, a in zip(ys, g, strict=True) if y.requires_grad]
            return lib.autograd.grad(
                [y for y, _ in some],
                xs,
                [lib.from_numpy(np.asarray(a)).to(y.dtype) for y, a in some],
                allow_unused=True,
                create_graph=order == 2,
            )

        g1, g2 = gradients(rushlight, y1, x1), gradients(torch, y2, x2)
        compare(g1, g2, rtol, atol)
        if order == 2:
            v = [None if b is None else rng.standard_normal(tuple(b.shape)) for b in g2]

            def second(lib: Any, gs: list[Any], xs: list[Any]) -> list[Any]:
                total = sum(
                    (t * lib.from_numpy(np.asarray(a)).to(t.dtype)).sum()
                    for t, a in zip(gs, v, strict=True)
                    if t is not None
                )
                if not total.requires_grad:
                    return [None] * len(xs)
                return lib.autograd.grad(total, xs, allow_unused=True)

            compare(second(rushlight, g1, x1), second(torch, g2, x2), rtol * 10, atol * 10)
        return y1[0]

    def compare(ours: Any, theirs: Any, rtol: float, atol: float) -> None:
        for a, b in zip(ours, theirs, strict=True):
            if a is None or b is None:
                for t in (a, b):
                    assert t is None or not _array(t).any()
            else:
                np.testing.assert_allclose(_array(a), _array(b), rtol=rtol, atol=atol)

    return check


@pytest.fixture
def same_error() -> Callable[..., None]:
    """`same_error(ours, theirs, words)`: both raise, the same class, with the same words."""
    pytest.importorskip("torch")

    def check(ours: Any, theirs: Any, words: str) -> None:
        with pytest.raises(Exception, match=words) as b:
            theirs()
        with pytest.raises(Exception, match=words) as a:
            ours()
        assert isinstance(a.value, b.type), (a.type, b.type)

    return check


@pytest.fixture(scope="session")
def compare_op() -> Callable[..., Any]:
    """`check(name, dtype)` of `op_tables.py`: one op on the samples of PyTorch's operator
    tables."""
    pytest.importorskip("torch")
    name = "rushlight_test_op_tables"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, Path(__file__).with_name("op_tables.py")
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name].check


# -- programs that log -------------------------------------------------------------------------

NAMES = {"rushlight.nn.containers": "torch.nn.modules.container", "rushlight": "torch"}


def plain(value: Any) -> Any:
    """Tensors as arrays, errors as class and first line of text, anything unknown as its repr."""
    if hasattr(value, "detach"):
        return tuple(value.shape), value.detach().numpy().astype(float)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, Exception):
        value = f"{type(value).__name__}: {value}".split("\n")[0]
    elif not isinstance(value, (str, int, float, bool, type(None))):
        value = repr(value)
    if isinstance(value, str):
        for mine, theirs in NAMES.items():
            value = value.replace(mine, theirs)
    return value


def run(library: Any, fn: Any) -> list[Any]:
    lines: list[Any] = []
    library.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # This hides the filter that keeps NumPy's warnings of numbers quiet (decision 0010).
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"rushlight(\.|$)")
        fn(library, lambda *values: lines.append([plain(v) for v in values]))
    return [*lines, ["warnings", *map(name_of, caught)]]


def name_of(warning: warnings.WarningMessage) -> str:
    """Its class; all of what NumPy says, which has no counterpart in PyTorch."""
    ours = warning.category is RuntimeWarning
    return str(warning) if ours else warning.category.__name__


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, np.ndarray):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), (a, b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            assert_same(a[k], b[k])
    else:
        assert a == b


@pytest.fixture
def same_log() -> Callable[[Any], None]:
    """Call it with a program ``fn(library, log)``."""
    torch = pytest.importorskip("torch")

    def check(fn: Any) -> None:
        mine, theirs = run(rushlight, fn), run(torch, fn)
        for a, b in zip(mine, theirs, strict=False):
            assert_same(a, b)
        assert len(mine) == len(theirs)

    return check


# -- torchvision -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def torchvision() -> Any:
    """torchvision. Where its compiled operators do not fit PyTorch, its Python parts still work,
    once the operators that they mention on import are declared."""
    torch = pytest.importorskip("torch")
    if importlib.util.find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed")
    try:
        return importlib.import_module("torchvision")
    except (ImportError, RuntimeError):
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
    library = torch.library.Library("torchvision", "FRAGMENT")
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _kept.append(library)
    return importlib.import_module("torchvision")


_kept: list[Any] = []  # a library that is collected takes its operators with it


@pytest.fixture(autouse=True)
def _pytorch_as_users_have_it() -> None:
    """PyTorch's own test tables, once imported, forbid global flags and stop checking arguments of
    distributions; undo both."""
    torch = pytest.importorskip("torch")
    flags = torch.backends.flags_frozen.__globals__  # of the module behind the one in sys.modules
    flags["__allow_nonbracketed_mutation_flag"] = True
    torch.distributions.Distribution.set_default_validate_args(True)
