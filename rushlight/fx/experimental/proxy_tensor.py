"""`make_fx`: a function runs once, and the operators that it carries out become a graph.

    traced = make_fx(f)(x)      # a GraphModule of `torch.ops.aten` calls
    print(traced.code)

Other than `symbolic_trace`, which sees what a program says, this sees what is computed: below the
tape, `vmap`, `grad` and composites, backward too. The inputs become `ProxyTensor`s, tensors that
hold a value and know the node that made it; `ProxyTorchDispatchMode` is told of each operator
(`ops/core/dispatch.py`), carries it out on the values and writes a node. What the function reads
besides its inputs becomes a constant of the graph. `vmap` is a loop here, so its graph has the
loop's steps.

Not here: sizes that are symbols (tracing_mode="symbolic"); functions without mutation
(`func/functional_modules.py`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from ...autograd import door
from ...autograd.node import TensorBase
from ...blocks import contextmanager
from ...errors import message
from ...nn.module import Module
from ...nn.parameter import Parameter
from ...ops.core import dispatch, modes, overrides
from ...ops.core.composite import is_factory
from ...tensor import Tensor
from ...tensor_dispatch import take, wrapper
from ...utils import _pytree as pytree
from .. import Graph, GraphModule, Interpreter, Proxy, Tracer
from ..codegen import CodeGen

__all__ = [
    "DecompositionInterpreter",
    "ProxyTorchDispatchMode",
    "PythonKeyTracer",
    "disable_proxy_modes_tracing",
    "get_innermost_proxy_mode",
    "get_isolated_graphmodule",
    "get_proxy_mode",
    "make_fx",
]

# (a module of `namespaces`, where imports do not find it by this name)
fakes: Any = import_module("rushlight._subclasses.fake_tensor")
FakeTensor: Any = fakes.FakeTensor
FakeTensorMode: Any = fakes.FakeTensorMode
faked, meta_of = fakes.faked, fakes.meta_of
unset_fake_temporarily = fakes.unset_fake_temporarily

CONSTANT = 1  # how many elements a tensor of known numbers may have, to be computed with


class ProxyTensor(Tensor):
    """A tensor of a program that is traced.

    Attributes:
        elem: its value, a tensor.
        proxy: stands for it in the graph of `tracer`.
        constant: whether the value is the same whatever the inputs are.
    """

    elem: Any
    proxy: Any
    tracer: Any
    constant: bool

    __torch_function__ = overrides.disabled_torch_function  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for kind in types:
            if not issubclass(kind, (ProxyTensor, FakeTensor)):
                return NotImplemented
        # No mode is asked: the program goes on with values, untraced.
        return func(*values(args), **values(kwargs or {}))

    def saved_alias(self) -> Any:
        """What a node keeps of this tensor: one of its own, which is no step of the program."""
        return proxied(self.elem, self.proxy, self.tracer, self.constant)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"ProxyTensor({self.elem}, proxy={self.proxy})"


def proxied(value: Any, proxy: Any, tracer: Any, constant: bool = False) -> Any:
    """The ProxyTensor of a value."""
    a = value._a
    steps = [s // a.itemsize for s in a.strides]
    with modes.without_any():
        offset = value.storage_offset()
    t = wrapper(ProxyTensor, a.shape, steps, offset, dtype=value.dtype, device=value.device)
    t.elem, t.proxy, t.tracer, t.constant = value, proxy, tracer, constant
    return t


def values(tree: Any) -> Any:
    """ProxyTensors as their values, in nested lists, tuples and dictionaries."""
    return mapped(tree, lambda t: t.elem if isinstance(t, ProxyTensor) else t)


def mapped(tree: Any, fn: Callable[[Any], Any]) -> Any:
    """`fn` of each tensor of arguments."""
    if isinstance(tree, TensorBase):
        return fn(tree)
    if isinstance(tree, (list, tuple)):
        made = [mapped(v, fn) for v in tree]
        return type(tree)(*made) if hasattr(tree, "_fields") else type(tree)(made)
    if isinstance(tree, dict):
        return {k: mapped(v, fn) for k, v in tree.items()}
    return tree


# -- the graph -------------------------------------------------------------------------------------


class PythonKeyTracer(Tracer):
    """Writes the nodes of a program that runs; modules are no leaves, and parameters that the
    program reads become constants."""

    def __init__(self) -> None:
        super().__init__(autowrap_modules=())
        self.root = Module()
        self.graph = Graph(tracer_cls=type(self))

    def create_arg(self, a: Any) -> Any:
        """A value as the argument of a node."""
        if isinstance(a, ProxyTensor):
            return a.proxy.node
        if isinstance(a, overrides.Given):
            a = a.value
        if isinstance(a, Parameter):
            name = next((n for n, p in self.root.named_parameters() if p is a), None)
            if name is None:
                number = len(list(self.root.parameters()))
                name = f"_param_constant{number}"
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)


class TreeCodeGen(CodeGen):
    """`forward` of a function whose arguments, or whose result, hold tensors in containers."""

    def __init__(self, names: list[str], in_spec: Any, out_spec: Any) -> None:
        super().__init__()
        self.names, self.in_spec, self.out_spec = names, in_spec, out_spec

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, indent: str = ""
    ) -> str:
        """The first line, and one that takes the arguments apart."""
        line = super().gen_fn_def(list(self.names), maybe_return_annotation, indent=indent)
        if not free_vars:
            return line
        given = ", ".join(self.names)
        return (
            f"{line}\n    {', '.join(free_vars)}, = "
            f"fx_pytree.tree_flatten_spec(([{given}], {{}}), self._in_spec)"
        )

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """The line that puts the result together."""
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"

    def process_inputs(self, *args: Any) -> Any:
        """The leaves of the arguments."""
        return pytree.tree_leaves(args)

    def process_outputs(self, outputs: Any) -> Any:
        """The result in its form."""
        return pytree.tree_unflatten(outputs, self.out_spec)


# -- the mode --------------------------------------------------------------------------------------

# What makes tensors of numbers that are given: constants of the graph.
OF_DATA = ("tensor", "as_tensor", "asarray", "scalar_tensor", "from_numpy")
# Factories whose sizes are PyTorch's first argument, and their overloads there.
SIZED = dict.fromkeys(("zeros", "ones", "rand", "randn"), "default")
SIZED.update(empty="memory_format", full="default")
LIKE = ("zeros_like", "ones_like", "rand_like", "randn_like", "empty_like", "full_like")


class Making(modes.Below):
    """Tells the mode of what makes tensors, those of given numbers too."""

    mode: Any

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kw = getattr(func, "__name__", ""), kwargs or {}
        if name in OF_DATA and not any(dispatch.leaves((*args, kw))):
            with self.mode._aside(), unset_fake_temporarily():
                value = func(*args, **kw)
            with self.mode._aside():
                return self.mode.lifted(value)
        if is_factory(func) and kw.get("requires_grad"):
            made = self.__torch_function__(func, types, args, {**kw, "requires_grad": False})
            return made.requires_grad_()
        return super().__torch_function__(func, types, args, kw)


class ProxyTorchDispatchMode(modes.TorchDispatchMode):
    """Writes the operators of a block into the graph of a tracer.

    Args:
        decomposition_table: what is called in the place of an operator, by operator.
    """

    below = Making

    def __init__(
        self,
        tracer: Any,
        tracing_mode: str = "real",
        pre_dispatch: bool = False,
        _allow_fake_constant: bool = False,
        _error_on_data_dependent_ops: bool = True,
        decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    ) -> None:
        super().__init__()
        self.tracer = tracer
        self.tracing_mode = tracing_mode
        self.enable_tracing = True
        self.refuses_numbers = _error_on_data_dependent_ops
        self.decomposition_table = decomposition_table or {}
        self.shown = FakeTensorMode(allow_non_fake_inputs=True)  # of the values in `meta`

    @classmethod
    def is_infra_mode(cls) -> bool:
        """True: it belongs to no program."""
        return True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kw = kwargs or {}
        if not all(issubclass(kind, (ProxyTensor, FakeTensor)) for kind in types):
            return NotImplemented
        instead = self.decomposition_table.get(func)
        if instead is not None:
            with self:
                got = instead(*args, **kw)
            if got is not NotImplemented:
                return got
        found = list(dispatch.leaves((*args, kw)))
        own = [t for t in found if isinstance(t, ProxyTensor) and t.tracer is self.tracer]
        name = func.overloadpacket.__name__
        if found and not own:  # of constants, which are there
            if any(isinstance(t, FakeTensor) for t in found):
                return func(*args, **kw)
            with unset_fake_temporarily():
                return func(*args, **kw)
        known = bool(own) and all(t.constant for t in own)
        if name in ("_local_scalar_dense", "equal", "is_nonzero"):
            return self.number(func, args, kw, known)
        return self.node(func, name, args, kw, known)

    def number(self, func: Any, args: Any, kw: dict[str, Any], known: bool) -> Any:
        """An operator that gives a number of Python's."""
        if not known and self.refuses_numbers and self.tracing_mode == "real":
            raise RuntimeError(
                message(
                    "It appears that you're trying to get a value out of a tracing tensor with "
                    f"{func} - erroring out! It's likely that this is caused by data-dependent "
                    "control flow or similar.",
                    got="a number that depends on the inputs",
                    wanted="a program that does the same for all inputs",
                    hint="torch.where in place of a condition",
                )
            )
        return func(*values(args), **values(kw))

    def node(self, func: Any, name: str, args: Any, kw: dict[str, Any], known: bool) -> Any:
        """Carry out an operator on values, and write it down."""
        target, given, shown = as_node(func, name, args, kw)
        nodes = self.tracer.create_arg(tuple(given)), self.tracer.create_arg(shown)
        out = func(*values(args), **values(kw))
        made = self.tracer.create_proxy("call_function", target, *nodes, name=name)
        changes = name.endswith("_") and name[:1] != "_"
        if changes and args and isinstance(args[0], ProxyTensor):
            target = args[0]
            target.proxy = made
            target.constant = known
            self.show(made, target.elem)
            a = meta_of(target.elem)
            if (target._a.shape, target._a.strides) != (a.shape, a.strides):
                take(target, a)
            return target
        small = known and all(t._a.size <= CONSTANT for t in dispatch.leaves((out,)))
        return self.track(out, made, small)

    def track(self, out: Any, proxy: Any, constant: bool = False) -> Any:
        """Results as ProxyTensors."""
        if isinstance(out, TensorBase):
            self.show(proxy, out)
            return proxied(out, proxy, self.tracer, constant)
        if isinstance(out, (list, tuple)):
            made = [self.track(v, proxy[i], constant) for i, v in enumerate(out)]
            return type(out)(*made) if hasattr(out, "_fields") else type(out)(made)
        return out

    def show(self, proxy: Any, value: Any) -> None:
        """Say in `meta` what a node's value is like."""
        proxy.node.meta["val"] = faked(self.shown, meta_of(value), value.device)

    def lifted(self, value: Any) -> Any:
        """A tensor of numbers that the program names: a copy of a constant of the graph."""
        if not isinstance(value, TensorBase):
            return value
        with unset_fake_temporarily():
            kept = value.clone() if value.__class__ is Tensor else value
        func = modes.operators().namespace("aten").lift_fresh_copy.default
        made = self.tracer.create_proxy("call_function", func, (kept,), {}, name="lift_fresh_copy")
        known = value._a.size <= CONSTANT
        mode = next((m for m in modes.standing() if isinstance(m, FakeTensorMode)), None)
        if mode is not None and not isinstance(value, FakeTensor):
            value = faked(mode, meta_of(value), value.device, value if known else None)
        return self.track(value, made, known)


