"""backward and grad: the entrances to the engine, with their checks; and calling a node by hand.

Read next: `engine.py`, which carries them out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import message
from ..once import warn_once
from . import door, steps
from .engine import edge_of, run
from .hook_calls import as_tensor, back
from .lines import show_line
from .node import LEAF, AccumulateGrad, GradientEdge, Node, Out, TensorBase
from .op_node import OpNode
from .unbroadcast import fit_other

ndarray = np.ndarray
CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)
ONES = {d: np.ones((), d) for d in (door.F32, door.F64)}  # copied: np.ones takes a microsecond


@steps.step()
def one_of(*, dtype: Any) -> Any:
    """The number 1 as a 0-d array."""
    return ONES[dtype].copy()


def call_node(node: Node, grads: tuple[Any, ...]) -> Any:
    """`node(*grads)` by hand: recorded when grad mode is on and something needs it."""
    if node.x is not None and node.x.pre_hooks:
        for fn in list(node.x.pre_hooks.values()):
            got = fn(grads)
            if got is not None:
                grads = tuple(got) if isinstance(got, (tuple, list)) else (got,)
    least = 1 if isinstance(node, OpNode) else node.n_out  # indices, say, have no gradient
    if not least <= len(grads) <= node.n_out:
        raise TypeError(
            message(
                f"expected {node.n_out} arguments, got {len(grads)} instead",
                wanted=f"a gradient, or None, for each output of {node.name()}",
            )
        )
    gs = [*grads, *[None] * (node.n_out - len(grads))]
    results = (
        node.run(gs[0] if node.n_out == 1 else gs, door.state.enabled)
        if door.state.enabled
        else node.run(
            back(gs[0], False) if node.n_out == 1 else [back(v, False) for v in gs], False
        )
    )
    if isinstance(node, Node) and not node.edges:
        return None
    out = []
    for e, r in zip(node.edges, results, strict=False):
        if r is None or e is None:
            out.append(as_tensor(r))
            continue
        target, nr = (e.node, e.nr) if e.__class__ is Out else (e, 0)
        if isinstance(target, Node):
            shape = target.shape if target.n_out == 1 else target.shape[nr]
            dtype = target.dtype if target.n_out == 1 else target.dtype[nr]
        else:
            shape, dtype = target._a.shape, target._a.dtype
        out.append(as_tensor(fit_other(r, shape, dtype, e)))
    out = [out[i] for i in node.visible()]
    if node.x is not None and node.x.post_hooks:
        for fn in list(node.x.post_hooks.values()):
            got = fn(tuple(out), grads)
            if got is not None:
                out = list(got) if isinstance(got, (tuple, list)) else [got]
    return out[0] if len(out) == 1 else tuple(out)


def _entered_for_them(line: str) -> str | None:
    """What to do where a function of ours, called in this line, computes below no_grad itself."""
    if ".sample(" in line:
        return "rsample(), whose derivative goes through the parameters; sample() has none"
    if "checkpoint(" in line:
        return "use_reentrant=False; with True, an input must require grad"
    return None


def no_grad_error(t: Any, nr: int) -> RuntimeError:
    """backward() of something without history: say what cut the chain."""
    cut = door.cut_of(t._x)
    hint: str | None
    if cut is not None:
        why = f"the history ended with {cut.why} at {show_line(cut.code, cut.lasti)}"
        hint = {
            "no_grad": "move that computation out of the torch.no_grad() block",
            "inference_mode": "move that computation out of torch.inference_mode()",
            "detach": "leave out that detach() (or .data, .item(), .numpy()) on the way to the "
            "loss",
        }.get(cut.why, "keep the values floating point on the way to the loss")
        if cut.why == "no_grad":
            hint = _entered_for_them(why) or hint
    else:
        why = "it was computed only from tensors with requires_grad=False"
        hint = "requires_grad_() on the tensors you want gradients of; are the parameters frozen?"
    return RuntimeError(
        message(
            f"element {nr} of tensors does not require grad and does not have a grad_fn",
            got=f"a tensor of shape {tuple(t._a.shape)}; {why}",
            wanted="a result of operations on at least one tensor that requires grad",
            hint=hint,
        )
    )


def root_gradient(t: Any, g: Any, create_graph: bool) -> Any:
    """The gradient to start with: ones for a scalar, the user's (checked) otherwise."""
    a = t._a
    if g.__class__ is door.Tensor and not create_graph:
        b = g._a
        if b.__class__ is np.ndarray and b.dtype is a.dtype and b.shape == a.shape:
            return b
    if g is None:
        if a.size != 1:
            raise RuntimeError(
                message(
                    "grad can be implicitly created only for scalar outputs",
                    got=f"a tensor of shape {tuple(a.shape)}",
                    wanted="one element, or an explicit gradient of the same shape",
                    hint="loss.mean().backward() or loss.sum().backward()",
                )
            )
        if a.dtype.kind not in "fV":
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got "
                f"{door.dtypes.from_numpy(a.dtype)!r}"
            )
        if a.ndim == 0 and a.dtype in ONES:
            seen = door.state.observers
            one = door.perform(one_of, (), {"dtype": a.dtype}) if seen else ONES[a.dtype].copy()
        else:
            one = door.perform(steps.full, (), {"shape": a.shape, "value": 1, "dtype": a.dtype})
        return door.wrap(one) if create_graph else one
    if not isinstance(g, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if g._a.shape != a.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of torch.Size({list(g._a.shape)}) and "
            f"output[0] has a shape of torch.Size({list(a.shape)})."
        )
    if g._a.dtype is not a.dtype and (g._a.dtype.kind in "cW") != (a.dtype.kind in "cW"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same "
            "dtype. Mismatch in dtype: "
            f"grad_output[0] has a dtype of {g.dtype!r} and output[0] has a dtype of {t.dtype!r}."
        )
    return g if create_graph else door.resolved(g._a)


