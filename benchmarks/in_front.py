"""Python in front of a kernel: microseconds a call with the kernels taken out.

    python -m benchmarks.in_front            the table; --profile NAME: where the time goes

Every kernel is a built-in function that `builtin.function` makes of machine code, or, with its
neighbours in a plan, `builtin.bound`. In a process of its own, before anything is computed, these
are made to give one that returns at once: it does not look at its arguments and writes nothing. So
all is measured that a call costs beside its kernel: the public function, the door, the choice of
the kernel, the memory of the result, the node, the engine's share, the passing of arguments, and
what NumPy computes beside the kernel; that is why the sizes are small, though large enough that
kernels are taken. Results are whatever was in memory; nobody looks at them. The pool of threads and
the memory stay as they are.

Forward: one call on tensors that require gradients, the node included. Backward: `autograd.grad` of
ten independent calls, a tenth of it, so that the fixed cost of entering the engine (which a network
pays once a step) counts a tenth. There is no PyTorch to compare with: the limits are microseconds.

Not here: the small layers as they are, beside PyTorch's (`small.py`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from .rows import Call, Row

TIMES = 10  # calls whose gradients are computed together
AT_MOST, AIM = 5.0, 2.5  # microseconds
KEPT = ("pool_", "memory_")  # beginnings of names of what is no kernel: threads, memory


def take_out() -> list[str]:
    """From now on kernels do nothing; their names are entered into the list as they are made."""
    from rushlight.kernels.runtime import builtin, calls, few, jit, object_code

    if not jit.available():
        raise RuntimeError("no machine code here, so there is no kernel to take out")
    real, real_bound, names = builtin.function, builtin.bound, []
    small_steps = few.exports()

    def kept(name: str) -> bool:
        """Whether a function is no kernel: of `few.py`, or of the files that say in Python what
        their machine code does."""
        return name.startswith(KEPT) or name in small_steps or name in object_code.exported

    def function(address: int, name: str, doc: str = "") -> Any:
        if kept(name):
            return real(address, name, doc)
        names.append(name)
        arguments = [line.split(":")[0].strip() for line in doc.splitlines()[2:]]
        status = arguments.index("status") if "status" in arguments else None
        return real(nothing(status), name, doc)

    def bound(address: int, name: str, table: Any, arguments: Any, doc: str = "") -> Any:
        if kept(name):
            return real_bound(address, name, table, arguments, doc)
        names.append(name)
        status = arguments.index("status") if "status" in arguments else None
        if address != calls.address():
            return real(nothing(status), name)
        leave_out(table, status)
        return real_bound(address, name, table, arguments, doc)

    builtin.function, builtin.bound = function, bound
    return names


def leave_out(table: Any, status: int | None) -> None:
    """Let a call of these words (`runtime/calls.py`) do all but call its kernels. With `status`,
    the number of a thing, something else writes there that all went well."""
    from rushlight.kernels.runtime import calls

    head = dict(zip(calls.HEAD, map(int, table), strict=False))
    patches = len(calls.HEAD) + 4 * head["outputs"] + head["returned"]
    count = sum(head[kind] for kind in ("arrays", "optional", "ints", "floats"))
    table[calls.HEAD.index("kernels")] = int(status is not None)
    if status is not None:
        things, _, words = table[patches : patches + 3 * count].reshape(count, 3).T
        word = int(words[list(things).index(status)])
        table[patches + 3 * count : patches + 3 * count + 2] = fine(word), 0


def fine(word: int) -> int:
    """Where the machine code is of a kernel that writes two zeros to the address in a word."""
    from rushlight.kernels.codegen import ir
    from rushlight.kernels.runtime import jit

    def build() -> Any:
        module = ir.Module("fine")
        f = module.function("call", None, [("words", ir.PTR)])
        told = f.args["words"].of(ir.PTR)[word].of(ir.I64)
        told[0], told[1] = f.const(ir.I64, 0), f.const(ir.I64, 0)
        f.ret()
        return module

    return jit.load(("fine", word), build, ["call"])["call"]


def nothing(status: int | None) -> int:
    """Where the machine code is of a function that returns at once. With `status`, the number of an
    argument, an array of two i64: it says there that all went well."""
    from rushlight.kernels.codegen import ir
    from rushlight.kernels.runtime import builtin, jit

    def build() -> Any:
        module = ir.Module("nothing")
        builtin.declare_python(module)
        given = [("self", ir.PTR), ("args", ir.PTR), ("nargs", ir.I64)]
        f = module.function("call", ir.PTR, given)
        if status is not None:
            told = builtin.field(f, f.args["args"].of(ir.PTR)[status], builtin.DATA).of(ir.I64)
            told[0], told[1] = f.const(ir.I64, 0), f.const(ir.I64, 0)
        none = ir.Value(f, ir.PTR, "@Py_None")
        f.call("Py_IncRef", None, [none])
        f.ret(none)
        return module

    return jit.load(("nothing", status), build, ["call"], builtin.symbols())["call"]


# -- the calls -----------------------------------------------------------------------------------

Case = tuple[Callable[..., Any], list[tuple[int, ...]]]  # the call, the shapes of its operands


def conv2d(torch: Any) -> Case:
    f = torch.nn.functional.conv2d
    return lambda x, w, b: f(x, w, b, padding=1), [(8, 16, 14, 14), (16, 16, 3, 3), (16,)]


def linear(torch: Any) -> Case:
    return torch.nn.functional.linear, [(64, 128), (128, 128), (128,)]


def batch_norm(torch: Any) -> Case:
    f, mean, var = torch.nn.functional.batch_norm, torch.zeros(16), torch.ones(16)
    return lambda x, w, b: f(x, mean, var, w, b, True), [(8, 16, 14, 14), (16,), (16,)]


def layer_norm(torch: Any) -> Case:
    f = torch.nn.functional.layer_norm
    return lambda x, w, b: f(x, (128,), w, b), [(64, 128), (128,), (128,)]


def attention(torch: Any) -> Case:
    f = torch.nn.functional.scaled_dot_product_attention
    return lambda q, k, v: f(q, k, v, is_causal=True), [(2, 4, 32, 32)] * 3


def max_pool2d(torch: Any) -> Case:
    f = torch.nn.functional.max_pool2d
    return lambda x: f(x, 2), [(8, 16, 14, 14)]


def cross_entropy(torch: Any) -> Case:
    f, target = torch.nn.functional.cross_entropy, torch.zeros(64, dtype=torch.long)
    return lambda x: f(x, target), [(64, 100)]


CASES = (conv2d, linear, batch_norm, layer_norm, attention, max_pool2d, cross_entropy)


def forward(case: Callable[[Any], Case]) -> Callable[..., Call]:
    def make(torch: Any) -> Call:
        f, shapes = case(torch)
        operands = [torch.ones(*s).requires_grad_() for s in shapes]

        def call() -> None:
            f(*operands)

        return call

    return make


def backward(case: Callable[[Any], Case]) -> Callable[..., Call]:
    def make(torch: Any) -> Call:
        f, shapes = case(torch)
        operands = [[torch.ones(*s).requires_grad_() for s in shapes] for _ in range(TIMES)]
        results = [f(*given) for given in operands]
        leaves = [x for given in operands for x in given]
        ones = [torch.ones_like(y.detach()) for y in results]

        def call() -> None:
            for x in leaves:  # as zero_grad does in a training step; part of the figure
                x.grad = None
            torch.autograd.backward(results, ones, retain_graph=True)

        return call

    return make


def rows() -> Iterator[Row]:
    """The rows of the table: each call, and each call's gradients."""
    for case in CASES:
        name, title = f"front_{case.__name__}", f"Python in front of {case.__name__}"
        yield Row(name, title, forward(case), AT_MOST, AIM, in_front=True)
        yield Row(
            f"{name}_grad", f"{title}, backward", backward(case), AT_MOST, AIM,
            in_front=True, repeats=TIMES,
        )  # fmt: skip


def main() -> None:
    import rushlight

    from .peers import measure  # here: it has the rows of this file

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--profile", metavar="NAME", help="a row: where its time goes")
    only = parser.parse_args().profile
    names = take_out()
    rushlight.set_num_threads(1)
    for row in rows():
        if only not in (None, row.name):
            continue
        names.clear()
        call = row.make(rushlight)
        if only:
            profile(call, row.repeats)
        seconds = measure(call, 0.5) / row.repeats
        print(f"{row.title:45}{seconds * 1e6:7.2f} µs   kernels made: {', '.join(names) or '-'}")


def profile(call: Call, repeats: int, number: int = 2000) -> None:
    import cProfile

    from .report import where_time_goes

    call()
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(number // repeats):
        call()
    profiler.disable()
    print(where_time_goes(profiler, number))


if __name__ == "__main__":
    main()
