"""`show(op)`: what an op record says, the plan of a call, and the machine code of its kernels.

The machine is glass. A function that is made of other ops is called, and its ops are shown.
Not here: what a plan is (`kernels/plan.py`), which one a family makes (its `select.py`).
"""

from __future__ import annotations

import difflib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from .autograd import observe
from .autograd.grad_mode import no_grad
from .autograd.node import TensorBase
from .kernels.codegen.expr import Expr, Trace
from .kernels.launch import Launch, Reference, Series
from .kernels.meta import MetaArray
from .kernels.plan import Plan, nbytes
from .ops.core.composite import Composite, composites
from .ops.core.numerics import meta_of
from .ops.core.record import Op, registry


def find(what: Any) -> Op:
    """The record behind a name, an op, or a public function."""
    if isinstance(what, Op):
        return what
    if isinstance(what, str):
        for name in (what, what.removeprefix("torch."), what.split(".")[-1]):
            for op in registry.values():
                if name in (op.name, *op.aliases):
                    return op
    found = getattr(what, "op", None)
    if isinstance(found, Op):
        return found
    name = what if isinstance(what, str) else getattr(what, "__name__", repr(what))
    name = str(name).split(".")[-1]
    # a function whose record has other arguments, such as torch.add with its alpha; the in-place
    # form of a record
    for known_as in (name, name.removesuffix("_")):
        if known_as in registry:
            return registry[known_as]
    known = {*registry, *(c.name for c in composites.values())}
    near = [n for n in difflib.get_close_matches(name, known, 8) if not n.startswith("_")]
    raise ValueError(
        f"no op is called {name!r}" + (f"\n  try     {', '.join(near)}" if near else "")
    )


def is_called_as(what: Any) -> bool:
    """Whether a record has that very name, and may be called without naming all parameters."""
    try:
        op = find(what)
    except ValueError:
        return False
    name = what if isinstance(what, str) else getattr(what, "__name__", op.name)
    same = name.endswith("_") == op.name.endswith("_")
    return same and inspect.Parameter.empty not in op.defaults.values()


def find_composite(what: Any) -> Composite | None:
    """The function made of other ops behind a public name, or a public function."""
    if isinstance(what, str):
        name = what.split(".")[-1]
        named = [c for c in composites.values() if name in (c.name, *c.aliases)]
        exact = [c for c in named if f"{c.public[0] if c.public else ''}.{c.name}" in what]
        return next(iter(exact or named), None)
    return next((c for c in composites.values() if written(c.fn) is written(what)), None)


def written(fn: Any) -> Any:
    """The function as it is written, behind what asks subclasses first, or of a property."""
    fn = getattr(fn, "fget", fn)
    return inspect.unwrap(fn) if callable(fn) else fn


def source(fn: Callable[..., Any]) -> str:
    try:
        text = inspect.getsource(fn)
    except (OSError, TypeError):
        return repr(fn)
    if text.lstrip().startswith(("@", "def ")):
        return textwrap.dedent(text).strip()
    return inspect.cleandoc(text).strip().rstrip(",")


def formula(op: Op) -> str | None:
    """The formula of an elementwise op, as an expression of its inputs."""
    trace = Trace()
    if op.numerics.combine is not None:
        combined = op.numerics.combine(trace.variable("a"), trace.variable("b"))
        return f"{combined}, starting from {op.numerics.identity}"
    if op.kind != "elementwise" or op.ufunc is not None:
        return None
    try:
        return repr(op.formula(*[trace.variable(n) for n in op.inputs]))
    except (TypeError, AttributeError):  # written with array functions
        return None


LOW = {  # what happens with types below float32
    "compute": "computed in float32",
    "own": "computed in float32, by the function itself",
    "inside": "taken as they are and computed in float32",
    "keep": "moved as they are",
}