def count_error(ts: Any, gs: Any) -> RuntimeError:
    return RuntimeError(
        message(
            f"got {len(ts)} tensors and {len(gs)} gradients",
            wanted="one gradient (or None, for a scalar) for each tensor",
        )
    )


def sequence(x: Any) -> tuple[Any, ...]:
    """A tensor, a GradientEdge, or several of them, as a tuple of tensors."""
    if isinstance(x, TensorBase):
        return (x,)
    if x.__class__ is GradientEdge:
        return (standin(x),)
    several = tuple(x)
    if GradientEdge in map(type, several):
        several = tuple([standin(v) if v.__class__ is GradientEdge else v for v in several])
    return several


def standin(edge: GradientEdge) -> Any:
    """A tensor without values at a place in the graph."""
    node, nr = edge
    if isinstance(node, AccumulateGrad):
        return node.variable
    shape, dtype = (node.shape, node.dtype) if node.n_out == 1 else (node.shape[nr], node.dtype[nr])
    t = door.wrap(np.broadcast_to(np.zeros((), dtype), shape))
    t._fn = Out(node, nr) if node.n_out > 1 else node
    return t


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
    retain_variables: bool | None = None,
) -> None:
    """Add the gradients of `tensors` with respect to the graph's leaves into their `.grad`.

    Computes sum_k grad_tensors[k]^T J_k, the vector-Jacobian product.

    Args:
        tensors: one Tensor or several, each with a history.
        grad_tensors: gradients of the same shapes; None for scalars.
        retain_graph: keep saved values for another backward (default: `create_graph`).
        create_graph: record the derivative's own graph, for higher derivatives.
        inputs: only these leaves (or tensors) get gradients.

    Raises:
        RuntimeError: no history, a freed graph, a saved value changed in place, a non-scalar root.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x**2).sum())
    >>> x.grad
    tensor([2., 4.])
    >>> torch.autograd.backward(3 * x, torch.tensor([1.0, 10.0]))  # adds to what is there
    >>> x.grad
    tensor([ 5., 34.])
    """
    if grad_variables is not None:
        import warnings

        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`."
            )
        grad_tensors = grad_variables
    if retain_variables is not None:
        retain_graph = retain_variables
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warn_once(CYCLE, 4)
    if grad_tensors is None and inputs is None and isinstance(tensors, TensorBase):
        if tensors._fn is None:
            raise no_grad_error(tensors, 0)
        start: Any = (root_gradient(tensors, None, create_graph),)
        run((edge_of(tensors),), start, keep, create_graph)
        return
    if inputs is not None:
        inputs = sequence(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    ts = sequence(tensors)
    gs: tuple[Any, ...] = (None,) * len(ts) if grad_tensors is None else sequence(grad_tensors)
    if len(ts) != len(gs):
        raise count_error(ts, gs)
    roots = []
    start = []
    for i, (t, g) in enumerate(zip(ts, gs, strict=True)):
        fn = t._fn
        if fn is None:
            raise no_grad_error(t, i)
        start.append(root_gradient(t, g, create_graph))
        # (`edge_of`, written out for most)
        roots.append(fn if t._v is None and fn is not LEAF else edge_of(t))
    if inputs is None:
        run(roots, start, keep, create_graph)
        return
    edges = []
    for t in inputs:
        if t._fn is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edges.append(edge_of(t))
        t.retain_grad()
    run(roots, start, keep, create_graph, edges)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Gradients of `outputs` with respect to `inputs`, returned instead of accumulated.

    Args:
        outputs, inputs: a Tensor or several.
        grad_outputs: the vector of the vector-Jacobian product; None for scalars.
        allow_unused: give None for an input the outputs do not depend on (else an error).
        is_grads_batched: the first dimension of `grad_outputs` is a batch of vectors.
        materialize_grads: zeros in place of None.

    Raises:
        RuntimeError: an input is unused, or does not require a gradient; see `backward`.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    >>> g.detach()
    tensor([ 3., 12.])
    >>> torch.autograd.grad(g.sum(), x)  # the second derivative, 6 * x
    (tensor([ 6., 12.]),)
    """
    import warnings

    outs, ins = sequence(outputs), sequence(inputs)
    if not ins:
        raise RuntimeError("grad(): the argument `inputs` cannot be empty")
    if materialize_grads:
        if allow_unused is False:
            raise ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, "
                "but got: allow_unused=False."
            )
        allow_unused = True
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    gs: tuple[Any, ...] = (None,) * len(outs) if grad_outputs is None else sequence(grad_outputs)
    if len(outs) != len(gs):
        raise count_error(outs, gs)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        return batched(outs, ins, gs, keep, create_graph, bool(allow_unused), materialize_grads)
    roots, start = [], []
    for i, (t, g) in enumerate(zip(outs, gs, strict=True)):
        if t._fn is None:
            raise no_grad_error(t, i)
        start.append(root_gradient(t, g, create_graph))
        roots.append(edge_of(t))
    edges = []
    for t in ins:
        if t._fn is None:
            raise RuntimeError(
                message(
                    "One of the differentiated Tensors does not require grad",
                    got=f"an input of shape {tuple(t._a.shape)} with requires_grad=False",
                    hint="x.requires_grad_() before the computation",
                )
            )
        edges.append(edge_of(t))
    got = [as_tensor(g) for g in run(roots, start, keep, create_graph, edges, capture=True)]
    if not allow_unused and any(g is None for g in got):
        unused = [i for i, g in enumerate(got) if g is None]
        raise RuntimeError(
            message(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior.",
                got=f"input number {unused[0]} has no path from the outputs",
                hint="allow_unused=True gives None for it; materialize_grads=True gives zeros",
            )
        )
    if materialize_grads:
        one = inputs.__class__ is GradientEdge or isinstance(inputs, TensorBase)
        given = (inputs,) if one else tuple(inputs)
        for i, (g, t) in enumerate(zip(got, given, strict=False)):
            if g is None and t.__class__ is GradientEdge:
                raise RuntimeError(
                    "materialize_grads cannot be used when the given input is a GradientEdge "
                    f"(input number {i}, which was not reached)"
                )
        got = [
            zeros_like(t, create_graph) if g is None else g for t, g in zip(ins, got, strict=True)
        ]
    return tuple(got)


def batched(
    outs: Any,
    ins: Any,
    gs: Any,
    keep: bool,
    create_graph: bool,
    allow_unused: bool,
    materialize: bool,
) -> tuple[Any, ...]:
    """`grad` for each vector of a batch (first dimension of every grad_output), stacked."""
    sizes = {g._a.shape[0] for g in gs if g is not None}
    if len(sizes) != 1:
        raise ValueError("is_grads_batched=True needs grad_outputs with one common first dimension")
    n = sizes.pop()
    for k, (y, g) in enumerate(zip(outs, gs, strict=True)):
        if g is not None and tuple(g._a.shape[1:]) != tuple(y._a.shape):
            raise RuntimeError(
                message(
                    "If `is_grads_batched=True`, we interpret the first dimension of each "
                    "grad_output as the batch dimension. The sizes of the remaining dimensions are "
                    "expected to match the shape of corresponding output, but a mismatch was "
                    "detected.",
                    got=f"grad_output[{k}] has a shape of {tuple(g._a.shape)}",
                    wanted=f"(batch, *{tuple(y._a.shape)}), as output[{k}]",
                )
            )
    rows = []
    for i in range(n):
        picked = [None if g is None else g[i] for g in gs]
        rows.append(
            grad(
                outs,
                ins,
                picked,
                keep or i < n - 1,
                create_graph,
                True,
                allow_unused,
                False,
                materialize,
            )
        )
    from ..ops.shape.views import stack

    if not rows:
        return tuple(zeros((0, *t._a.shape), t._a.dtype) for t in ins)
    return tuple(None if c[0] is None else stack(*c, dim=0) for c in zip(*rows, strict=True))


def zeros_like(t: Any, requires_grad: bool) -> Any:
    """What an unused input gets with materialize_grads."""
    plain = t._a.__class__ is ndarray
    made = door.wrap(np.zeros_like(t._a)) if plain else zeros(t._a.shape, t._a.dtype)
    return made._require_grad() if requires_grad else made


def zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """A Tensor of zeros."""
    return door.wrap(door.perform(steps.full, (), {"shape": shape, "value": 0, "dtype": dtype}))
