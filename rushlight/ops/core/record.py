"""Op records: an op is declared once, here is what a declaration is.

    @elementwise(samples=...)  a formula about one element; its derivative is derived unless written
    @reduction(identity=...)   a formula that combines two partial results (in `reduction.py`)
    @op(samples=...)           a program on arrays
    @composite                 a plain function of Tensors (not a kind: it has no kernel of its own)

The decorated function becomes an `Op`: callable on ndarrays (array speed), on Tensors (through the
door) and on `Expr` (tracing). Everything public is derived from it: `public_function`, `Tensor`
methods, in-place forms.

Read next: `elementwise/arithmetic.py` for examples, `autograd/door.py` for what happens in a call.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door, operators, specialize, views
from ...autograd.node import TensorBase
from ...errors import message
from ...kernels.codegen import expr
from ...kernels.elementwise import select as elementwise_kernels
from ...kernels.meta import MetaArray
from ...kernels.multi_tensor import select as multi_tensor
from . import overrides
from .samples import Case, ErrorCase

registry: dict[str, Op] = {}
composites: dict[str, Composite] = {}
ndarray = np.ndarray
PASS = lambda g, _y, _a, _b: g  # noqa: E731 - the rule of an operand that is added
LAZY = ("derived from the formula when first needed",)
NUMPY_NAMES = {
    "axis": "dim",
    "axes": "dim",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}


class Op:
    """One operation: what it computes, its derivative, its shapes, its samples.

    Attributes:
        fn: the array-level forward.
        inputs: names of the tensor parameters; `variadic` when they are a list.
        defaults: static parameters and their defaults (`inspect.Parameter.empty` when required).
        rules: derivative rules, one an input (or one joint rule), or None.
        promote: None, "common" or "float": how operands of mixed types are brought together.
        compute: whether types below float32 are computed in float32 (False: pure data movement).
        widen: whether the forward is given them as float32; rules always are.
        view: the result shares memory with the first input.
    """

    def __init__(self, fn: Callable[..., Any], kind: str, **options: Any) -> None:
        self.fn = fn
        self.formula = fn  # of one element, as it was written; `fn` may compute it by a kernel
        self.kind = kind
        self.name: str = options.pop("name", None) or fn.__name__.rstrip("_")
        self.__doc__ = fn.__doc__
        self.declared: tuple[str, int] = (fn.__code__.co_filename, fn.__code__.co_firstlineno)
        self.__name__ = self.name
        self.__module__ = fn.__module__
        self.samples: list[Case] = options.pop("samples", [])
        self.errors: list[ErrorCase] = options.pop("errors", [])
        self.promote: str | None = options.pop("promote", None)
        low = options.pop("low", "compute")
        self.compute: bool = low in ("compute", "own")  # not "keep" and "inside"
        self.widen: bool = low == "compute"  # "own": the forward takes narrow types as they are
        self.view: bool = options.pop("view", False)
        self.fresh: bool = options.pop("fresh", kind != "op")
        self.outputs: int = options.pop("outputs", 1)
        self.differentiable: tuple[int, ...] | None = options.pop("differentiable", None)
        self.holomorphic: bool = options.pop("holomorphic", False)
        self.inplace: bool = options.pop("inplace", kind == "elementwise")
        self.public: tuple[str, ...] = tuple((options.pop("public", "torch Tensor") or "").split())
        self.aliases: tuple[str, ...] = tuple((options.pop("aliases", "") or "").split())
        self.varargs: bool = options.pop("varargs", False)
        self.ufunc: Any = options.pop("ufunc", None)
        self.check: Any = options.pop(
            "check", None
        )  # looks at the operands as given, before promotion
        self.numbers: Any = options.pop(
            "numbers", None
        )  # which inputs may be Python numbers (None: any)
        self.smooth: bool = options.pop(
            "smooth", True
        )  # False: samples avoid the gradient check (steps)
        self.return_type: Any = options.pop("return_type", None)
        # outputs that the rules use: of a value and its index the index alone, unless said
        self.saves: tuple[int, ...] | None = options.pop(
            "saves", (1,) if self.outputs == 2 and self.differentiable == (0,) else None
        )
        # the output is saved for speed alone: it is copied when somebody changes it in place
        self.copies: bool = options.pop("copies", False)
        # places of operands that next_functions leaves out when they need no gradient
        self.optional: Any = options.pop("optional", ())
        self.node_name: str = options.pop("node", None) or camel(self.name) + "Backward0"
        self.options = (
            options  # data_dependent, constant, layout, once: what the generated tests need to know
        )
        self.rules: Any = None
        self.joint_rule = False
        self.keep_y = False
        self.wants_shapes = self.wants_needs = False
        self.rule_names: tuple[tuple[str, ...], ...] = ()
        self._shape: Any = None
        self._keeps: list[tuple[bool, list[bool], bool]] = []
        self._kept: dict[tuple[bool, ...], tuple[bool, ...] | None] = {}
        self._nodes: dict[str, type] = {}
        self.float_node: type | None = None  # the plain one of `_nodes`, once it was needed
        self.inputs: list[str] = []
        self.input_defaults: list[Any] = []
        self.defaults: dict[str, Any] = {}
        self.variadic = False
        for p in parameters(fn):
            if p[1] == "*":
                self.variadic = True
            elif p[1] == "tensor":
                self.inputs.append(p[0])
                self.input_defaults.append(p[2])
            else:
                self.defaults[p[0]] = p[2]
        # called with all tensors and nothing else, there is nothing to sort out
        self.bare = not self.variadic and all(v is not EMPTY for v in self.defaults.values())
        self.required = sum(d is EMPTY for d in self.input_defaults)
        if kind == "elementwise":
            self.fn = elementwise_kernels.fuse(fn, self.name, None if self.ufunc is None else self)

    def __repr__(self) -> str:
        return f"<op {self.name}: {self.kind}>"

    # -- declaring ---------------------------------------------------------------------------

    def vjp(self, *rules: Any) -> Op:
        """One rule an input: (g, y, *inputs, **params) -> gradient; a name with _ is not kept."""
        if not self.variadic and len(rules) != len(self.inputs):
            raise TypeError(f"{self.name}: {len(rules)} rules for {len(self.inputs)} inputs")
        self.rules = rules
        self._read_rules()
        return self

    def joint(self, rule: Any) -> Op:
        """One rule for all inputs, where their gradients share work; returns a tuple."""
        self.rules = (rule,)
        self.joint_rule = True
        self._read_rules()
        return self

    def shape(self, rule: Any) -> Op:
        """(*inputs, **params) -> MetaArray(s): shape and type of the result without computing
        it."""
        self._shape = rule
        return self

    def _read_rules(self) -> None:
        self.__dict__.pop("core", None)
        self._keeps = []
        self._kept = {}
        self.rule_names = ()
        names: list[tuple[str, ...]] = []
        for rule in self.rules:
            flags: list[bool] = []
            star = False
            own: list[str] = []
            if rule is not None:
                for p in parameters(rule, rule=True):
                    if p[1] == "*":
                        star = not p[0].startswith("_")
                    elif p[1] == "tensor":
                        flags.append(not p[0].startswith("_"))
                    elif p[0] == "needs":
                        self.wants_needs = True
                    else:
                        own.append(p[0])
                        self.wants_shapes = self.wants_shapes or p[0] == "shapes"
            keep_y = flags[1] if len(flags) > 1 else False
            self._keeps.append((keep_y, flags[2:], star))
            names.append(tuple(own))
        self.keep_y = any(k[0] for k in self._keeps)
        if any(names):
            self.rule_names = tuple(names)

    def keeps(self, i: int, n: int) -> tuple[bool, ...]:
        """(y, *inputs): what the rule for input `i` of `n` keeps."""
        keep_y, flags, star = self._keeps[0 if self.joint_rule or len(self._keeps) == 1 else i]
        return (keep_y, *flags, *([star] * (n - len(flags))))

    def kept(self, needs: tuple[bool, ...]) -> tuple[bool, ...] | None:
        """(y, *inputs): what is kept when the inputs marked in `needs` require gradients; None for
        nothing."""
        found = self._kept.get(needs, 0)
        if found == 0:
            rows = [self.keeps(i, len(needs)) for i, need in enumerate(needs) if need]
            marks = tuple(any(column) for column in zip(*rows, strict=True))
            found = self._kept[needs] = marks if any(marks) else None
        return found  # type: ignore[return-value]

    def node_class(self, dtype: Any, low: Any) -> type:
        """The class of this call's node: plain, or with rules wrapped for narrow or complex
        types."""
        kind = "low" if low and self.compute else "plain"
        if self.holomorphic and dtype.__class__ is not tuple and dtype.kind == "c":
            # a holomorphic op has a complex result exactly when an operand is complex
            kind = "complex"
        found = self._nodes.get(kind)
        if found is None:
            self.get_rules()
            wrapped = {"plain": self._fused_rule, "low": self._low_rule, "complex": conjugated}[
                kind
            ]
            rules = tuple(
                unwritten(self.name) if r is None else wrapped(r, i)
                for i, r in enumerate(self.rules)
            )
            rule_kw = self.rule_names or ((),) * len(self.rules)
            run = (
                operators.run_pass
                if self.rules == (PASS, PASS)
                else specialize.run(self, rules, rule_kw)
            )
            found = self._nodes[kind] = type(
                self.node_name,
                (door.OpNode,),
                {
                    "__slots__": (),
                    "__module__": "rushlight",
                    "op": self,
                    "rules": rules,
                    "rule_kw": rule_kw,
                    "joint": self.joint_rule,
                    "elementwise": self.kind == "elementwise",
                    "nothing": () if self.variadic else (None,) * (len(self.inputs) + 1),
                    **({"n_out": 1} if self.outputs == 1 else {}),
                    **door.saved_names(self),
                    **({} if run is None else {"run": run}),
                    **({} if self.rule_names else {"kw": None}),
                },
            )
            if kind == "plain":
                self.float_node = found
        return found

    def _fused_rule(self, rule: Any, i: int) -> Any:
        """The rule of a formula by a kernel where arrays are large; other rules as they are."""
        if self.kind != "elementwise" or self.joint_rule or self.name in elementwise_kernels.BARE:
            return rule
        return elementwise_kernels.fuse_rule(rule, f"{self.name}_backward{i}")

    def _low_rule(self, rule: Any, i: int) -> Any:
        """The rule of narrow floats, which compute in float32: by a kernel, or brought there."""
        if self.kind != "elementwise" or self.joint_rule:
            return computed_wide(rule)
        return elementwise_kernels.fuse_rule(rule, f"{self.name}_backward{i}", computed_wide(rule))

    @property
    def plain_node(self) -> type:
        return self.node_class((), 0)

    def _derive(self) -> None:
        self.rules = tuple(expr.derive(self.formula, len(self.inputs)))
        keeps = []
        for rule in self.rules:
            used = (
                {n.name for n in expr.order(rule.formula)}
                if isinstance(rule.formula, expr.Expr)
                else set()
            )
            keeps.append((False, [f"x{i}" in used for i in range(len(self.inputs))], False))
        self._keeps = keeps
        self._kept = {}

    def get_rules(self) -> Any:
        if self.rules is LAZY:
            self._derive()
        return self.rules

    # -- calling -----------------------------------------------------------------------------

    def core(self, kw: dict[str, Any], *inputs: Any) -> Any:
        """What `door.apply` calls: the door written out for this op, when it is first needed."""
        made = self.__dict__["core"] = specialize.core(self)
        return made(kw, *inputs)

    def __call__(self, *args: Any, **kw: Any) -> Any:
        """On arrays: the forward at once. On Tensors: through the door. On Expr: one more node."""
        for a in args:
            if a.__class__ is ndarray:
                return self.fn(*args, **kw)
            if isinstance(a, TensorBase):
                return door.apply(self, self._pad(args), kw)
            if a.__class__ is expr.Expr:
                return self.formula(*args, **kw) if kw else a.trace.call(self, args)
            if isinstance(a, MetaArray):
                return self.infer(list(args), kw)
        return self.fn(*args, **kw)

    def _pad(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        missing = len(self.inputs) - len(args)
        if missing > 0 and not self.variadic:
            return args + tuple(self.input_defaults[len(args) :])
        return args

    def call(self, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """A public call: check the operands' kinds, honour subclasses, go through the door."""
        ordinary = overrides.ordinary
        if self.check is None and self.return_type is None and inputs:
            for t in inputs:
                if t.__class__ not in ordinary:
                    break
            else:
                return door.apply(self, inputs, kw)
        special = found = False
        for i, t in enumerate(inputs):
            if t.__class__ in ordinary:
                found = True
            elif isinstance(t, TensorBase):
                special = found = True
            elif t is not None and not (
                self.promote is not None and isinstance(t, (int, float, complex))
            ):
                if hasattr(t, "__torch_function__"):
                    special = found = True
                elif self.promote is not None and isinstance(t, np.generic):
                    inputs = (*inputs[:i], t.item(), *inputs[i + 1 :])
                else:
                    raise self.not_a_tensor(i, t)
        if special and overrides.enabled():
            return overrides.dispatch(self.public_function(), inputs, kw, inputs)
        if not found:
            if not inputs:
                kind = ValueError if self.name == "cat" else RuntimeError
                raise kind(
                    f"torch.{self.name}(): expected a non-empty list of Tensors ({self.name} "
                    f"expects a non-empty TensorList)"
                )
            raise self.not_a_tensor(0, inputs[0])
        if self.check is not None:
            self.check(*inputs)
        out = door.apply(self, inputs, kw)
        return self.return_type(out) if self.return_type is not None else out

    def not_a_tensor(self, i: int, t: Any) -> TypeError:
        if self.variadic:
            return TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            )
        name = self.inputs[min(i, len(self.inputs) - 1)]
        hint = (
            "torch.from_numpy(x) or torch.tensor(x)"
            if isinstance(t, ndarray)
            else "torch.tensor(x)"
        )
        return TypeError(
            message(
                f"{self.name}(): argument '{name}' (position {i + 1}) must be Tensor, not "
                f"{type(t).__name__}",
                got=repr(t)[:60],
                hint=hint,
            )
        )

    def infer(self, arrays: list[Any], kw: dict[str, Any]) -> Any:
        """Shape and type of the result as MetaArray(s), from the shape rule or from a run on
        stand-ins."""
        if self._shape is not None:
            return self._shape(*arrays, **kw)
        if self.kind == "elementwise":
            shape = np.broadcast_shapes(
                *(a.shape for a in arrays if isinstance(a, (ndarray, MetaArray)))
            )
            tiny = [
                np.ones(0, a.dtype) if isinstance(a, (ndarray, MetaArray)) else a for a in arrays
            ]
            return MetaArray(shape, self.fn(*tiny, **kw).dtype)
        real = [
            (a.standin() if self.view else a.zeros()) if isinstance(a, MetaArray) else a
            for a in arrays
        ]
        out = self.fn(*real, **kw)
        return tuple(meta_of(a) for a in out) if isinstance(out, tuple) else meta_of(out)

    # -- what is public ----------------------------------------------------------------------

    def bind(
        self, args: tuple[Any, ...], kw: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """PyTorch's calling conventions -> (tensors, static parameters)."""
        if kw:
            for theirs in [k for k in kw if k in NUMPY_NAMES]:
                ours = NUMPY_NAMES[theirs]
                if (
                    ours not in kw
                    and theirs not in self.defaults
                    and theirs not in self.inputs
                    and (ours in self.defaults or ours in self.inputs)
                ):
                    kw[ours] = kw.pop(theirs)
        if self.variadic:
            if args:
                inputs = tuple(args[0]) if isinstance(args[0], (tuple, list)) else (args[0],)
                rest = args[1:]
                if not isinstance(args[0], (tuple, list)):
                    inputs, rest = args, ()
            else:
                inputs, rest = tuple(kw.pop("tensors", ())), ()
        else:
            n = len(self.inputs)
            inputs, rest = args[:n], args[n:]
            if len(inputs) < n:
                more = []
                for i in range(len(inputs), n):
                    name = self.inputs[i]
                    if name in kw:
                        more.append(kw.pop(name))
                    elif self.input_defaults[i] is EMPTY:
                        raise TypeError(
                            f'{self.name}() missing 1 required positional arguments: "{name}"'
                        )
                    else:
                        more.append(self.input_defaults[i])
                inputs = (*inputs, *more)
        if rest:
            names = list(self.defaults)
            if self.varargs and not isinstance(rest[0], (tuple, list)):
                kw[names[0]] = tuple(rest)
            else:
                if len(rest) > len(names):
                    raise TypeError(
                        f"{self.name}() takes at most {len(self.inputs) + len(names)} "
                        f"positional arguments "
                        f"({len(self.inputs) + len(rest)} given)"
                    )
                for name, value in zip(names, rest, strict=False):
                    if name in kw:
                        raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
                    kw[name] = value
        for k, v in kw.items():
            if k not in self.defaults:
                raise TypeError(f"{self.name}() got an unexpected keyword argument '{k}'")
            if v.__class__ is list:
                kw[k] = tuple(v)
            elif isinstance(v, TensorBase):
                kw[k] = v.item()  # type: ignore[attr-defined]
            elif isinstance(v, np.generic):
                kw[k] = v.item()
        for k, v in self.defaults.items():
            if v is EMPTY and k not in kw:
                raise TypeError(f'{self.name}() missing 1 required positional arguments: "{k}"')
        return inputs, kw

    def public_function(self) -> Callable[..., Any]:
        """PyTorch's function of this name: signature checks, `out=`."""
        found = self.__dict__.get("_public")
        if found is not None:
            return found
        op, n, bare, variadic = self, len(self.inputs), self.bare, self.variadic

        def public(*args: Any, **kw: Any) -> Any:
            out = kw.pop("out", None) if kw else None
            if variadic and not kw and len(args) == 1 and args[0].__class__ in SEQUENCES:
                inputs = tuple(args[0])
            elif kw or len(args) != n or not bare:
                inputs, kw = op.bind(args, kw)
            else:
                inputs = args
            if op.numbers is not None:
                for i, t in enumerate(inputs):
                    if (t.__class__ in NUMBERS and i not in op.numbers) or (
                        t is None and op.variadic
                    ):
                        raise op.not_a_tensor(i, t)
            result = op.call(inputs, kw)
            return result if out is None else write_out(op.name, out, result)

        made = self.__dict__["_public"] = specialize.entry(self, dress(public, self))
        return made

    def method(self) -> Callable[..., Any]:
        """`Tensor.name`."""
        return self.public_function()

    def inplace_method(self) -> Callable[..., Any]:
        """`Tensor.name_`."""
        op, n, bare = self, len(self.inputs), self.bare

        def public(*args: Any, **kw: Any) -> Any:
            if kw or len(args) != n or not bare:
                inputs, kw = op.bind(args, kw)
            else:
                inputs = args
            if op.check is not None:
                op.check(*inputs)
            return views.apply_inplace(op, inputs[0], inputs[1:], kw)

        dress(public, self)
        public.__name__ = self.name + "_"
        public.__doc__ = (
            f"In-place form of `{self.name}`: writes the result into this tensor and returns it."
        )
        return public

    def signature(self) -> inspect.Signature:
        """The public signature: tensors, then static parameters, then out."""
        kinds = inspect.Parameter
        ps = [
            kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=d)
            for n, d in (
                [("tensors", EMPTY)]
                if self.variadic
                else zip(self.inputs, self.input_defaults, strict=True)
            )
        ]
        ps += [
            kinds(
                n,
                kinds.KEYWORD_ONLY
                if v is EMPTY and ps[-1].default is not EMPTY
                else kinds.POSITIONAL_OR_KEYWORD,
                default=v,
            )
            for n, v in self.defaults.items()
        ]
        ps.sort(key=lambda p: p.kind)
        return inspect.Signature([*ps, kinds("out", kinds.KEYWORD_ONLY, default=None)])