def after_dim(args: Any, kw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """`dim` behind the first operand."""
    first, *rest = args
    return (first, kw["dim"], *rest), {k: v for k, v in kw.items() if k != "dim"}


def indexed(args: Any, kw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A tensor, and its indices in a list."""
    first, *indices = args[0]
    return (first, indices), kw


def found_by(args: Any, kw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """`sort` and `topk`: a tensor, a dimension, and how."""
    first, dim, how = args
    how = how.value if isinstance(how, overrides.Given) else how
    return ((first, dim, *how) if len(how) == 1 else (first, how[0], dim, *how[1:])), kw


# Records that are told otherwise than PyTorch's operators are called: (overload, their form).
FORMS: dict[str, tuple[str, Any]] = {
    "index": ("Tensor", indexed),
    "sort_values": ("default", found_by),
    "topk_values": ("default", found_by),
    "scatter": ("src", after_dim),
    "scatter_value": ("value", after_dim),
    **{
        name: ("default", after_dim)
        for name in ("gather", "index_select", "index_copy", "index_add", "scatter_add")
    },
}
# Records whose operator takes something else: nodes of these carry out the record itself.
EXACT_NAMES = (
    "attention_by_blocks binary_cross_entropy_with_logits ctc_loss fft_c2c index_backward "
    "index_fill index_put index_reduce layer_norm_op linalg_cholesky linalg_ldl_factor "
    "linalg_lstsq linalg_lu_factor linalg_solve_triangular linalg_svd logical_and logical_or "
    "logical_xor scaled_dot_product_attention scatter_reduce std unfold var"
)
EXACT = frozenset(EXACT_NAMES.split())


# Operators that take numbers for tensors; others are told of some by rules of derivatives.
OF_NUMBERS = frozenset(
    ("add", "sub", "mul", "div", "pow", "remainder", "fmod", "lt", "le", "gt", "ge", "eq", "ne")
)


def operands(func: Any) -> int:
    """How many tensors a record takes."""
    return len(func.record.inputs) if func.record is not None else 0


def as_node(func: Any, name: str, args: Any, kw: dict[str, Any]) -> tuple[Any, Any, Any]:
    """A call as the graph has it: what can be called again."""
    if name in SIZED or name in LIKE:
        return as_factory(func, name, args, kw)
    known = getattr(func.record, "name", None)
    if known in FORMS:
        overload, form = FORMS[known]
        return getattr(func.overloadpacket, overload), *form(args, kw)
    numbers = any(isinstance(a, (bool, int, float, complex)) for a in args[: operands(func)])
    if known in EXACT or (numbers and name not in OF_NUMBERS):
        return modes.operators().exactly(func), args, kw
    return func, args, kw


def as_factory(func: Any, name: str, args: Any, kw: dict[str, Any]) -> tuple[Any, Any, Any]:
    """A call that makes a tensor in PyTorch's form: sizes as a list, and where the memory is."""
    kw = {k: v for k, v in kw.items() if v is not None and k != "requires_grad"}
    if name in SIZED:
        size = kw.pop("size", None)
        if size is None:
            whole = args and isinstance(args[0], (list, tuple))
            size, args = (args[0], args[1:]) if whole or name == "full" else (args, ())
        args = ([int(n) for n in size], *args)
        kw.setdefault("device", device("cpu"))
        func = getattr(func.overloadpacket, SIZED[name])
    if "device" in kw:
        kw["device"] = device(kw["device"])
    order = ("dtype", "layout", "device", "pin_memory", "memory_format")
    kw.setdefault("pin_memory", False)
    shown = {k: kw[k] for k in order if k in kw}
    shown.update((k, v) for k, v in kw.items() if k not in order)
    return func, args, shown


def device(where: Any) -> Any:
    """A device by its name."""
    from ...device import device

    return device(where)


# -- tracing ---------------------------------------------------------------------------------------


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
    record_stack_traces: bool = False,
    proxy_module_inputs: bool = False,
    _disable_torch_fn_metadata_mode: bool = False,
) -> Callable[..., GraphModule]:
    """A function of the arguments of `f` that runs it once and returns the GraphModule of the
    operators that were carried out.

    Args:
        decomposition_table: functions that are traced in the place of operators.
        tracing_mode: "real" computes with the inputs; "fake" with their shapes and types alone.
        record_stack_traces: nodes keep the program's lines that made them.

    Raises:
        NotImplementedError: tracing_mode="symbolic".
        RuntimeError: the program asks for a number that depends on the inputs.

    >>> import rushlight as torch
    >>> print(make_fx(lambda x: x.sin() + 1)(torch.ones(2)).code.strip())
    def forward(self, x_1):
        sin = torch.ops.aten.sin.default(x_1);  x_1 = None
        add = torch.ops.aten.add.Tensor(sin, 1);  sin = None
        return add
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode must be real/fake/symbolic, got {tracing_mode}")
    if tracing_mode == "symbolic" or pre_dispatch:
        what = "pre_dispatch=True" if pre_dispatch else "tracing_mode='symbolic'"
        raise NotImplementedError(
            message(
                "make_fx: this way of tracing is not there",
                got=what,
                wanted="tracing_mode='real' or 'fake', below the tape: sizes are numbers",
                hint="torch.fx.symbolic_trace, which sees what a program calls",
            )
        )

    @functools.wraps(f)
    def traced(*args: Any) -> GraphModule:
        tracer = PythonKeyTracer()
        tracer.record_stack_traces = record_stack_traces
        mode = ProxyTorchDispatchMode(
            tracer,
            tracing_mode,
            _error_on_data_dependent_ops=_error_on_data_dependent_ops,
            decomposition_table=decomposition_table,
        )
        with ExitStack() as stack:
            stack.enter_context(disable_proxy_modes_tracing())
            held: Any = values(args)
            if tracing_mode == "fake":
                fake_mode = fake_mode_of(held) or FakeTensorMode(
                    allow_non_fake_inputs=_allow_non_fake_inputs
                )
                held = pytree.tree_map_only(Tensor, fake_mode.from_tensor, held)
                stack.enter_context(fake_mode)
                stack.callback(setattr, fake_mode, "constants_stay", fake_mode.constants_stay)
                fake_mode.constants_stay = True
            return trace(f, held, mode, stack)

    return traced


def fake_mode_of(tree: Any) -> Any:
    """The mode of the FakeTensors among arguments."""
    for t in pytree.tree_leaves(tree):
        if isinstance(t, FakeTensor):
            return t.fake_mode
    return None


def trace(f: Any, args: tuple[Any, ...], mode: Any, stack: ExitStack) -> GraphModule:
    """The GraphModule of a call of `f`."""
    tracer = mode.tracer
    names = parameter_names(f, len(args))
    in_spec = pytree.tree_structure(args)
    own = []
    for name, arg in zip(names, args, strict=True):
        for number, leaf in enumerate(pytree.tree_leaves(arg)):
            made = tracer.create_proxy("placeholder", f"{name}_{number + 1}", (), {})
            own.append(as_input(leaf, made, mode))
    given = pytree.tree_unflatten(own, in_spec)
    stack.enter_context(mode)
    result = f(*given)
    stack.close()
    known = functools.partial(mapped, fn=lambda t: t.proxy if isinstance(t, ProxyTensor) else t)
    if any(not c.is_leaf() for c in in_spec.children()):
        parts, out_spec = pytree.tree_flatten(result)
        tracer.graph.set_codegen(TreeCodeGen(names, in_spec, out_spec))
        tracer.root._in_spec = pytree.tree_flatten((list(args), {}))[1]
        tracer.root._out_spec = out_spec
        result = parts
    returns = getattr(f, "__annotations__", {}).get("return")
    out = tracer.create_arg(pytree.tree_map(known, result))
    tracer.create_node("output", "output", (out,), {}, type_expr=returns)
    named = f if hasattr(f, "__name__") else type(f)
    module = GraphModule(tracer.root, tracer.graph, named.__name__)
    for name in ("_in_spec", "_out_spec"):
        if hasattr(tracer.root, name):
            setattr(module, name, getattr(tracer.root, name))
    return module


def as_input(leaf: Any, proxy: Any, mode: Any) -> Any:
    """An argument as the traced program gets it."""
    if not isinstance(leaf, TensorBase):
        proxy.node.meta["val"] = leaf
        return leaf
    mode.show(proxy, leaf)
    with door.grad_enabled(False):
        made = proxied(leaf.detach(), proxy, mode.tracer)
    return made._require_grad() if leaf._fn is not None else made


def parameter_names(f: Any, count: int) -> list[str]:
    """What the arguments of a function are called; `arg0` and so on where it has no names."""
    plain = inspect.unwrap(f)
    code = getattr(plain, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return [f"arg{i}" for i in range(count)]
    names = list(code.co_varnames[: code.co_argcount])
    if inspect.ismethod(plain):
        names = names[1:]
    return names[:count] if len(names) >= count else [f"arg{i}" for i in range(count)]


def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """The mode that traces just now, or None."""
    return next((m for m in modes.standing() if isinstance(m, ProxyTorchDispatchMode)), None)


get_innermost_proxy_mode = get_proxy_mode


@contextmanager
def disable_proxy_modes_tracing() -> Iterator[Any]:
    """A block of which nothing is written down."""
    found = [m for m in modes.standing() if isinstance(m, ProxyTorchDispatchMode)]
    with ExitStack() as stack:
        for mode in found:
            stack.enter_context(mode._aside())
        yield found[0] if found else None


def get_isolated_graphmodule(
    func: Callable[..., Any],
    args: Any,
    kwargs: Any,
    tracing_mode: str = "real",
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
) -> GraphModule:
    """The graph of a function, of which a trace that is under way learns nothing."""
    leaves, form = pytree.tree_flatten((list(args), dict(kwargs)))

    def wrapped(flat_args: list[Any]) -> Any:
        given, named = pytree.tree_unflatten(flat_args, form)
        return func(*given, **named)

    with disable_proxy_modes_tracing():
        return make_fx(wrapped, decomposition_table, tracing_mode)(leaves)


class DecompositionInterpreter(Interpreter):
    """Runs a GraphModule and writes its operators, or what stands in their place, into another
    graph."""

    def __init__(
        self,
        module: GraphModule,
        new_graph: Graph,
        decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(module, **kwargs)
        self.new_graph = new_graph
        self.tracer = PythonKeyTracer()
        self.tracer.graph, self.tracer.root = new_graph, module
        self.decomposition_table = decomposition_table or {}
        self.mode = ProxyTorchDispatchMode(
            self.tracer, decomposition_table=self.decomposition_table
        )

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An input of the graph."""
        proxy = Proxy(self.new_graph.placeholder(str(target)), self.tracer)
        return as_input(super().placeholder(target, args, kwargs), proxy, self.mode)

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An attribute of the module."""
        proxy = Proxy(self.new_graph.get_attr(str(target)), self.tracer)
        return as_input(super().get_attr(target, args, kwargs), proxy, self.mode)

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        """What is returned."""
        out = super().output(target, args, kwargs)
        self.new_graph.output(self.tracer.create_arg(out))
        return values(out)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """What the graph gives for these inputs."""
        with self.mode:
            return super().run(*args, **kwargs)
