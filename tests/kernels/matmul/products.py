"""What every road of a product has to show; read by the tests beside this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight
from rushlight.kernels.matmul import linear, select


def exact(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The product in float64, and the sum of the terms' absolute values."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b, np.abs(a) @ np.abs(b)


def layer_gradients(g: Any, x: Any, w: Any, bias: bool = False) -> Any:
    """The gradients of a linear layer by one plan; None where there is none."""
    plan = linear.plans_gradients.make(None, g, x, w, "highest", bias)
    return None if plan is None else plan.run(g, x, w)


def foreign_assembly(text: str, cpu: str) -> tuple[str, set[str]]:
    """What LLVM makes of a module for a CPU that need not be this one: its assembly, and the
    functions that it calls."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    module.verify()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    assembly = target.create_target_machine(cpu=cpu, opt=1).emit_assembly(module)
    called = {f.name for f in module.functions if f.is_declaration}
    return assembly, {name for name in called if not name.startswith(("Py", "llvm."))}


def plan_of(a: Any, b: Any) -> Any:
    return select.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)


def check(a: Any, b: Any, way: str, on_pointers: Callable[..., Any]) -> None:
    """The plan goes this way; its error is that of rounding; threads and pointers change no bit."""
    plan = plan_of(a, b)
    assert plan.name == f"matmul.{way}"
    y = plan.run(a, b, None, 1.0, 0.0)
    wanted, size = exact(a, b)
    eps = np.finfo(a.dtype).eps * (2 if a.dtype == np.float64 else 1)
    assert (np.abs(y - wanted) <= (a.shape[-1] + 2) * eps * size + 1e-300).all()
    before = rushlight.get_num_threads()
    try:
        for threads in (1, 2, 3):
            rushlight.set_num_threads(threads)
            np.testing.assert_array_equal(plan.run(a, b, None, 1.0, 0.0), y)
    finally:
        rushlight.set_num_threads(before)
    np.testing.assert_array_equal(on_pointers(plan, a, b, None, alpha=1.0, beta=0.0), y)