NUMBERS = (int, float, complex, bool)
SEQUENCES = (list, tuple)
EMPTY = inspect.Parameter.empty


def parameters(fn: Any, rule: bool = False) -> list[tuple[str, str, Any]]:
    """(name, "tensor" | "static" | "*", default) of a function: `inspect.signature`, twenty times
    cheaper."""
    code = fn.__code__
    n, k = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    defaults = fn.__defaults__ or ()
    out: list[tuple[str, str, Any]] = []
    for i in range(n):
        j = i - (n - len(defaults))
        out.append((names[i], "tensor", defaults[j] if j >= 0 else EMPTY))
    if code.co_flags & inspect.CO_VARARGS:
        out.append((names[n + k], "*", EMPTY))
    kw = fn.__kwdefaults__ or {}
    out += [(names[i], "static", kw.get(names[i], EMPTY)) for i in range(n, n + k)]
    return out


def camel(name: str) -> str:
    return "".join(p[:1].upper() + p[1:] for p in name.split("_"))


def meta_of(a: Any) -> MetaArray:
    a = np.asarray(a)
    return MetaArray(a.shape, a.dtype, a.strides if a.size else None)


def dress(fn: Any, record: Any) -> Any:
    """Give a derived function the record's name, docs and signature."""
    fn.__name__ = fn.__qualname__ = record.name
    fn.__doc__ = record.__doc__
    fn.__module__ = "rushlight"
    fn.op = record
    return fn


