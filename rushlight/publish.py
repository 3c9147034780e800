"""Derives what is public from the op records: Tensor methods, operators, in-place forms, `torch.*`
names.

Nothing here lists ops by hand: a record says which of Python's operators it is.
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType
from typing import Any

import numpy as np

from .autograd import changes, specialize
from .autograd import operators as bare_operators
from .ops.core import described as docs
from .ops.core import overrides
from .ops.core.composite import composites
from .ops.core.record import registry
from .tensor import Parameter, Tensor

namespaces: dict[str, dict[str, Any]] = {}
METHODS_ALONE = ("absolute",)  # whose form with an underscore is no function, in PyTorch as well


def publish(space: str, name: str, fn: Any) -> None:
    """Put a function in its place; a dotted name (an alias) stands in that namespace alone."""
    if "." in name:
        space, _, name = name.rpartition(".")
    namespaces.setdefault(space, {})[name] = fn
    if space == "Tensor":
        setattr(Tensor, name, fn)


def complete() -> None:
    """Raise for what a declaration lacks: sample calls, or a shape that is known beforehand."""
    for r in registry.values():
        states = r.numerics.shape is not None or r.numerics.data_dependent or r.view
        if r.kind == "op" and not states:
            raise TypeError(
                f"op {r.name}: its shape is not stated\n  try     {r.name}.shape(rule), with "
                "`same` or another rule of ops/core/shapes.py; or data_dependent=True"
            )
    lacking = [f"op {r.name}" for r in registry.values() if not r.samples.cases]
    lacking += [f"composite {k}" for k, c in composites.items() if not c.samples.stated]
    if lacking:
        raise TypeError(
            f"declared without samples: {', '.join(lacking)}\n  try     "
            "samples=[case((3, 4), dim=1)]"
        )


def derive() -> None:
    """Publish every record that has been declared."""
    complete()
    for record in registry.values():
        if not record.public:
            continue
        forms = forms_of(record)
        for name in record.publication.names(record.name):
            for space in record.public:
                form = "torch" if "." in name else space
                publish(space, name, forms.get(form, forms["torch"]))
        if record.inplace:
            inplace = described(record.inplace_method(), record, "inplace")
            method = described(record.inplace_method(), record, "inplace method")
            alone = record.inplace == "method"
            for name in record.publication.names(record.name, dotted=False):
                for space in record.public:
                    if alone and space != "Tensor":
                        continue
                    if space == "torch" and name in METHODS_ALONE:
                        continue
                    if space in ("torch", "Tensor") or record.publication.switch:
                        publish(space, name + "_", method if space == "Tensor" else inplace)
    for c in composites.values():
        if c.fn.__class__ is not FunctionType:  # a property
            publish("Tensor", c.name, c.fn)
            continue
        bound = "Tensor" in c.public
        plain: Any = c.fn
        method = plain
        if bound:
            if len(c.public) > 1:
                method = c.method()
                method.__doc__ = docs.method_doc(c.fn.__doc__, c.name)
            method.__signature__ = docs.later(docs.of_composite, c, c.name, "method")
        if method is not plain or not bound:
            plain.__signature__ = docs.later(docs.of_composite, c, c.name, "function")
        for name in c.publication.names(c.name):
            for space in c.public:
                alone = "." in name  # which stands in that namespace
                publish(space, name, method if space == "Tensor" and not alone else c.fn)
    share_docs()


def share_docs() -> None:
    """Give help to functions that are written by hand beside another one that has it: methods as
    functions, and forms in place."""
    functions, methods = namespaces["torch"], namespaces["Tensor"]
    for c in composites.values():
        method = Tensor.__dict__.get(c.name)
        if "as_function" in getattr(c.fn, "__dict__", ()) and method is not None:
            c.fn.__doc__ = method.__doc__
        elif c.name[-1] == "_" and not c.samples.random and ">>>" not in (c.fn.__doc__ or ""):
            plain = functions.get(c.name[:-1])
            if plain is not None and ">>>" in (plain.__doc__ or ""):
                doc = docs.inplace_doc(plain.__doc__, c.name[:-1])
                for found in (functions.get(c.name), methods.get(c.name)):
                    if found is not None:
                        found.__doc__ = doc


def forms_of(record: Any) -> dict[str, Any]:
    """The functions of a record: that of `torch` and all other spaces, and where they are not the
    same, those of Tensor and of `nn.functional`."""
    forms = {"torch": described(record.public_function(), record, "function")}
    if "Tensor" in record.public:
        method = record.method()
        method.__doc__ = docs.method_doc(record.__doc__, record.name)
        forms["Tensor"] = described(method, record, "method")
    if "nn.functional" in record.public:
        functional = record.functional()
        if functional is not forms["torch"]:
            forms["nn.functional"] = described(functional, record, "functional")
    return forms


def described(fn: Any, record: Any, form: str) -> Any:
    """`fn`, with a signature that is made when it is asked for."""
    name = record.name + "_" if form.startswith("inplace") else record.name
    fn.__signature__ = docs.later(docs.of_record, record, name, form)
    return fn


# -- operators -----------------------------------------------------------------------------------

COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")  # Python reflects these by itself


def inplace_operator(op: Any) -> Any:
    name, known = op.name.removesuffix("_plain") + "_", overrides.known

    def method(self: Any, other: Any) -> Any:
        if other.__class__ not in known and overrides.enabled() and overrides.special(other):
            return getattr(self, name)(other)  # which asks its class
        other = bare_operators.operand(op, other)
        if other is NotImplemented:
            return other
        if op.check is not None:
            op.check(self, other)
        return changes.apply_inplace(op, self, (other,), {})

    return specialize.inplace(op, method)


def operators() -> None:
    """Attach Python's operators."""
    kinds = (Tensor, Parameter)
    bare_operators.take_classes(*kinds)
    specialize.take_classes(*kinds)
    for op in registry.values():
        python = op.publication.operator
        if python is None:
            continue
        if len(op.inputs) == 1:
            setattr(Tensor, f"__{python}__", specialize.method(op, bare_operators.unary_plain(op)))
            continue
        setattr(Tensor, f"__{python}__", specialize.method(op, bare_operators.plain_binary(op)))
        if python not in COMPARE:
            reflected = specialize.method(op, bare_operators.plain_binary(op, swap=True), swap=True)
            setattr(Tensor, f"__r{python}__", reflected)
            if python != "matmul":
                setattr(Tensor, f"__i{python}__", inplace_operator(op))
    invert = Tensor.__invert__  # type: ignore[attr-defined]

    def checked_invert(self: Any) -> Any:
        if self._a.dtype.kind not in "iub":
            raise TypeError(
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
            )
        return invert(self)

    setattr(Tensor, "__invert__", checked_invert)  # noqa: B010 - mypy knows no method of that name
    cls: Any = Tensor
    cls.__radd__, cls.__rmul__ = cls.__add__, cls.__mul__  # commutative: one serves both sides
    cls.__pos__ = lambda self: self.positive()
    cls.__getitem__ = specialize.item(registry["select"], registry["slice"], cls.__getitem__)
    for old, new in (
        ("__div__", "__truediv__"),
        ("__rdiv__", "__rtruediv__"),
        ("__idiv__", "__itruediv__"),
    ):
        setattr(Tensor, old, getattr(Tensor, new))
    cls.__hash__ = object.__hash__
    for op in registry.values():
        if (
            op.kind == "elementwise"
            and op.ufunc is not None
            and isinstance(op.ufunc, np.ufunc)
            and op.ufunc.nin == 1
            and op.rules
            and op.promote == "float"
        ):
            plain = bare_operators.unary_plain(op)
            plain.__name__, plain.__doc__ = op.name, docs.method_doc(op.__doc__, op.name)
            setattr(Tensor, op.name, described(specialize.method(op, plain), op, "method"))
    cls.sum = over(registry["sum"], cls.sum, registry["sum_all"])
    cls.mean = over(registry["mean"], cls.mean, registry["mean"])


