"""Ctrl-C in the middle of a call leaves nothing behind: the next program gives the bits that it
gave before, and what calls change for their own duration stands as it stood.

Each program is interrupted at some instructions (with `-m long`: at many); where and how is in
`interrupting.py`. Compiled steps: `compiler/test_contract_interrupts.py`.
"""

from __future__ import annotations

import ast
import gc
import inspect
import io
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from rushlight.overrides import TorchFunctionMode

import rushlight as torch
from rushlight import nn, optim  # (loaded late, optim would count as left behind)
from rushlight.autograd import engine
from rushlight.func import functional_call, grad, hessian, jacrev, jvp, vjp, vmap
from rushlight.profiler import profile
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils._pytree import tree_map
from rushlight.utils.checkpoint import checkpoint
from rushlight.utils.data import DataLoader, TensorDataset

from .interrupting import changed, interrupt_at, place, state

# Places in each program of the long run: RUSHLIGHT_TEST_INTERRUPTS=200 for many, in half an hour.
MANY = int(os.environ.get("RUSHLIGHT_TEST_INTERRUPTS", "10"))
# Python swallows, and tells of, what comes in the middle of a finaliser.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PROGRAMS: dict[str, Callable[[], Any]] = {}


def program(fn: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS[fn.__name__] = fn
    return fn


class Wrapper(torch.Tensor):
    elem: Any

    @staticmethod
    def __new__(cls, elem: Any) -> Any:
        made = torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), dtype=elem.dtype, requires_grad=elem.requires_grad
        )
        made.elem = elem
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        def unwrap(e: Any) -> Any:
            return e.elem if isinstance(e, Wrapper) else e

        def wrap(e: Any) -> Any:
            return Wrapper(e) if isinstance(e, torch.Tensor) and type(e) is not Wrapper else e

        return tree_map(wrap, func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {})))


class Named(torch.Tensor):
    """A class with the usual `__torch_function__`."""


class Asked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_function__(func, types, args, kwargs or {})


class Operations(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Functions(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


def leaf(*shape: int) -> Any:
    n = int(np.prod(shape))
    return torch.arange(1.0, n + 1).reshape(shape).div(n).requires_grad_()


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))


KEPT = net()


@program
def arithmetic() -> Any:
    x = torch.arange(6.0).reshape(2, 3)
    y = (x + 1).mul_(2).transpose(0, 1) @ x
    y[0] = 5
    return y.sum(0), torch.cat([x, x]).softmax(1), x.clone().sort(descending=True)[0]


@program
def backward() -> Any:
    x, w = leaf(3, 4), leaf(4, 2)
    y = (x @ w).tanh()
    y.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g + 1)
    (y * y).sum().backward()
    return x.grad, w.grad


@program
def second_derivatives() -> Any:
    x = leaf(3)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    g.sum().backward()
    return g.detach(), x.grad


@program
def custom_function() -> Any:
    x = leaf(3)
    Cube.apply(x).sum().backward()
    return x.grad


@program
def saved_tensor_hooks() -> Any:
    x = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
        y = (x.exp() * x).sum()
    y.backward()
    return x.grad


@program
def grad_modes() -> Any:
    x = leaf(3)
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 2
    with torch.inference_mode():
        c = x * 3
    return a, b.detach(), c.clone()


@program
def anomaly() -> Any:
    x = leaf(3)
    with torch.autograd.detect_anomaly():
        (x.exp() * x).sum().backward()
    return x.grad