def unwritten(name: str) -> Any:
    def rule(*_args: Any, **_kw: Any) -> Any:
        raise RuntimeError(f"derivative for {name} is not implemented")

    return rule


def up(x: Any) -> Any:
    """A value in float32 when its type is narrower."""
    if x.__class__ is ndarray:
        return x.astype(np.float32) if x.dtype in dtypes.LOW_NP else x
    if isinstance(x, TensorBase):
        return x.to(dtypes.float32) if x._a.dtype in dtypes.LOW_NP else x  # type: ignore[attr-defined]
    if isinstance(x, (tuple, list)):
        return tuple(up(v) for v in x)
    return x


def computed_wide(rule: Any) -> Any:
    """A rule whose operands are brought to float32 first (the engine rounds the result back)."""

    def wide(g: Any, *values: Any, **kw: Any) -> Any:
        return rule(up(g), *[up(v) for v in values], **kw)

    return wide


def conj(x: Any) -> Any:
    if x.__class__ is ndarray or isinstance(
        x, np.generic
    ):  # arithmetic makes scalars of 0-d arrays
        return x.conj() if x.dtype.kind == "c" else x
    if isinstance(x, TensorBase):
        return x.conj() if x._a.dtype.kind == "c" else x  # type: ignore[attr-defined]
    if isinstance(x, (tuple, list)):
        return tuple(conj(v) for v in x)
    return x


