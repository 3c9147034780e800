"""`inspect.signature` shows names and defaults of every public function, method and class.

Names and order are compared with PyTorch's in `tests/compare/test_signatures.py`.
"""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.ops.core import described
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import registry
from rushlight.ops.core.samples import static
from tests.public_names import callables

AS_PYTORCH = "PyTorch's is open"
ERROR = "a class of errors takes any message"
ABSENT = "nobody can call it: it raises whatever it is given"
PASSED_ON = "what is given is passed on to a function or class of the caller's"

# Open signatures, with the reason.
OPEN = {
    "LinAlgError": ERROR,
    "OutOfMemoryError": ERROR,
    "Tensor": AS_PYTORCH,
    "UntypedStorage": AS_PYTORCH,
    "autograd.GradcheckError": ERROR,
    "cuda.CUDAGraph": ABSENT,
    "cuda.Event": ABSENT,
    "cuda.OutOfMemoryError": ERROR,
    "cuda.graph": ABSENT,
    "distributed.DistBackendError": ERROR,
    "distributed.DistError": ERROR,
    "distributed.DistNetworkError": ERROR,
    "distributed.DistStoreError": ERROR,
    "distributed.QueueEmptyError": ERROR,
    "fx.GraphModule": AS_PYTORCH,
    "fx.ProxyableClassMeta": AS_PYTORCH,
    "hub.load": PASSED_ON,
    "jit.CompilationUnit": ABSENT,
    "jit.Error": ERROR,
    "jit.RecursiveScriptModule": ABSENT,
    "jit.ScriptFunction": ABSENT,
    "jit.ScriptModule": ABSENT,
    "jit.ScriptWarning": ERROR,
    "jit.TopLevelTracedModule": ABSENT,
    "jit.TracedModule": ABSENT,
    "jit.TracerWarning": ERROR,
    "jit.TracingCheckError": ERROR,
    "jit.fork": PASSED_ON,
    "linalg.LinAlgError": ERROR,
    "nested.as_nested_tensor": ABSENT,
    "nested.masked_select": ABSENT,
    "nested.narrow": ABSENT,
    "nested.nested_tensor": ABSENT,
    "nested.nested_tensor_from_jagged": ABSENT,
    "nested.to_padded_tensor": ABSENT,
    "nn.Identity": AS_PYTORCH,
    "nn.LogSigmoid": AS_PYTORCH,
    "nn.Module": AS_PYTORCH,
    "nn.Sigmoid": AS_PYTORCH,
    "nn.Softmax2d": AS_PYTORCH,
    "nn.Softsign": AS_PYTORCH,
    "nn.Tanh": AS_PYTORCH,
    "nn.Tanhshrink": AS_PYTORCH,
    "nn.utils.skip_init": PASSED_ON,
    "overrides.handle_torch_function": PASSED_ON,
    "serialization.CheckpointError": ERROR,
    "serialization.SourceChangeWarning": ERROR,
    "utils.checkpoint.CheckpointError": ERROR,
    "utils.checkpoint.checkpoint": PASSED_ON,
    "utils.data.StackDataset": AS_PYTORCH,
}


