"""Derivatives of functions as functions: grad, vjp, jvp, jacrev, jacfwd, hessian, linearize.

Each call makes fresh leaves of (or views on) the inputs, runs the function on them and
differentiates the result with ordinary autograd. A derivative's own graph is recorded when
something outside of the call can ask for it: when an input, or a tensor that the function closes
over, requires a gradient. So transforms nest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..autograd import changes, door, engine, op_node
from ..autograd.backward import grad as autograd_grad
from ..autograd.graph import disable_saved_tensors_hooks
from ..autograd.node import LEAF, Node, Out, TensorBase
from ..errors import message
from ..ops.shape.views import stack
from .randomness import Level
from .trees import leaves, rebuild, tree_map
from .vectorize import laid

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]


class Call:
    """One run of a function on inputs of its own, ready to be differentiated.

    Attributes:
        xs: the inputs that are differentiated.
        output: what the function returned (without aux); outs: its tensors.
        linked: whether something outside of the call can ask for a derivative's own derivative.
        record: whether the value is differentiable in turn; of derivatives that is said when they
            are computed, as `torch.no_grad` may stand around one of the two.
    """

    def __init__(self, api: str, inputs: list[Any], has_aux: bool, run: Callable[..., Any]) -> None:
        self.outer = door.state.enabled
        for x in inputs:
            if not isinstance(x, TensorBase):
                raise ValueError(
                    message(
                        "Expected all inputs that are differentiated to be Tensors",
                        got=f"{type(x).__name__}",
                        hint="argnums= names the arguments to differentiate",
                    )
                )
        forward = api.startswith("jvp")
        if forward:
            only_floats("primal", inputs)
        with door.grad_enabled(True):
            self.xs = [x.view_as(x) if x.requires_grad else leaf(x) for x in inputs]
            self.given = [changeable(x) for x in self.xs] if forward else self.xs
            with transforming(not forward), Captures(run, self.xs):
                got = run(self.given)
        self.inputs = [x.view_as(x) for x in inputs] if forward else inputs
        self.aux: Any = None
        if has_aux:
            if not isinstance(got, tuple) or len(got) != 2:
                raise RuntimeError(
                    f"{api}: output of function f should be a tuple: (output, aux) if has_aux is "
                    "True"
                )
            got, self.aux = got
            for a in leaves(self.aux):
                if not isinstance(a, TensorBase):
                    raise RuntimeError(f"{api}: Expected tensors, got unsupported type {type(a)}")
        self.output = got
        self.outs = leaves(got)
        if not self.outs or got is None:
            raise RuntimeError(
                f"{api}: Expected f to be a function that has non-empty output (got output = {got})"
            )
        for y in self.outs:
            if not isinstance(y, TensorBase):
                raise RuntimeError(
                    f"{api}: expected f(*primals) to return only tensors, got unsupported type "
                    f"{type(y)}"
                )
            if api.startswith("vjp") and not has_derivative(y):
                raise RuntimeError(
                    message(
                        "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, "
                        f"got Tensor with dtype {y.dtype!r}",
                        hint="has_aux=True, and the others as aux",
                    )
                )
        self.linked = any(x.requires_grad for x in inputs) or reaches_others(self.outs, self.xs)
        self.record = self.outer and self.linked

    def pull(self, vs: list[Any], retain: bool = True) -> list[Any]:
        """v^T J for the outputs, one tensor an input; zeros where there is no path."""
        record = door.state.enabled and (self.linked or any(v.requires_grad for v in vs))
        return pull(self.outs, self.xs, vs, record, retain)

    def value(self, tree: Any) -> Any:
        """An output as the caller gets it: with history only when something outside can use it."""
        return tree_map(
            lambda t: t if self.record or not isinstance(t, TensorBase) else self.apart(t), tree
        )

    def apart(self, t: Any) -> Any:
        """An output without history. One that is an input, or a view of it, is that outside too, so
        that a change in place is seen there."""
        for x, given in zip(self.inputs, self.given, strict=True):
            if t is given and memory_of(x) == memory_of(given):
                return x
            if t._v is not None and t._v.base is given and memory_of(x) == memory_of(given):
                if memory_of(t) is None or t._a.dtype != x._a.dtype:
                    break
                return laid(x, t.shape, t.stride(), t.storage_offset())
        return t.detach()


def memory_of(t: Any) -> Any:
    """Where an ordinary tensor lies, and its type; None for others."""
    a = t._a
    return (a.__array_interface__["data"], a.dtype) if isinstance(a, np.ndarray) else None


def has_derivative(t: Any) -> bool:
    return t._a.dtype.kind in "fcVW"


def only_floats(what: str, tensors: list[Any]) -> None:
    """Raise for a tensor of forward mode whose type has no derivatives."""
    for t in tensors:
        if not has_derivative(t):
            raise ValueError(
                message(
                    f"Expected {what} to be floating point or complex, but got: {t.dtype!r}",
                    hint="x.float()",
                )
            )


def leaf(x: Any) -> Any:
    """A leaf of the same memory that requires a gradient; an inference tensor's is its own, since
    none of that memory may require one."""
    y = x.clone() if door.is_inference(x) and not door.state.inference else x.detach()
    return y._require_grad()


def changeable(x: Any) -> Any:
    """A leaf as a tensor that may be changed in place: forward mode allows that of inputs."""
    if x._fn is not LEAF:
        return x
    y = x.detach()
    y._v = None
    y._fn = op_node.alias(x)
    return y


class Captures(changes.ChangeWatcher):
    """While a function is transformed: refuses to write what depends on its inputs into a tensor
    that it found where it was written (names of outer functions, and of its module)."""

    def __init__(self, run: Callable[..., Any], xs: list[Any]) -> None:
        self.xs = xs
        self.held = [t for t in captured(run, 4) if not any(t is x for x in xs)]

    def __enter__(self) -> None:
        if self.held:
            changes.change_watchers += [self]

    def __exit__(self, *error: object) -> None:
        if self.held:
            changes.change_watchers.remove(self)

    def check(self, target: Any, result: Any) -> None:
        """Raise for a captured tensor."""
        base = target if target._v is None else target._v.base
        if any(t is target or t is base for t in self.held) and reaches(result, self.xs):
            raise RuntimeError(
                message(
                    "During a grad (vjp, jvp, grad, etc) transform, the function provided "
                    "attempted to call in-place operation that would mutate a captured Tensor. "
                    "This is not supported; please rewrite the function being transformed to "
                    "explicitly accept the mutated Tensor(s) as inputs.",
                    got=f"a change of a tensor of shape {tuple(target._a.shape)} by values that "
                    "depend on the inputs",
                    hint="an argument in its place, or captured.clone() within the function",
                )
            )


def captured(fn: Any, depth: int) -> list[Any]:
    """The tensors that a function finds in the functions around it, and those of the functions that
    it finds there."""
    found: list[Any] = []
    for held in getattr(fn, "__closure__", None) or ():
        try:
            value = held.cell_contents
        except ValueError:  # nothing yet
            continue
        if isinstance(value, TensorBase):
            found.append(value)
        elif depth and callable(value):
            found += captured(value, depth - 1)
    return found


class transforming:
    """While a function is transformed: what PyTorch's wrappers of tensors refuse is refused."""

    def __init__(self, reverse: bool) -> None:
        self.hooks: Any = disable_saved_tensors_hooks(HOOKS) if reverse else nullcontext()

    def __enter__(self) -> None:
        self.before = door.state.transforms
        self.hooks.__enter__()  # may refuse
        door.state.transforms = self.before + 1

    def __exit__(self, *args: object) -> None:
        door.state.transforms = self.before
        self.hooks.__exit__(None, None, None)


HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Leave the "
    "hooks out of the function that is transformed."
)


def pull(outs: list[Any], xs: list[Any], vs: list[Any], record: bool, retain: bool) -> list[Any]:
    """The gradients of the outputs, weighted by vs, in xs; zeros where an output has none."""
    pairs = [(y, v) for y, v in zip(outs, vs, strict=True) if y.requires_grad]
    with transforming(reverse=False), door.grad_enabled(True):
        got: Any = (None,) * len(xs)
        if pairs:
            got = autograd_grad(
                [y for y, _ in pairs],
                xs,
                [v for _, v in pairs],
                retain_graph=retain,
                create_graph=record,
                allow_unused=True,
            )
    return [zeros(x) if g is None else g for g, x in zip(got, xs, strict=True)]


def zeros(x: Any) -> Any:
    return door.wrap(np.zeros(x._a.shape, x._a.dtype))


def reaches(y: Any, xs: list[Any]) -> bool:
    """Whether the graph of a result leads to one of the inputs."""
    own = {id(x) for x in xs} | {id(engine.edge_of(x)) for x in xs}
    todo, seen = [engine.edge_of(y)] if y.requires_grad else [], set()
    while todo:
        e = todo.pop()
        e = e.node if e.__class__ is Out else e
        if id(e) in own:
            return True
        if isinstance(e, Node) and id(e) not in seen:
            seen.add(id(e))
            todo += e.edges
    return False