def conjugated(rule: Any, _i: int) -> Any:
    """The rule of a holomorphic op for complex values: conj(rule(conj(g), ...))."""

    def wrapped(g: Any, *values: Any, **kw: Any) -> Any:
        got = rule(conj(g), *values, **kw)
        return conj(got)

    return wrapped


def write_out(name: str, out: Any, result: Any) -> Any:
    """`out=`: store a result in the given tensor(s), resizing them as PyTorch does."""
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of {len(result)} Tensors")
        for o, r in zip(out, result, strict=True):
            write_out(name, o, r)
        return tuple(out) if type(result) is tuple else type(result)(tuple(out))
    if isinstance(out, (tuple, list)) and len(out) == 1:
        out = out[0]
    if (
        isinstance(out, TensorBase)
        and out._a.__class__ is ndarray
        and views.overlaps_itself(out._a)
    ):
        views.check_inplace(out, name)
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if door.state.enabled and (out._fn is not None or result._fn is not None):
        raise RuntimeError(
            message(
                f"{name}(): functions with out=... arguments don't support automatic "
                f"differentiation, but one of the "
                "arguments requires grad.",
                hint="leave out out=, or compute inside torch.no_grad()",
            )
        )
    source, into = dtypes.from_numpy(result._a.dtype), dtypes.from_numpy(out._a.dtype)
    if not dtypes.can_cast(source, into):
        raise RuntimeError(
            f"result type {views.type_name(source)} can't be cast to the desired output type "
            f"{views.type_name(into)}"
        )
    if out._a.shape != result._a.shape:
        out.resize_(result._a.shape)  # type: ignore[attr-defined]
    if out._a.__class__ is ndarray:
        multi_tensor.copy(out._a, result._a)
    views.cell(out).bump(name)
    return out