@program
def autocast() -> Any:
    x, w = leaf(3, 4), leaf(4, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = (x @ w).float().sum()
    y.backward()
    return y.detach(), x.grad


@program
def vectorized() -> Any:
    x = torch.arange(12.0).reshape(3, 4)
    return vmap(lambda a: (a * a).sum() + a.max())(x), vmap(torch.dot)(x, x)


@program
def functional_gradients() -> Any:
    x = torch.arange(1.0, 4.0)

    def f(x: Any) -> Any:
        return (x**3).sum()

    y, back = vjp(f, x)
    return grad(f)(x), vmap(grad(f))(x.reshape(3, 1)), y, back(torch.ones(()))


@program
def functional_tangents() -> Any:
    x = torch.arange(1.0, 4.0)
    return jvp(lambda x: x.sin() * x, (x,), (torch.ones(3),))


@program
def functional_matrices() -> Any:
    x = torch.arange(1.0, 3.0)
    return jacrev(lambda x: x**2)(x), hessian(lambda x: (x**3).sum())(x)


@program
def forward_mode() -> Any:
    import rushlight.autograd.forward_ad as fwad

    with fwad.dual_level():
        dual = fwad.make_dual(torch.ones(3), torch.arange(3.0))
        return fwad.unpack_dual(dual.exp() * dual).tangent


@program
def functional_module() -> Any:
    m = net()
    params = {k: v.detach() * 2 for k, v in m.named_parameters()}
    return functional_call(m, params, (torch.ones(3, 4),))


@program
def functional_module_kept() -> Any:
    params = {k: v.detach() * 2 for k, v in KEPT.named_parameters()}
    return functional_call(KEPT, params, (torch.ones(3, 4),)), list(KEPT.parameters())


@program
def without_garbage_collection() -> Any:
    with profile() as p:
        torch.ones(3).add(1)
    return len(p.events()) > 0, gc.isenabled()


@program
def explained() -> Any:
    with torch.explain.recording() as session:
        net()(torch.ones(3, 4)).sum().backward()
    return len(session.recording.modules)


@program
def options() -> Any:
    with torch.backends.cudnn.flags(deterministic=True):
        pass
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
        pass
    with nn.utils.parametrize.cached():
        pass
    return [torch.backends.cudnn.deterministic, torch.backends.cuda.flash_sdp_enabled()]


@program
def function_mode() -> Any:
    with Functions():
        x = torch.zeros(3) + 1
        x += 1
    return x.sum()


@program
def dispatch_mode() -> Any:
    x = leaf(3)
    with Operations():
        y = (x * torch.ones(3)).exp().mul(2).add_(1).sum()
        y.backward()
    return x.grad


@program
def default_device() -> Any:
    with torch.device("cpu"):
        return torch.zeros(3) + torch.ones(3)


@program
def wrapper_subclass() -> Any:
    x = Wrapper(torch.arange(1.0, 4.0)).requires_grad_()
    y = (x * 2).exp()
    y.sum().backward()
    return y.elem, x.grad.elem


@program
def wrapper_in_mode() -> Any:
    x = Wrapper(torch.arange(1.0, 4.0))
    with Operations():
        return (x * 2).add_(1).sum().elem


@program
def subclasses() -> Any:
    x, y = torch.ones(3).as_subclass(Named), torch.ones(3).as_subclass(Asked)
    return (x + 1).sum(), torch.exp(y) * 2, torch.cat([y, y])


@program
def modules() -> Any:
    m = net()
    m.register_forward_hook(lambda m, args, out: out * 2)
    m[0].register_full_backward_hook(lambda m, gi, go: None)
    m[1].register_forward_pre_hook(lambda m, args: None)
    m(torch.ones(3, 4)).sum().backward()
    return [p.grad for p in m.parameters()]


@program
def convolutions() -> Any:
    torch.manual_seed(0)
    m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2))
    m(torch.arange(64.0).reshape(1, 1, 8, 8)).sum().backward()
    return [p.grad for p in m.parameters()]


@program
def attention() -> Any:
    torch.manual_seed(0)
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    m(torch.ones(2, 3, 8)).sum().backward()
    with torch.no_grad():
        return m.eval()(torch.ones(2, 3, 8)), nn.LSTM(3, 2)(torch.ones(2, 1, 3))[0].shape


@program
def checkpointed() -> Any:
    x, m = leaf(3, 4), net()
    y = checkpoint(m, x, use_reentrant=False)
    z = checkpoint(m, x, use_reentrant=True)
    (y.sum() + z.sum()).backward()
    return x.grad


@program
def optimizers() -> Any:
    kept = []
    for kind in (optim.Adam, optim.SGD, optim.RMSprop):
        m = net()
        optimizer = kind(m.parameters(), lr=0.1)
        schedule = optim.lr_scheduler.StepLR(optimizer, 1)
        m(torch.ones(3, 4)).sum().backward()
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        kept += [p.detach() for p in m.parameters()]
    return kept


@program
def profiled() -> Any:
    with profile() as p:
        y = (torch.ones(3) * 2).sum()
    return y, len(p.key_averages()) > 0


@program
def loader() -> Any:
    data = TensorDataset(torch.arange(10.0), torch.arange(10))
    torch.manual_seed(0)
    return [b for b, _ in DataLoader(data, batch_size=4, shuffle=True)]


@program
def files() -> Any:
    file = io.BytesIO()
    torch.save(net().state_dict(), file)
    file.seek(0)
    return list(torch.load(file).values())


@program
def random_numbers() -> Any:
    torch.manual_seed(5)
    with torch.random.fork_rng():
        torch.rand(3)
    return torch.rand(3), torch.randn(4), torch.randperm(5), nn.functional.dropout(torch.ones(4))


@program
def clones() -> Any:
    x = torch.arange(40000.0)
    y = x.clone()
    x.add_(1)
    return y[:3], x[:3], y.add_(1)[:3]


@program
def shown() -> Any:
    return repr(torch.arange(6.0).reshape(2, 3)), repr(net())


@program
def parametrized() -> Any:
    m = nn.utils.parametrizations.weight_norm(net()[0])
    with nn.utils.parametrize.cached():
        return m(torch.ones(3, 4)).sum().detach()


@program
def traced() -> Any:
    return torch.fx.symbolic_trace(net())(torch.ones(3, 4)).detach()


@program
def deterministic() -> Any:
    torch.use_deterministic_algorithms(True)
    try:
        return torch.zeros(3).index_add_(0, torch.tensor([0, 0]), torch.ones(2))
    finally:
        torch.use_deterministic_algorithms(False)


