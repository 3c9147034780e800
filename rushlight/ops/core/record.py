"""Op records: an op is declared once, and here is what a declaration is.

    @elementwise(samples=...)   a formula about one element, differentiated by itself unless it has
                                written rules
    @reduction(identity=...)    a formula that combines two partial results (in `reduction.py`)
    @op(samples=...)            a program on arrays
    @view(samples=...)          one whose result shares memory with its operand
    @composite(samples=...)     a function of Tensors made of other ops (in `composite.py`)

The decorated function becomes an `Op`: callable on ndarrays (array speed), on Tensors (through the
door) and on `Expr` (tracing). A record has five parts, each with a file of its own:

    signature     operands, parameters, ways of calling it
    numerics      types, memory and shape of the results
    derivative    rules, what they keep, the class of the nodes
    publication   namespaces, aliases, in-place form, named results
    samples       the calls that the generated tests make

The options of a decorator are the fields of these parts, and the door reads most of them as
attributes of the record itself.

Read next: `elementwise/arithmetic.py` for examples, `autograd/door.py` for what happens in a call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from types import FunctionType
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import call_text, door, op_node, operators, specialize
from ...autograd.node import TensorBase
from ...autograd.observe import on_observe
from ...autograd.steps import Step
from ...kernels.codegen import expr
from ...kernels.elementwise.formula import fuse, fuse_rule
from ...kernels.meta import MetaArray
from . import overrides
from .composite import Composite as Composite
from .composite import composite as composite
from .composite import composites as composites
from .derivative import LAZY as LAZY
from .derivative import PASS as PASS
from .derivative import Derivative, computed_wide, conjugated
from .derivative import camel as camel
from .derivative import unwritten as unwritten
from .derivative import up as up
from .numerics import Numerics, in_place
from .publication import Publication, functional_function, inplace_function, public_function
from .publication import write_out as write_out
from .samples import Samples
from .signature import Signature
from .types import Check, Forward, Public, Rule, ShapeRule

registry: dict[str, Op] = {}
ndarray = np.ndarray

# The options of a declaration, by the part that they are fields of. Those of `Publication` and
# `Samples` that are written otherwise than they are kept are read in `Op.__init__`.
PARTS = {
    "signature": ("varargs", "named", "numbers", "optional", "check"),
    "numerics": ("promote", "low", "rounds", "autocast", "view", "fresh", "rows", "outputs",
                 "ufunc", "combine", "identity", "data_dependent", "into", "mutates", "accepts",
                 "exact_out", "unmixed", "apart", "numpy", "fixed"),
    "derivative": ("differentiable", "holomorphic", "saves", "copies"),
    "samples": ("errors", "smooth", "constant", "once", "layout", "no_narrow"),
}  # fmt: skip
PART_OF = {option: part for part, options in PARTS.items() for option in options}


class Op:
    """One operation: what it computes, its derivative, its shapes, its samples.

    Attributes:
        fn: the forward on arrays.
        formula: of an elementwise op, the function as it was written; `fn` may run it by a kernel.
        plan: (*arrays or MetaArrays, **params) -> the plan of the forward; None: a launch of `fn`.
        rule_plan: the same for the rule, where that is one plan.
        declared: (file, line) of the declaration.
        part_of: the public function some calls of which it is, where another record is the others.
        inplace_name: what a change in place is called.
    """

    def __init__(self, fn: Forward, kind: str, **options: Any) -> None:
        given: dict[str | None, dict[str, Any]] = {part: {} for part in (*PARTS, None)}
        for k, v in options.items():
            given[PART_OF.get(k)][k] = v
        options = given[None]  # the others
        self.fn = self.formula = fn
        self.kind = kind
        self.name: str = options.pop("name", None) or fn.__name__.rstrip("_")
        self.part_of: str | None = options.pop("part_of", None)
        self.inplace_name: str = (self.part_of or self.name) + "_"
        self.__doc__ = fn.__doc__
        self.declared: tuple[str, int] = (fn.__code__.co_filename, fn.__code__.co_firstlineno)
        self.__name__ = self.name
        self.__module__ = fn.__module__
        self.signature = Signature(fn, self.name, **given["signature"])
        given["numerics"].setdefault("fresh", kind != "op")
        self.numerics = Numerics(kind, **given["numerics"])
        node = options.pop("node", None) or camel(self.name) + "Backward0"
        self.derivative = Derivative(node, **given["derivative"])
        if self.numerics.outputs == 2 and self.derivative.differentiable == (0,):
            # of a value and its index, rules use the index alone, unless the record says otherwise
            self.derivative.saves = self.derivative.saves or (1,)
        self.publication = Publication(
            tuple((options.pop("public", "torch Tensor") or "").split()),
            tuple((options.pop("aliases", "") or "").split()),
            options.pop("inplace", inplace_form(kind, len(self.signature.inputs))),
            options.pop("switch", False),
            options.pop("prepare", None),
            options.pop("one_way", None),
            options.pop("operator", None),
            options.pop("return_type", None),
            fn.__doc__,
            options.pop("out_of_truths", False),
        )
        self.plan: Callable[..., Any] | None = options.pop("plan", None)
        self.rule_plan: Callable[..., Any] | None = options.pop("rule_plan", None)
        self.samples = Samples(options.pop("samples", []), **given["samples"])
        if options:
            raise TypeError(f"{self.name}: a record has no option {', '.join(options)}")
        if kind == "elementwise":
            n = self.numerics
            seen = None if n.ufunc is None else self
            self.fn = fuse(
                fn, self.name, seen, widens=n.compute, numpy=n.numpy, fixed=n.fixed.get(None)
            )
            if n.into is None:
                n.into = in_place(self)
        self._take()
        self._nodes: dict[str, type[op_node.OpNode]] = {}
        # the plain one of `_nodes`, once needed
        self.float_node: type[op_node.OpNode] | None = None

    def _take(self) -> None:
        """Put what the door reads in every call on the record itself."""
        s, n, d = self.signature, self.numerics, self.derivative
        self.inputs: list[str] = s.inputs
        self.input_defaults: list[Any] = s.input_defaults
        self.defaults: dict[str, Any] = s.defaults
        self.variadic: bool = s.variadic
        self.bare: bool = s.bare
        self.check: Check | None = s.check
        self.unchecked = s.check is None and self.publication.return_type is None
        self.numbers: tuple[int, ...] | None = s.numbers
        self.promote: str | None = n.promote
        self.rounds: bool = n.rounds
        self.accepts: Any = n.accepts
        self.compute: bool = n.compute
        self.widen: bool = n.widen
        self.unmixed: Any = n.unmixed
        self.view: bool = n.view
        self.fresh: bool = n.fresh
        self.outputs: int = n.outputs
        self.ufunc: Any = n.ufunc
        self.apart: str | None = n.apart
        self.into: Step | None = n.into
        self.return_type: Callable[[Any], Any] | None = self.publication.return_type
        self.differentiable: tuple[int, ...] | None = d.differentiable
        self.saves: tuple[int, ...] | None = d.saves
        self._take_rules()

    def _take_rules(self) -> None:
        d = self.derivative
        self.rules: tuple[Any, ...] | None = d.rules
        self.joint_rule: bool = d.joint
        self.keep_y: bool = d.keep_y
        self.wants_shapes: bool = d.wants_shapes
        self.wants_needs: bool = d.wants_needs
        self.rule_names: tuple[tuple[str, ...], ...] = d.names
        self.keeps, self.kept = d.keeps, d.kept

    autocast = property(attrgetter("numerics.autocast"))
    required = property(attrgetter("signature.required"))
    varargs = property(attrgetter("signature.varargs"))
    optional = property(attrgetter("signature.optional"))
    holomorphic = property(attrgetter("derivative.holomorphic"))
    copies = property(attrgetter("derivative.copies"))
    node_name = property(attrgetter("derivative.node_name"))
    public = property(attrgetter("publication.spaces"))
    aliases = property(attrgetter("publication.aliases"))
    inplace = property(attrgetter("publication.inplace"))

    def __repr__(self) -> str:
        return f"<op {self.name}: {self.kind}>"

    # -- declaring ---------------------------------------------------------------------------

    def vjp(self, *rules: Rule | None) -> Op:
        """One rule an input: (g, y, *inputs, **params) -> gradient; a name with _ is not kept."""
        if not self.variadic and len(rules) != len(self.inputs):
            raise TypeError(f"{self.name}: {len(rules)} rules for {len(self.inputs)} inputs")
        return self._ruled(rules, False)

    def joint(self, rule: Rule) -> Op:
        """One rule for all inputs, where their gradients share work; returns a tuple."""
        return self._ruled((rule,), True)

    def _ruled(self, rules: tuple[Any, ...], joint: bool) -> Op:
        self.__dict__.pop("core", None)
        if joint and any(i is not None for i in self.numerics.fixed):
            raise TypeError(f"{self.name}: fixed= names a rule, but a joint one has no kernel")
        self.derivative.take(rules, joint)
        self._take_rules()
        return self

    def shape(self, rule: ShapeRule) -> Op:
        """(*inputs, **params) -> MetaArray(s): shape and type of the result without computing
        it."""
        self.numerics.shape = rule
        return self

    def bits(self, rule: Forward) -> Forward:
        """(UnresolvedArray, **params) -> the result of a view of it."""
        self.numerics.bits = rule
        return rule

    def planned(self, plan: Callable[..., Any], rule: Callable[..., Any] | None = None) -> Op:
        """Say how the forward, and the rule, are planned; `rushlight.show` prints it."""
        self.plan, self.rule_plan = plan, rule
        return self

    def get_rules(self) -> tuple[Any, ...] | None:
        """The rules; those of a formula are derived when they are first asked for."""
        if self.rules is LAZY:
            self.derivative.derive(self.formula, len(self.inputs))
            self._take_rules()
        return self.rules

    # -- nodes -------------------------------------------------------------------------------

    def node_class(self, dtype: Any, low: Any) -> type[op_node.OpNode]:
        """The class of this call's node: plain, or with rules wrapped for narrow or complex
        types."""
        kind = "low" if low and self.compute else "plain"
        if self.holomorphic and dtype.__class__ is not tuple and dtype.kind in "cW":
            # a holomorphic op has a complex result exactly when an operand is complex
            kind = "complex"
        found = self._nodes.get(kind)
        return self.new_node_class(kind) if found is None else found

    def new_node_class(self, kind: str) -> type[op_node.OpNode]:
        """The class of one kind of nodes: "plain", "low", "complex", or "first", of calls that want
        the first of several outputs alone."""
        written, one = self.get_rules() or (), kind == "first" or self.outputs == 1
        wrapped = {"low": self._low_rule, "complex": conjugated}.get(kind, self._fused_rule)
        rules = tuple(
            unwritten(self.name) if r is None else wrapped(r, i) for i, r in enumerate(written)
        )
        rule_kw = self.rule_names or ((),) * len(rules)
        base = op_node.FirstNode if kind == "first" else op_node.OpNode
        of = call_text.First(self) if kind == "first" else self
        run = (
            operators.run_pass
            if written == (PASS, PASS)
            else specialize.run(of, rules, rule_kw, base.run)
        )
        found = self._nodes[kind] = type(
            self.node_name,
            (base,),
            {
                "__slots__": (),
                "__module__": "rushlight",
                "op": self,
                "rules": rules,
                "rule_kw": rule_kw,
                "joint": self.joint_rule,
                "elementwise": self.kind == "elementwise",
                "nothing": () if self.variadic else (None,) * (len(self.inputs) + 1),
                **({"n_out": 1} if one else {}),
                **op_node.saved_names(self),
                **({} if run is None else {"run": run}),
                **({} if self.rule_names else {"kw": None}),
            },
        )
        if kind == "plain":
            self.float_node = found
        return found

    def _fused_rule(self, rule: Rule, i: int) -> Rule:
        """The rule of a formula by a kernel where arrays are large; other rules as they are."""
        # rules of arithmetic stay bare: they are called most often
        if self.kind != "elementwise" or self.joint_rule or self.numerics.numpy == "arithmetic":
            return rule
        return self._by_kernel(rule, i)

    def _low_rule(self, rule: Rule, i: int) -> Rule:
        """The rule of narrow floats, which compute in float32: by a kernel, or brought there."""
        if self.kind != "elementwise" or self.joint_rule:
            return computed_wide(rule)
        return self._by_kernel(rule, i, computed_wide(rule))

    def _by_kernel(self, rule: Rule, i: int, otherwise: Rule | None = None) -> Rule:
        name, n = f"{self.name}_backward{i}", self.numerics
        return fuse_rule(
            rule, name, otherwise, numpy=n.numpy, fixed=n.fixed.get(i)
        )

    @property
    def plain_node(self) -> type[op_node.OpNode]:
        return self.node_class((), 0)

    @property
    def first_node(self) -> type[op_node.OpNode]:
        """The class of the nodes that `first` makes."""
        return self._nodes.get("first") or self.new_node_class("first")

    # -- calling -----------------------------------------------------------------------------

    def core(self, kw: dict[str, Any], *inputs: Any) -> Any:
        """What `door.apply` calls: the door written out for this op, when it is first needed."""
        made = self.__dict__["core"] = specialize.core(self)
        return made(kw, *inputs)

    def change(self, kw: dict[str, Any], *inputs: Any) -> Any:
        """What `changes.apply_inplace` calls: the result in the first operand's memory."""
        made = self.__dict__["change"] = specialize.change(self)
        return made(kw, *inputs)

    def __call__(self, *args: Any, **kw: Any) -> Any:
        """On arrays: the forward at once. On Tensors: through the door. On Expr: one more node."""
        for a in args:
            if a.__class__ is ndarray:
                return self.fn(*args, **kw)
            if isinstance(a, TensorBase):
                return door.apply(self, self.signature.pad(args), kw)
            if a.__class__ is expr.Expr:
                return self.formula(*args, **kw) if kw else a.trace.call(self, args)
            if isinstance(a, MetaArray):
                return self.infer(list(args), kw)
        return self.fn(*args, **kw)

    def call_shown(self, *args: Any, **kw: Any) -> Any:
        """`__call__` while somebody observes: what is computed on arrays passes the door."""
        for a in args:
            if a.__class__ is ndarray:
                return door.perform(self, args, kw)
            if isinstance(a, (TensorBase, expr.Expr, MetaArray)):
                return Op.call_plainly(self, *args, **kw)
        return door.perform(self, args, kw)

    call_plainly = __call__

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[str, ...]:
        """What one call writes to (see `autograd/steps.py`)."""
        return self.numerics.mutates

    def call(self, inputs: tuple[Any, ...], kw: dict[str, Any], known_as: Any = None) -> Any:
        """A public call, as composites make it: check the operands' kinds, honour subclasses, go
        through the door. Written out for this op, when it is first needed.

        `known_as` is what `__torch_function__` is told of, if not the function of this name.
        """
        made = self.__dict__["call"] = specialize.call(self, self.call_checked)
        return made(inputs, kw, known_as)

    def first(self, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """`call(inputs, kw)[0]`, where gradients come to the first of several outputs alone and
        nobody else asks for the others: no tensors are made of these, and the node has one output.
        """
        made = self.__dict__["first"] = specialize.first(self, self.first_of_all)
        return made(inputs, kw)

    def first_of_all(
        self, inputs: tuple[Any, ...], kw: dict[str, Any], known_as: Any = None
    ) -> Any:
        """`first` for all kinds of operands."""
        return self.call(inputs, kw, known_as)[0]

    def first_and_others(
        self, inputs: tuple[Any, ...], kw: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...]]:
        """`first`, and all outputs beside it: their arrays, or tensors where the call was no common
        one."""
        made = self.__dict__["first_and_others"] = specialize.first(
            self, self.first_and_tensors, hands_on=True
        )
        return made(inputs, kw)

    def first_and_tensors(
        self, inputs: tuple[Any, ...], kw: dict[str, Any], known_as: Any = None
    ) -> tuple[Any, tuple[Any, ...]]:
        """`first_and_others` for all kinds of operands."""
        found = self.call(inputs, kw, known_as)
        return found[0], found

    def call_checked(
        self, inputs: tuple[Any, ...], kw: dict[str, Any], known_as: Any = None
    ) -> Any:
        """`call` for all kinds of operands."""
        ordinary = overrides.ordinary
        if self.unchecked and inputs and inputs[0] is not None:
            for t in inputs:
                if t is not None and t.__class__ not in ordinary:
                    break
            else:
                if door.apply is door.plain_apply:
                    return self.core(kw, *inputs)  # as it does: this is called very often
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
            args = (inputs,) if self.variadic else inputs  # as they are written in a call
            return overrides.dispatch(known_as or self.public_function(), args, kw, inputs)
        if not found:
            if not inputs:
                raise self.signature.empty_list()
            if self.name not in OF_NUMBERS or None in inputs:
                raise self.not_a_tensor(0, inputs[0])
            inputs = tuple([door.wrap(np.asarray(t, dtypes.scalar_dtype(t).np)) for t in inputs])
        if self.check is not None:
            self.check(*inputs)
        out = door.apply(self, inputs, kw)
        return self.return_type(out) if self.return_type is not None else out

    def infer(self, arrays: list[Any], kw: dict[str, Any]) -> Any:
        """Shape and type of the result as MetaArray(s), without computing it."""
        return self.numerics.infer(self.name, self.fn, arrays, kw)

    def bind(
        self, args: tuple[Any, ...], kw: dict[str, Any], called: str | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """PyTorch's calling conventions -> (tensors, static parameters)."""
        return self.signature.bind(args, kw, called)

    def not_a_tensor(self, i: int, t: Any) -> TypeError:
        """What to raise when operand `i` is not a tensor."""
        return self.signature.not_a_tensor(i, t)

    @cached_property
    def _public(self) -> Public:
        return public_function(self)

    def public_function(self) -> Public:
        """PyTorch's function of this name."""
        return self._public

    def method(self) -> Public:
        """`Tensor.name`: a function of its own, which help and signatures show as a method."""
        return public_function(self, method=True)

    @cached_property
    def _functional(self) -> Public:
        return functional_function(self)

    def functional(self) -> Public:
        """`nn.functional`'s function of this name."""
        made = self.publication
        return self._functional if made.switch or made.prepare is not None else self._public

    def inplace_method(self) -> Public:
        """`Tensor.name_`."""
        return inplace_function(self)


# What computes of two numbers, too: a tensor, as in PyTorch.
OF_NUMBERS = frozenset(("add", "sub", "mul", "div", "true_div", "floor_divide", "trunc_divide"))


def inplace_form(kind: str, operands: int) -> bool | str:
    """What in-place form a record has that does not say: formulas of one operand have functions
    `torch.name_` too, those of several have methods, as in PyTorch."""
    return kind == "elementwise" and (operands == 1 or "method")


# -- decorators ----------------------------------------------------------------------------------


def register(record: Op) -> Op:
    """Enter a record under its name."""
    if record.name in registry:
        raise ValueError(f"op {record.name} is declared twice")
    registry[record.name] = record
    return record


def op(**options: Any) -> Callable[[Forward], Op]:
    """Declare a program on arrays."""
    return lambda fn: register(Op(fn, "op", **options))


def view(**options: Any) -> Callable[[Forward], Op]:
    """Declare an op whose result is a view of its first input (data movement: any type as it
    is)."""
    return lambda fn: register(Op(fn, "op", view=True, low="keep", **options))


def elementwise(**options: Any) -> Callable[[Forward], Op]:
    """Declare a formula about one element. Its derivative is derived from the formula unless
    written (`derive=False`: it has none)."""
    derive = options.pop("derive", True)

    def declare(fn: Forward) -> Op:
        options.setdefault("promote", "common" if fn.__code__.co_argcount > 1 else "float")
        record = register(Op(fn, "elementwise", **options))
        if derive and record.ufunc is None:
            record.derivative.rules = record.rules = LAZY
        return record

    return declare


def intrinsic(name: str, ufunc: Any, *rules: Rule | None, **options: Any) -> Op:
    """Declare a primitive of the formula language: a NumPy ufunc with its derivative, or a function
    that is used as one. `other` is PyTorch's name of the second operand, if it has one of its own.
    """
    nin = options.pop("nin", None) or ufunc.nin
    doc = options.pop("doc", None)
    names = ("input", options.pop("other", "other"))[:nin]
    if isinstance(ufunc, FunctionType) and ufunc.__code__.co_varnames[:nin] == names:
        forward = ufunc
    elif nin == 1:

        def forward(input: Any) -> Any:  # type: ignore[misc]
            return ufunc(input)
    else:

        def forward(input: Any, other: Any) -> Any:  # type: ignore[misc]
            return ufunc(input, other)

    forward.__name__ = name
    forward.__doc__ = doc or f"Elementwise {name}."
    options.setdefault("promote", "common" if nin > 1 else "float")
    record = register(Op(forward, "elementwise", ufunc=ufunc, **options))
    record.signature.inputs[:] = names
    frame = sys._getframe(1)
    record.declared = (frame.f_code.co_filename, frame.f_lineno)
    if rules:
        record.vjp(*rules)
    return record


def _on_observe(observed: bool) -> None:
    Op.__call__ = Op.call_shown if observed else Op.call_plainly  # type: ignore[method-assign]


on_observe.append(_on_observe)