# -- decorators ----------------------------------------------------------------------------------


def register(record: Op) -> Op:
    if record.name in registry:
        raise ValueError(f"op {record.name} is declared twice")
    registry[record.name] = record
    return record


def op(**options: Any) -> Callable[[Callable[..., Any]], Op]:
    """Declare a program on arrays."""
    return lambda fn: register(Op(fn, "op", **options))


def view(**options: Any) -> Callable[[Callable[..., Any]], Op]:
    """Declare an op whose result is a view of its first input (data movement: any type as it
    is)."""
    return lambda fn: register(Op(fn, "op", view=True, low="keep", **options))


def elementwise(**options: Any) -> Callable[[Callable[..., Any]], Op]:
    """Declare a formula about one element. Its derivative is derived from the formula unless
    written."""

    def declare(fn: Callable[..., Any]) -> Op:
        options.setdefault("promote", "common" if fn.__code__.co_argcount > 1 else "float")
        record = register(Op(fn, "elementwise", **options))
        if options.get("derive", True) and record.ufunc is None:
            record.rules = LAZY
        return record

    return declare


def intrinsic(name: str, ufunc: Any, *rules: Any, **options: Any) -> Op:
    """Declare a primitive of the formula language: a NumPy ufunc with its derivative."""
    nin = options.pop("nin", None) or ufunc.nin
    doc = options.pop("doc", None)
    if nin == 1:

        def forward(input: Any) -> Any:
            return ufunc(input)
    else:

        def forward(input: Any, other: Any) -> Any:  # type: ignore[misc]
            return ufunc(input, other)

    forward.__name__ = name
    forward.__doc__ = doc or f"Elementwise {name}."
    options.setdefault("promote", "common" if nin > 1 else "float")
    record = register(Op(forward, "elementwise", ufunc=ufunc, **options))
    frame = sys._getframe(1)
    record.declared = (frame.f_code.co_filename, frame.f_lineno)
    if rules:
        record.vjp(*rules)
    return record


