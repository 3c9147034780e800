"""`show(op)`: what an op record says, and the machine code of its kernel. The machine is glass."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .autograd.node import TensorBase
from .kernels.codegen.expr import Expr, Trace
from .kernels.elementwise import select as elementwise
from .ops.core.record import Op, registry


def find(what: Any) -> Op:
    """The record behind a name, an op, or a public function."""
    if isinstance(what, Op):
        return what
    if isinstance(what, str):
        for name in (what, what.removeprefix("torch.")):
            for op in registry.values():
                if name in (op.name, *op.aliases):
                    return op
    found = getattr(what, "op", None)
    if isinstance(found, Op):
        return found
    name = what if isinstance(what, str) else getattr(what, "__name__", repr(what))
    if (
        name in registry
    ):  # a function whose record has other arguments, such as torch.add with its alpha
        return registry[name]
    near = [n for n in sorted(registry) if str(name).split(".")[-1][:3] in n][:8]
    raise ValueError(
        f"no op record for {name!r}" + (f"\n  try     {', '.join(near)}" if near else "")
    )


def source(fn: Callable[..., Any]) -> str:
    try:
        text = inspect.getsource(fn)
    except (OSError, TypeError):
        return repr(fn)
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


def describe(what: Any) -> str:
    """The text that `show` prints."""
    op = find(what)
    lines = [
        f"{op.name}  ({op.kind}; declared at {op.declared[0]}:{op.declared[1]})",
        f"  {(op.__doc__ or '').strip().splitlines()[0] if op.__doc__ else ''}",
        f"  inputs      {', '.join([*op.inputs, '*tensors'] if op.variadic else op.inputs)}",
        f"  parameters  {', '.join(op.defaults) or 'none'}",
        f"  types       promote={op.promote}; narrower than float32: "
        f"{'computed in float32' if op.compute else 'moved as they are'}",
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


def computed(op: Op, inputs: tuple[Any, ...], kw: dict[str, Any]) -> list[str]:
    """How this call of an op would be computed, with the code of its kernel."""
    arrays = tuple(t._a if isinstance(t, TensorBase) else t for t in inputs)
    if op.kind != "elementwise":
        return [f"array function {op.fn.__name__} of {op.fn.__module__}"]
    seen = op.formula if op.ufunc is None else op
    return elementwise.explain(seen, op.name, arrays, {**op.defaults, **kw})


def show(op: Any, *inputs: Any, **parameters: Any) -> None:
    """Print an op's record: formula, derivative, what it keeps, where it is declared.

    With example inputs it also prints how that call would be computed: by NumPy, or by a kernel,
    whose LLVM code and assembly follow.

    >>> import rushlight as torch
    >>> torch.show(torch.sigmoid)  # doctest: +ELLIPSIS
    sigmoid  (elementwise; declared at ...
    """
    print(describe(op))
    if inputs:
        print("  computed by " + "\n    ".join(computed(find(op), inputs, parameters)))


class _Show(ModuleType):
    """Makes `rushlight.show(op)` work after `import rushlight.show` too, which binds this file."""

    def __call__(self, op: Any, *inputs: Any, **parameters: Any) -> None:
        show(op, *inputs, **parameters)


sys.modules[__name__].__class__ = _Show