def give_names() -> None:
    """Let functions be called by where they are public, if their own name leads elsewhere: pickles
    (of processes, of whole modules) hold a function as its module and name."""
    package = __name__.rpartition(".")[0]
    found: set[int] = set()
    spaces = ["torch", "nn.functional", *namespaces]  # where a function has several, the first
    for space in dict.fromkeys(s for s in spaces if s != "Tensor"):
        home = package if space == "torch" else f"{package}.{space}"
        public = namespaces.get(space, {})
        for name, fn in public.items():
            if fn.__class__ is not FunctionType or id(fn) in found:
                continue
            found.add(id(fn))
            own = fn.__qualname__
            born = sys.modules.get(fn.__module__)
            if public.get(own) is not fn or born is None or vars(born).get(own) is not fn:
                fn.__module__, fn.__qualname__, fn.__name__ = home, name, name
    for name in namespaces["Tensor"]:
        method = Tensor.__dict__[name]
        if method.__class__ is FunctionType and id(method) not in found:
            found.add(id(method))
            method.__module__, method.__name__ = Tensor.__module__, name
            method.__qualname__ = f"Tensor.{name}"


def over(op: Any, plain: Any, whole: Any) -> Any:
    """The method for `a.sum()` and `a.sum(1)`: at once the ops `whole` and `op`, else `plain`."""
    short = specialize.plain
    alone = None if whole.defaults else specialize.method(whole, lambda a: plain(a))

    @functools.wraps(plain)
    def method(a: Any, *args: Any, **kw: Any) -> Any:
        if not kw:
            if not args and alone is not None:
                return alone(a)
            if a.__class__ in short and (not args or (len(args) == 1 and args[0].__class__ is int)):
                return op.core({"dim": args[0]} if args else kw, a)
        return plain(a, *args, **kw)

    return method