def reaches_others(outs: list[Any], xs: list[Any]) -> bool:
    """Whether the graph of `outs` has leaves other than `xs`."""
    own = {id(x) for x in xs} | {id(engine.edge_of(x)) for x in xs}
    todo = [engine.edge_of(y) for y in outs if y.requires_grad]
    seen = set()
    while todo:
        e = todo.pop()
        e = e.node if e.__class__ is Out else e
        if e is None or id(e) in own or id(e) in seen:
            continue
        seen.add(id(e))
        if not isinstance(e, Node):
            return True
        todo += e.edges
    return False


def select(argnums: Any, args: tuple[Any, ...]) -> tuple[bool, list[int]]:
    """(was it one number, the positions), checked."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    single = isinstance(argnums, int)
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    for n in numbers:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    places = [n % len(args) for n in numbers]
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return single, places


def slice_argnums(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments at some positions, as PyTorch's `_slice_argnums` gives them."""
    single, places = select(argnums, args)
    return args[places[0]] if single and not as_tuple else tuple(args[i] for i in places)


def call_at(
    api: str,
    func: Callable[..., Any],
    argnums: Any,
    args: tuple[Any, ...],
    kw: Any,
    has_aux: bool,
) -> tuple[Call, Any]:
    """Run `func` with chosen arguments replaced; also the tree of those arguments."""
    single, places = select(argnums, args)
    chosen = args[places[0]] if single else tuple(args[p] for p in places)

    def run(xs: list[Any]) -> Any:
        given = rebuild(chosen, xs)
        whole = list(args)
        for p, value in zip(places, (given,) if single else given, strict=True):
            whole[p] = value
        return func(*whole, **kw)

    return Call(api, leaves(chosen), has_aux, run), chosen


# -- reverse mode ----------------------------------------------------------------------------------