def describe(op: Op) -> str:
    """What a record says."""
    lines = [
        f"{op.name}  ({op.kind}; declared at {op.declared[0]}:{op.declared[1]})",
        f"  {(op.__doc__ or '').strip().splitlines()[0] if op.__doc__ else ''}",
        f"  inputs      {', '.join([*op.inputs, '*tensors'] if op.variadic else op.inputs)}",
        f"  parameters  {', '.join(op.defaults) or 'none'}",
        f"  types       promote={op.promote}; narrower than float32: {LOW[op.numerics.low]}",
        f"  result      {'view of the first input' if op.view else 'new memory'}; node "
        f"{op.node_name}",
        f"  public      {', '.join(op.public) or 'no'}"
        + (f"; in-place {op.name}_" if op.inplace and op.public else ""),
    ]
    text = formula(op)
    if text:
        lines.append(f"  formula     {text}")
    rules = op.get_rules()
    if rules is None:
        lines.append("  derivative  none")
    elif hasattr(rules[0], "formula"):
        lines.append("  derivative  derived from the formula:")
        for name, rule in zip(op.inputs, rules, strict=True):
            root = rule.formula
            lines.append(f"    {name}: {root if isinstance(root, Expr) else 0}")
    else:
        lines.append(
            "  derivative  " + ("one rule for all inputs" if op.joint_rule else "one rule an input")
        )
        for k, rule in enumerate(rules):
            keeps = op.keeps(k, len(op.inputs))
            names = ["y", *op.inputs]
            kept = [n for n, keep in zip(names, keeps, strict=False) if keep]
            text = source(rule) if rule is not None else "none"
            lines.append(f"    keeps {', '.join(kept) or 'nothing'}")
            lines += ["      " + line for line in text.splitlines()[:12]]
            if op.joint_rule or (
                "\n" not in text and "lambda" in text and text.count("lambda") > 1
            ):
                break
    return "\n".join(lines)


def describe_composite(made: Composite) -> str:
    """What there is to say of a function that is made of other ops."""
    fn = written(made.fn)
    code = fn.__code__
    return "\n".join([
        f"{made.name}  (made of other ops; written at {code.co_filename}:{code.co_firstlineno})",
        f"  {(made.fn.__doc__ or '').strip().partition(chr(10))[0]}",
        f"  parameters  {', '.join(inspect.signature(fn).parameters)}",
        f"  public      {', '.join(made.public)}",
        "  derivative  those of its ops",
    ])  # fmt: skip


# -- a call ----------------------------------------------------------------------------------------

MOST_LINES = 400  # of a function's code that are printed


def plan_of(op: Op, arrays: tuple[Any, ...], kw: dict[str, Any]) -> Plan:
    """The plan of a call: what the record states, or a formula's, or one launch of its function."""
    if op.plan is not None:
        return op.plan(*arrays, **kw)  # type: ignore[no-any-return]
    if op.kind == "elementwise":
        try:
            return op.fn.planned.plan(*arrays, **kw)  # type: ignore[attr-defined,no-any-return]
        except TypeError:  # an operand that no plan knows
            pass
    return one_launch(op, arrays, kw)


def one_launch(op: Op, arrays: tuple[Any, ...], kw: dict[str, Any]) -> Plan:
    """The plan of a record that states none: its array function, with the outputs of its shape
    rule."""
    few = op.variadic or len(op.inputs) < len(arrays)
    names = [f"x{k}" for k in range(len(arrays))] if few else op.inputs[: len(arrays)]
    metas = [a if isinstance(a, MetaArray) or a is None else meta_of(np.asarray(a)) for a in arrays]
    results: list[Any] = []
    if not op.numerics.data_dependent:  # then the numbers in its operands say what comes out
        with np.errstate(all="ignore"):
            found = op.infer(list(metas), kw)
        results = list(found) if isinstance(found, tuple) else [found]
    count = len(results) or op.outputs
    returns = ["y"] if count == 1 else [f"y{k}" for k in range(count)]
    launch = Reference(op.fn, names, returns, **kw)
    return Plan(
        f"{op.name}.function", names, dict(zip(returns, results, strict=False)), [launch],
        returns=returns, flops=None, bytes=nbytes(*metas, *results),
    )  # fmt: skip


def computed(op: Op, inputs: tuple[Any, ...], kw: dict[str, Any]) -> list[str]:
    """How a call of an op is computed, with the code of its kernels, as lines of text."""
    arrays = tuple(t._a if isinstance(t, TensorBase) else t for t in inputs)
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        arrays = tuple(t._a if isinstance(t, TensorBase) else t for t in inputs[0])
    plan = plan_of(op, arrays, {**op.defaults, **kw})
    kernels: list[Launch] = []
    for launch in plan.launches:
        if isinstance(launch, (Launch, Series)):
            kernels += launch.launches if isinstance(launch, Series) else [launch]
    lines = [what_computes(op, plan, kernels, arrays), *plan.describe().splitlines()]
    for kernel in dict.fromkeys(launch.kernel for launch in kernels):
        lines += ["", *code_of(kernel)]
    return lines