@program
def compiled() -> Any:
    m = net()
    optimizer = optim.SGD(m.parameters(), lr=0.1)

    @torch.compile
    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = m(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return [step(torch.ones(2, 4)).detach() for _ in range(3)]


def bits(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.dtype, tuple(value.shape), value.detach().numpy().tobytes()
    if isinstance(value, (list, tuple)):
        return [bits(v) for v in value]
    return value


def settled(name: str) -> tuple[int, Any]:
    """A program that has run, so that what is made once is there: its instructions and bits."""
    run = PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            right = bits(run())
        total, _ = interrupt_at(-1, run)
    return total, right


def look(name: str, right: Any, at: int, before: dict[Any, Any]) -> tuple[str, Any, list[str]]:
    """Interrupt a program; where it was, the state now, and what is wrong with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, error = interrupt_at(at, PROGRAMS[name])
        wrong = changed(before, state())  # while the exception lives, as it does in a notebook
        where = "not interrupted" if error is None else place(error)
        del error
        try:
            if bits(PROGRAMS[name]()) != right:
                wrong.append("other bits")
        except Exception as failed:
            wrong.append(f"the program fails: {type(failed).__name__}: {failed}"[:200])
        after = state()
        wrong += [w + " (later)" for w in changed(before, after) if w not in wrong]
    return where, after, wrong


def check(name: str, rng: Any, points: int) -> None:
    total, right = settled(name)
    before = state()
    for at in sorted(rng.integers(1, total + 1, points).tolist()):
        where, before, wrong = look(name, right, at, before)
        assert not wrong, f"instruction {at} of {total}, in {where}"


# Programs that are looked at in every run; all are, at many places, by the long tests.
USUAL = (
    "subclasses", "optimizers", "modules", "grad_modes", "attention", "traced",
    *(pytest.param(name, marks=pytest.mark.slow)
      for name in ("wrapper_in_mode", "compiled", "explained", "deterministic")),
)  # fmt: skip


@pytest.mark.parametrize("name", USUAL)
def test_a_call_that_is_interrupted_leaves_nothing_behind(name: str, rng: Any) -> None:
    check(name, rng, 8)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_at_many_places(name: str, rng: Any) -> None:
    check(name, rng, MANY)


# -- the first call of a process -----------------------------------------------------------------


def in_child(fn: Callable[[], Any]) -> Any:
    """What `fn` gives in a copy of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        try:
            told = fn()
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"[:500]
        with os.fdopen(write, "wb") as file:
            pickle.dump(told, file)
            file.flush()
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        data = file.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else "the process died"


def cold(name: str, points: int, seed: int) -> list[str]:
    """Interrupt a program that nothing has run before, and run it again; what goes wrong."""
    run = PROGRAMS[name]
    total, right = in_child(lambda: (interrupt_at(-1, run)[0], bits(run())))

    def look(at: int) -> str:
        error = interrupt_at(at, run)[1]
        where = "" if error is None else place(error)
        try:
            return "" if bits(run()) == right else f"other bits: {where}"
        except Exception as failed:
            return f"{type(failed).__name__}: {failed}: {where}"[:500]

    found = []
    for at in sorted(np.random.default_rng(seed).integers(1, total + 1, points).tolist()):
        wrong = in_child(lambda at=at: look(at))  # type: ignore[misc]
        if wrong:
            found.append(f"{name}, instruction {at} of {total}: {wrong}")
    return found


def serve() -> None:
    """Programs of the standard input, a line each, in copies of this process, which runs none."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        name, points, seed = line.split()
        print(cold(name, int(points), int(seed)), flush=True)


@pytest.fixture(scope="module")
def fresh() -> Iterator[Any]:
    """A process that has imported the package and run nothing. All tests use this one: importing
    takes as long as what most of them do."""
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process  # whose input ends with the block
    assert process.returncode == 0


def check_cold(fresh: Any, name: str, points: int, rng: Any) -> None:
    print(name, points, int(rng.integers(2**31)), file=fresh.stdin, flush=True)
    assert fresh.stdout.readline() == "[]\n"


# Programs whose first call is looked at in every run.
COLD = ("wrapper_subclass", "dispatch_mode", "compiled")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("name", COLD)
@pytest.mark.slow
def test_the_first_call_of_a_process(name: str, fresh: Any, rng: Any) -> None:
    check_cold(fresh, name, 4, rng)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_call_at_many_places(name: str, fresh: Any, rng: Any) -> None:
    check_cold(fresh, name, MANY // 5, rng)


if __name__ == "__main__":
    serve()


# Functions whose `try` puts back what holds for the whole process or thread, or a user's state.
GUARDED = (engine.run, engine.run_callbacks, nn.Module.load_state_dict)


@pytest.mark.parametrize("fn", GUARDED, ids=lambda fn: fn.__qualname__)
def test_no_loop_stands_in_a_try_that_puts_state_back(fn: Any) -> None:
    """Python 3.12 and later: what is raised where such a loop goes back passes by its end."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(fn))))
    tries = [node for node in ast.walk(tree) if isinstance(node, ast.Try)]
    assert tries
    assert not [line for node in tries for line in loops(node)]


def loops(node: ast.AST) -> list[int]:
    """The lines of loops in a block; a function in it has a range of its own."""
    found = [node.lineno] if isinstance(node, (ast.For, ast.While)) else []
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            found += loops(child)
    return found