def grad_and_value(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns (gradient, value) of a scalar `func`.

    With has_aux it returns (gradient, (value, aux)).

    >>> torch.func.grad_and_value(lambda x: (x**2).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def both(*args: Any, **kw: Any) -> Any:
        call, chosen = call_at("grad_and_value(f)(*args)", func, argnums, args, kw, has_aux)
        y = call.output
        if not isinstance(y, TensorBase):
            raise RuntimeError(f"Expected f(*args) to return a tensor, got type {type(y)}")
        if y._a.ndim != 0:
            raise RuntimeError(
                message(
                    f"Expected f(*args) to return a scalar tensor, got tensor with {y._a.ndim} "
                    "dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
                    got=f"a tensor of shape {tuple(y._a.shape)}",
                    hint="return loss.sum() or loss.mean(); jacrev(f) for all rows",
                )
            )
        if y._a.dtype.kind in "cW" and y.requires_grad:  # else there is nothing to differentiate
            raise RuntimeError(
                message(
                    "grad can be implicitly created only for real scalar outputs but got "
                    f"{y.dtype!r}",
                    hint="return y.real or y.abs(); vjp takes any output",
                )
            )
        got = rebuild(chosen, call.pull([door.wrap(np.ones((), y._a.dtype))], retain=call.record))
        value = call.value(y)
        return got, ((value, call.value(call.aux)) if has_aux else value)

    return both


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of a scalar `func` with respect to its argument(s)
    `argnums`.

    Args:
        argnums: a position, or a tuple of positions (then a tuple of gradients comes back).
        has_aux: `func` returns (value, aux), and the result is (gradient, aux).

    >>> import rushlight as torch
    >>> torch.func.grad(lambda x: x**3)(torch.tensor(2.0))
    tensor(12.)
    >>> torch.func.grad(torch.func.grad(lambda x: x**3))(torch.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kw: Any) -> Any:
        g, rest = both(*args, **kw)
        return (g, rest[1]) if has_aux else g

    return gradient


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """(func(*primals), vjp_fn): `vjp_fn(v)` gives v^T J, a tuple with one entry for each primal.

    >>> import rushlight as torch
    >>> y, pull = torch.func.vjp(torch.sin, torch.zeros(2))
    >>> pull(torch.ones(2))
    (tensor([1., 1.]),)
    """
    api = "vjp(f, *primals)"
    call = Call(api, leaves(primals), has_aux, lambda xs: func(*rebuild(primals, xs)))

    def pulled(
        cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> Any:
        vs = leaves(cotangents)
        if (
            len(vs) != len(call.outs)
            or form(cotangents) != form(call.output)
            or any(v.shape != y.shape for v, y in zip(vs, call.outs, strict=True))
        ):
            raise RuntimeError(
                message(
                    "Expected pytree structure of cotangents to be the same as pytree structure "
                    "of outputs to the function.",
                    got=f"shapes {[tuple(v.shape) for v in vs]}",
                    wanted=f"shapes {[tuple(y.shape) for y in call.outs]}",
                )
            )
        return rebuild(primals, call.pull(vs))

    out = call.value(call.output)
    return (out, pulled, call.value(call.aux)) if has_aux else (out, pulled)


def form(tree: Any) -> Any:
    """What two trees of one form have in common; tuples and lists count as the same."""
    if isinstance(tree, dict):
        return {k: form(v) for k, v in tree.items()}
    if isinstance(tree, (tuple, list)):
        return [form(v) for v in tree]
    return None


def basis(t: Any, k: int) -> Any:
    e = np.zeros(t._a.shape, t._a.dtype)
    e.reshape(-1)[k] = 1
    return door.wrap(e)


def real(api: str, call: Call) -> None:
    """Raise where a Jacobian of complex numbers is asked for."""
    for what, ts in (("inputs", call.xs), ("outputs", call.outs)):
        for t in ts:
            if t._a.dtype.kind in "cW":
                raise RuntimeError(
                    f"{api}: Expected all {what} to be real but received complex tensor(s). "
                    "torch.func.vjp (or jvp) takes them."
                )


def table(columns: list[Any], shape: tuple[int, ...], like: Any) -> Any:
    return (
        stack(*columns, dim=0).reshape(shape)
        if columns
        else door.wrap(np.zeros(shape, like._a.dtype))
    )


def jacrev(
    func: Callable[..., Any],
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian by reverse mode: for output y and input x of shape
    y.shape + x.shape.

    The rows are computed one after the other. Good when there are fewer outputs than inputs.

    >>> import rushlight as torch
    >>> torch.func.jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any, **kw: Any) -> Any:
        call, chosen = call_at("vjp(f, *primals)", func, argnums, args, kw, has_aux)
        real("jacrev", call)
        blocks = []
        for y in call.outs:
            rows = [pull([y], call.xs, [basis(y, k)], call.record, True) for k in range(y._a.size)]
            blocks.append(
                rebuild(
                    chosen,
                    [
                        table([r[i] for r in rows], (*y.shape, *x.shape), x)
                        for i, x in enumerate(call.xs)
                    ],
                )
            )
        result = rebuild(call.output, blocks)
        return (result, call.value(call.aux)) if has_aux else result

    return jacobian


# -- forward mode ----------------------------------------------------------------------------------


class Push:
    """J t for any tangent t: the vjp is linear in its vector u, and its derivative in u gives J."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.outs = [y for y in call.outs if has_derivative(y)]
        self.us = [door.ones_of(y)._require_grad() for y in self.outs]  # rules ask for zeros
        self.gs = pull(self.outs, call.xs, self.us, True, True)

    def __call__(self, tangents: list[Any]) -> list[Any]:
        only_floats("tangent", tangents)
        record = self.call.record or (self.call.outer and any(t.requires_grad for t in tangents))
        same = [t.to(x.dtype) for t, x in zip(tangents, self.call.xs, strict=True)]
        got = iter(pull(self.gs, self.us, same, record, True))
        return [next(got) if has_derivative(y) else zeros(y) for y in self.call.outs]


def jvp(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """(func(*primals), J t): the Jacobian-vector product.

    Args:
        primals, tangents: tuples of the same form.
        strict: an output that does not depend on the inputs is an error, not a zero tangent.

    >>> import rushlight as torch
    >>> torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if isinstance(primals, tuple) and not leaves(primals):
        raise RuntimeError("jvp(f, primals, tangents): Expected at least one Tensor in primals")
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid "
            f"to call f(*primals). Got {type(primals)}"
        )
    ps, ts = leaves(primals), leaves(tangents)
    same = isinstance(tangents, tuple) and form(primals) == form(tangents)
    for p in (*ps, *ts) if same else ():
        if not isinstance(p, TensorBase):
            raise RuntimeError(
                "jvp(f, primals, tangents): Expected primals and tangents to only contain Tensors, "
                f"got unsupported type {type(p)}"
            )
    if not same or any(p.shape != t.shape for p, t in zip(ps, ts, strict=True)):
        raise RuntimeError(
            message(
                "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
                "structure and shapes",
                got=f"primals {[tuple(p.shape) for p in ps]}\n"
                f"tangents {[tuple(t.shape) for t in ts]}",
            )
        )
    api = "jvp(f, primals, tangents)"
    call = Call(api, ps, has_aux, lambda xs: func(*rebuild(primals, xs)))
    for i, y in enumerate(call.outs if strict else ()):
        if not reaches(y, call.xs):
            raise RuntimeError(
                f"jvp(f, primals, tangents, strict=True): The output of f with index {i} is "
                "independent of the inputs. This is not allowed with strict=True."
            )
    out, pushed = call.value(call.output), rebuild(call.output, Push(call)(ts))
    return (out, pushed, call.value(call.aux)) if has_aux else (out, pushed)


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """(func(*primals), jvp_fn): `jvp_fn(*tangents)` gives J t without running `func` again.

    >>> y, jvp = torch.func.linearize(lambda x: x**3, torch.tensor([1.0, 2.0]))
    >>> y, jvp(torch.tensor([1.0, 1.0]))
    (tensor([1., 8.]), tensor([ 3., 12.]))
    """
    api = "jvp(f, primals, tangents)"
    call = Call(api, leaves(primals), False, lambda xs: func(*rebuild(primals, xs)))
    push = Push(call)
    return call.value(call.output), lambda *tangents: rebuild(call.output, push(leaves(tangents)))


def jacfwd(
    func: Callable[..., Any],
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    chunk_size: int | None = None,
    randomness: str = "error",
) -> Callable[..., Any]:
    """A function that returns the Jacobian by forward mode, one column an input element.

    Good when there are fewer inputs than outputs. The form of the result is that of `jacrev`.

    Args:
        randomness: "error": random numbers in `func` raise; "same" or "different": all columns have
            the same ones, for `func` runs once.

    >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def jacobian(*args: Any, **kw: Any) -> Any:
        with Level(randomness, 1) as level:  # the columns share one run of the function
            level.begin(0)
            call, chosen = call_at("jvp(f, primals, tangents)", func, argnums, args, kw, has_aux)
        real("jacfwd", call)
        push = Push(call)
        blocks: list[list[Any]] = [[] for _ in call.outs]
        for i, x in enumerate(call.xs):
            columns = [
                push([basis(x, k) if j == i else zeros(o) for j, o in enumerate(call.xs)])
                for k in range(x._a.size)
            ]
            for n, y in enumerate(call.outs):
                flat = table([c[n].reshape(-1) for c in columns], (x._a.size, y._a.size), y)
                blocks[n].append(flat.t().reshape((*y.shape, *x.shape)))
        result = rebuild(call.output, [rebuild(chosen, b) for b in blocks])
        return (result, call.value(call.aux)) if has_aux else result

    return jacobian


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives of a scalar `func`: forward over reverse mode.

    >>> import rushlight as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