def ops_of(made: Composite, inputs: tuple[Any, ...], kw: dict[str, Any]) -> list[str]:
    """The ops that a call of a composite performs, each with its plan, as lines of text."""
    seen: list[tuple[Any, Any, dict[str, Any]]] = []
    with no_grad(), observe.observing(lambda op, arrays, kw, _: seen.append((op, arrays, kw))):
        getattr(made.fn, "fget", made.fn)(*inputs, **kw)  # of a property, what it computes
    lines = []
    for op, arrays, given in seen:
        lines.append(op.name)
        if isinstance(op, Op):
            lines[-1] += f"  (declared at {op.declared[0]}:{op.declared[1]})"
            lines += ["  " + x for x in plan_of(op, tuple(arrays), given).describe().splitlines()]
    names = dict.fromkeys(op.name for op, _, _ in seen if isinstance(op, Op))
    if names:
        lines.append("the code of a kernel: " + ", ".join(f"show({n!r}, …)" for n in names))
    return lines


def what_computes(op: Op, plan: Plan, kernels: list[Launch], arrays: tuple[Any, ...]) -> str:
    """The first line: by what a call is computed."""
    if kernels:
        work = dict(kernels[0].fields())
        if len(plan.launches) == 1 and {"chunks", "each"} <= set(work):
            chunks = f"{work['chunks']} chunks of {work['each']} elements"
            return f"machine code: one pass, {chunks}"
        native = sum(isinstance(launch, (Launch, Series)) for launch in plan.launches)
        return f"machine code: {native} of {len(plan.launches)} launches"
    if op.kind != "elementwise":
        return f"array function {op.fn.__name__} of {op.fn.__module__}"
    size = max((a.size for a in arrays if hasattr(a, "size")), default=0)
    least = op.fn.planned.least()  # type: ignore[attr-defined]
    if size < least:
        return f"NumPy: {size} elements, a kernel from {least} on"
    return "NumPy: these types or layouts, or this formula, have no kernel"


def code_of(kernel: Any) -> list[str]:
    """The LLVM code of what a kernel does with a chunk, and what the CPU will run."""
    from .kernels.runtime import jit

    module = kernel.build()
    chunks = [f for f in module.functions if f.name == "chunk"] or module.functions[:1]
    lines = [f"kernel {kernel.interface.name}", *kernel.interface.documentation().splitlines()[2:]]
    assembly = jit.assembly(module.text(jit.target().stores_masked)).splitlines()
    for function in chunks:
        splat = re.sub(r"<((\w+ [\w.]+)(?:, \2)+)>", r"splat (\2)", function.text())  # for people
        lines += ["", *shortened(splat.splitlines())]
        if f"{function.name}:" in assembly:
            lines += ["", *shortened(function_of(assembly, function.name))]
    return lines


def function_of(assembly: list[str], name: str) -> list[str]:
    """The lines of one function of a module."""
    start = assembly.index(f"{name}:")
    end = next(i for i in range(start, len(assembly)) if assembly[i].startswith(".Lfunc_end"))
    lines = assembly[start:end]
    return [line for line in lines if not line.strip().startswith((".cfi", ".p2align"))]


def shortened(lines: list[str]) -> list[str]:
    """The first lines of a long function."""
    left = len(lines) - MOST_LINES
    return lines if left <= 0 else [*lines[:MOST_LINES], f"... {left} lines more"]


def show(op: Any, *inputs: Any, **parameters: Any) -> None:
    """Print an op's record: formula, derivative, what it keeps, where it is declared.

    With example inputs it also prints the plan of that call, without computing it: outputs,
    workspace, FLOPs and bytes, and its launches with all their arguments by name; then the LLVM
    code and the assembly of their kernels. A function that is made of other ops, such as conv2d,
    is called with the inputs, and the ops that it performs are printed with their plans.

    Raises:
        ValueError: nothing is called so.

    >>> import rushlight as torch
    >>> torch.show(torch.sigmoid)  # doctest: +ELLIPSIS
    sigmoid  (elementwise; declared at ...
    """
    made = find_composite(op)
    if made is not None and not is_called_as(op):
        print(describe_composite(made))
        if inputs:
            print("  computed by " + "\n    ".join(ops_of(made, inputs, parameters)))
        return
    record = find(op)
    print(describe(record))
    if inputs:
        print("  computed by " + "\n    ".join(computed(record, inputs, parameters)))


class _Show(ModuleType):
    """Makes `rushlight.show(op)` work after `import rushlight.show` too, which binds this file."""

    def __call__(self, op: Any, *inputs: Any, **parameters: Any) -> None:
        show(op, *inputs, **parameters)


sys.modules[__name__].__class__ = _Show