class Composite:
    """A plain function of Tensors that is published like an op."""

    def __init__(
        self, fn: Callable[..., Any], public: str, aliases: str, inplace: bool, samples: Any
    ) -> None:
        self.fn = fn
        self.name = fn.__name__.rstrip("_") if not fn.__name__.startswith("_") else fn.__name__
        self.public = tuple(public.split())
        self.aliases = tuple(aliases.split())
        self.inplace = inplace
        self.samples = samples


def composite(
    fn: Callable[..., Any] | None = None,
    *,
    public: str = "torch Tensor",
    aliases: str = "",
    name: str | None = None,
    inplace: bool = False,
    samples: Any = (),
    dispatch: bool = True,
) -> Any:
    """Publish a function of Tensors under its name (in the namespaces `public`).

    Returns the function itself, which handles `__torch_function__` of its tensor arguments.
    """
    if fn is None:
        return lambda f: composite(
            f,
            public=public,
            aliases=aliases,
            name=name,
            inplace=inplace,
            samples=samples,
            dispatch=dispatch,
        )
    wrapped = overrides.dispatching(fn) if dispatch else fn
    record = Composite(wrapped, public, aliases, inplace, samples)
    if name is not None:
        record.name = wrapped.__name__ = name
    composites[f"{record.public[0] if record.public else ''}.{record.name}"] = record
    return wrapped