def is_open(fn: Any) -> bool:
    """Whether a signature does not say what can be given."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (ValueError, TypeError):
        return True
    kinds = {p.kind for p in found}
    return {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds


def test_no_public_signature_is_open() -> None:
    assert sorted({name for name, fn in callables() if is_open(fn)}) == sorted(OPEN)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("abs", "(input, *, out=None)"),
        ("Tensor.abs", "(self)"),
        ("Tensor.abs_", "(self)"),
        ("add", "(input, other, *, alpha=1, out=None)"),
        ("cat", "(tensors, dim=0, *, out=None)"),
        ("Tensor.transpose", "(self, dim0, dim1)"),
        ("Tensor.clamp", "(self, min=None, max=None)"),
        ("zeros", "(*size, out=None, dtype=None, layout=None, device=None, pin_memory=False, "
         "requires_grad=False)"),
        ("nn.functional.relu", "(input, inplace=False)"),
        ("linalg.norm", "(input, ord=None, dim=None, keepdim=False, *, dtype=None, out=None)"),
        ("special.gammaln", "(input, *, out=None)"),
        ("nn.GRU", "(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, "
         "dropout=0.0, bidirectional=False, device=None, dtype=None)"),
    ],
)  # fmt: skip
def test_signature(name: str, text: str) -> None:
    found: Any = rushlight
    for part in name.split("."):
        found = getattr(found, part)
    shown = inspect.signature(found)
    assert str(shown).split(" -> ")[0].replace("'", "") == text
    assert isinstance(shown, inspect.Signature)


def test_a_bound_method_has_no_self() -> None:
    assert str(inspect.signature(rushlight.ones(2).transpose)) == "(dim0, dim1)"


def test_parameters_are_made_when_asked_for() -> None:
    made = []

    def make(name: str) -> list[inspect.Parameter]:
        made.append(name)
        return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)]

    shown = described.later(make, "x")
    assert made == []
    assert list(shown.parameters) == ["x"]
    assert shown.bind(1).arguments == {"x": 1}
    assert str(shown) == "(x)"
    assert made == ["x"]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shown.nothing  # type: ignore[attr-defined]


def test_functions_pickle_copy_and_wrap_as_before() -> None:
    T = rushlight.Tensor
    functions = rushlight.abs, rushlight.cat, rushlight.nn.functional.relu
    for fn in (*functions, T.abs, T.transpose, T.exp_, T.clamp):
        assert pickle.loads(pickle.dumps(fn)) is fn
        assert copy.deepcopy(fn) is fn
        shown = inspect.signature(fn)
        assert pickle.loads(pickle.dumps(shown)) == shown

        @functools.wraps(fn)
        def wrapper(*args: Any, _fn: Any = fn, **kw: Any) -> Any:
            return _fn(*args, **kw)

        assert inspect.signature(wrapper) == shown


def test_signatures_survive_the_first_call() -> None:
    # functions write their own code when they are first called
    before = str(inspect.signature(rushlight.logaddexp2)), str(inspect.signature(rushlight.vdot))
    x = rushlight.tensor([1.0, 2.0])
    rushlight.logaddexp2(x, x), rushlight.vdot(x, x)
    after = str(inspect.signature(rushlight.logaddexp2)), str(inspect.signature(rushlight.vdot))
    assert after == before


def test_a_method_tells_subclasses_that_it_was_called() -> None:
    told = []

    class Told(rushlight.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            told.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = rushlight.ones(2, 3).as_subclass(Told)
    told.clear()
    x.transpose(0, 1)
    rushlight.transpose(x, 0, 1)
    x.clone()
    rushlight.clone(x)
    T = rushlight.Tensor
    assert told == [T.transpose, rushlight.transpose, T.clone, rushlight.clone]
    assert T.transpose is not rushlight.transpose


def test_sample_calls_fit_the_signatures() -> None:
    # what the generated tests call, an editor must not underline
    wrong = []
    for made in [*registry.values(), *composites.values()]:
        for space in made.public:
            home = rushlight
            for part in () if space == "torch" else space.split("."):
                home = getattr(home, part)
            fn = getattr(home, made.name)
            if isinstance(fn, property):
                continue
            shown = inspect.signature(fn)
            for case in made.samples:
                stars = [p.name for p in shown.parameters.values() if p.kind is p.VAR_POSITIONAL]
                args, kw = case.args, {k: v for k, v in case.kw.items() if k not in stars}
                if getattr(made, "variadic", False) and type(args[0]) is not list:
                    args = (args,)
                try:
                    shown.bind(*args, **kw)
                except TypeError as error:
                    wrong.append(f"{space}.{made.name}{shown}: {args} {kw}: {error}")
    assert not wrong, "\n".join(wrong)


def operand(spec: Any) -> Any:
    """What a sample describes, arrays as tensors."""
    if isinstance(spec, np.ndarray):
        return rushlight.from_numpy(spec.copy())
    if isinstance(spec, list):
        return [operand(s) for s in spec]
    return spec.value if isinstance(spec, static) else spec


# Of which a single number is not the first parameter, but the one behind it.
SHIFTED = ("arange", "randint", "randint_like")


@pytest.mark.filterwarnings("ignore")
def test_parameters_can_be_given_by_the_names_that_are_shown() -> None:
    wrong = []
    rng = np.random.default_rng(0)
    for made in [*registry.values(), *composites.values()]:
        for space in made.public:
            home = rushlight
            for part in () if space == "torch" else space.split("."):
                home = getattr(home, part)
            fn = getattr(home, made.name)
            if isinstance(fn, property) or not made.samples.cases or made.name in SHIFTED:
                continue
            shown = inspect.signature(fn)
            if any(p.kind is p.VAR_POSITIONAL for p in shown.parameters.values()):
                continue
            args, kw = made.samples[0].make(rng)
            args = [operand(a) for a in args]
            if getattr(made, "variadic", False) and type(args[0]) is not list:
                args = [args]
            given = shown.bind(*args, **{k: operand(v) for k, v in kw.items()}).arguments
            first = given.pop("self") if "self" in given else None
            try:
                fn(**given) if first is None else fn(first, **given)
            except TypeError as error:
                wrong.append(f"{space}.{made.name}{shown}: {error}")
    assert not wrong, "\n".join(wrong)
