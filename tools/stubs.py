"""Writes `rushlight-stubs/`: types for editors and type checkers of what is made at import.

    python tools/stubs.py             write the files
    python tools/stubs.py --check     say which are stale

Parameters are those of `inspect.signature`, which come from the records; their types come from
annotations in the sources, from the records (which operands may be numbers) and from the tables of
`stub_texts.py`. Types of results are seen: the samples of each operation are called. Modules whose
sources are annotated have no stub (decision 0042).
"""

from __future__ import annotations

import argparse
import ast
import builtins
import inspect
import keyword
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import stub_texts as texts  # noqa: E402

import rushlight  # noqa: E402
from rushlight import assembly  # noqa: E402
from rushlight.ops.core import described, return_types, samples  # noqa: E402
from rushlight.ops.core.record import Op, registry  # noqa: E402

HOME = ROOT / "rushlight-stubs"
Parameter = inspect.Parameter
Tensor = rushlight.Tensor

HEAD = '''"""Made by tools/stubs.py: change the tables there, or the sources."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeGuard, TypeVar, overload

'''
ALIASES = {n: f"_{n}" for n in ("bool", "bytes", "complex", "float", "int", "str")}
GENERIC = ("dict", "list", "tuple", "type")  # of which mypy takes no aliases
KNOWN = {
    *ALIASES.values(), *[f"_{n}" for n in GENERIC], "Any", "Callable", "Device", "Dims",
    "Generator", "Iterator", "Literal", "None", "Number", "Self", "Sequence", "Size", "Tensor",
    "_device", "_dtype", "_layout", "memory_format",
}  # fmt: skip
TYPES_FROM = '''from rushlight._stub_types import (
    Device as Device,
    Dims as Dims,
    Number as Number,
    _device as _device,
    _dtype as _dtype,
    _layout as _layout,
    _bool as _bool,
    _bytes as _bytes,
    _complex as _complex,
    _float as _float,
    _int as _int,
    _str as _str,
)
'''


# -- types of results ----------------------------------------------------------------------------


def of_result(value: Any) -> str:
    """The type of one result."""
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, return_types.ReturnType):
        return f"return_types.{type(value).__name__}"
    if isinstance(value, rushlight.Size):
        return "Size"
    if isinstance(value, rushlight.dtype):
        return "_dtype"
    if isinstance(value, (tuple, list)):
        kind = "_tuple" if isinstance(value, tuple) else "_list"
        inner = {of_result(v) for v in value}
        one = inner.pop() if len(inner) == 1 else "Any"
        return f"{kind}[{one}, ...]" if kind == "_tuple" else f"{kind}[{one}]"
    if value is None:
        return "None"
    name = type(value).__name__
    return ALIASES.get(name, "Any") if type(value).__module__ == "builtins" else "Any"


def operand(spec: Any) -> Any:
    """A tensor of the array that a sample describes."""
    if isinstance(spec, samples.static):
        return spec.value
    if isinstance(spec, np.ndarray):
        return rushlight.from_numpy(spec.copy())
    if isinstance(spec, list):
        return [operand(s) for s in spec]
    return spec


_results: dict[str, str] = {}


def result_type(fn: Any, method: bool) -> str:
    """The type of what a function returns, by its samples."""
    if fn.__name__ in texts.RESULTS:
        return texts.RESULTS[fn.__name__]
    made = fn.__dict__.get("composite") or fn.__dict__.get("op")
    if made is None and method:  # one of those that are written out for their record
        made = registry.get(fn.__name__)
    if made is None:
        return annotated(getattr(fn, "__annotations__", {}).get("return")) or "Any"
    stated = annotated(getattr(described.written_function(fn), "__annotations__", {}).get("return"))
    if stated and "Any" not in stated:
        return stated
    key = f"{type(made).__name__} {made.publication.spaces} {made.name}"
    if fn.__name__.endswith("_") and not fn.__name__.startswith("__"):
        return "Tensor"
    if key not in _results:
        _results[key] = seen(fn, made)
    return _results[key]


def seen(fn: Any, made: Any) -> str:
    found = set()
    for case in made.samples:
        args, kw = case.make(np.random.default_rng(0))
        args, kw = [operand(a) for a in args], {k: operand(v) for k, v in kw.items()}
        if isinstance(made, Op) and made.variadic and not isinstance(args[0], list):
            args = [args]
        try:
            found.add(of_result(fn(*args, **kw)))
        except Exception:
            continue
    return found.pop() if len(found) == 1 else "Any"


# -- types of parameters -------------------------------------------------------------------------


def annotated(text: Any) -> str | None:
    """An annotation of the sources as it is written here; None where it says nothing."""
    if not isinstance(text, str):
        text = getattr(text, "__name__", None)
    if text is None or text == "Any":
        return None
    text = re.sub(r"\b(?:dtypes\.)?(dtype|layout|device)\b", r"_\1", texts.plain(text))
    words = {n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)}
    return text if words <= KNOWN and "." not in text.replace("...", "") else None


def parameter_type(fn: Any, p: Parameter) -> str:
    """The type of a parameter."""
    name = f"{fn.__name__}"
    special = texts.PARAMETERS.get((name, p.name))
    if special is not None:
        return special
    made = fn.__dict__.get("op")
    kind = None
    if made is not None and p.name in made.inputs:
        place = made.inputs.index(p.name)
        numbers = made.numbers is None or place in made.numbers
        several = len(made.inputs) > 1 and made.promote is not None
        kind = texts.NUMBER if several and numbers else "Tensor"
    if kind is None:
        source = described.written_function(fn)
        kind = annotated(getattr(source, "__annotations__", {}).get(p.name))
    if kind is None and p.default.__class__ is int and p.name.startswith("dim"):
        kind = "_int"
    if kind is None:
        kind = texts.TYPES.get(p.name)
    if kind is None:
        kind = {bool: "_bool", int: "_int", float: "Number", str: "_str"}.get(type(p.default))
    if kind is None:
        return "Any"
    if p.default is None and "None" not in kind and kind != "Device":
        kind += " | None"
    return kind


def default_text(value: Any) -> str:
    if value is None or type(value) in (bool, int, str):
        return repr(value)
    return repr(value) if type(value) is float and value == value and abs(value) < 1e300 else "..."


def signature_text(fn: Any, method: bool) -> str:
    """The signature of a function, with types."""
    parts = []
    star = False
    out = []
    result = result_type(fn, method)
    for p in inspect.signature(fn).parameters.values():
        name = p.name + "_" if keyword.iskeyword(p.name) else p.name
        if p.kind is Parameter.VAR_POSITIONAL:
            parts.append(f"*{name}: {star_type(fn, p)}")
            star = True
            continue
        if p.kind is Parameter.VAR_KEYWORD:
            parts.append(f"**{name}: Any")
            continue
        if p.kind is Parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if method and not parts:
            parts.append(name)
            continue
        kind = parameter_type(fn, p)
        if p.name == "out" and ("tuple" in result or "return_types" in result):
            kind = "_tuple[Tensor, ...] | None"
        default = "" if p.default is Parameter.empty else f" = {default_text(p.default)}"
        parts.append(f"{name}: {kind}{default}")
        out.append(kind)
    return f"({', '.join(parts)}) -> {result}"


def star_type(fn: Any, p: Parameter) -> str:
    kind = texts.TYPES.get(p.name, "Any")
    return "_int" if kind == texts.SIZE else kind if kind == "Tensor" else "Any"


# -- definitions ---------------------------------------------------------------------------------


def shown(doc: str | None, indent: str) -> str:
    """A docstring as the body of a definition."""
    doc = inspect.cleandoc(doc or "")
    if not doc:
        return " ..."
    doc = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    inner = indent + "    "
    lines = doc.splitlines()
    ends = "" if len(lines) == 1 else f"\n{inner}"
    body = "\n".join(f"{inner}{line}".rstrip() if i else line for i, line in enumerate(lines))
    quote = '"' if len(lines) == 1 and body.endswith('"') else ""
    return f'\n{inner}"""{body}{" " if quote else ""}{ends}"""'


def definition(name: str, signatures: list[str], doc: str | None, indent: str = "") -> str:
    """`def` for each signature; the docstring stands at the last."""
    lines = []
    for i, text in enumerate(signatures):
        if len(signatures) > 1:
            lines.append(f"{indent}@overload")
        last = i == len(signatures) - 1
        lines.append(f"{indent}def {name}{text}:{shown(doc, indent) if last else ' ...'}")
    return "\n".join(lines) + "\n"


def as_method(text: str) -> str:
    """The overload of a function as that of a method."""
    tree = ast.parse(f"def f{text}: ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    tree.args.args[0].arg, tree.args.args[0].annotation = "self", None
    keep = [i for i, a in enumerate(tree.args.kwonlyargs) if a.arg != "out"]
    tree.args.kwonlyargs = [tree.args.kwonlyargs[i] for i in keep]
    tree.args.kw_defaults = [tree.args.kw_defaults[i] for i in keep]
    return f"({ast.unparse(tree.args)}) -> {ast.unparse(tree.returns)}"  # type: ignore[arg-type]


def function(name: str, fn: Any, space: str = "torch") -> str:
    """The stub of a published function."""
    table = {**texts.OVERLOADS, **texts.ALONE_OVERLOADS} if space == "torch" else {}
    signatures = table.get(name) or [signature_text(fn, False)]
    return definition(name, signatures, fn.__doc__)


def module(space: str, more: str = "") -> str:
    """The stub of a module of published functions."""
    names = assembly.namespaces[space]
    parts = [
        HEAD,
        "from rushlight import return_types as return_types\n",
        "from rushlight.layout import memory_format\n",
        "from rushlight.random import Generator\n",
        "from rushlight.size import Size\n",
        "from rushlight.tensor import Tensor\n",
        TYPES_FROM,
        more,
        "\n",
    ]
    for name in sorted(names):
        fn = names[name]
        if name.startswith("_") or not callable(fn):
            continue
        parts.append(function(name, fn, space))
    return "".join(parts)


def private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


# What `object` or Python itself has.
UNSHOWN = {
    "__annotations__", "__array_priority__", "__class__", "__dict__", "__doc__", "__module__",
    "__firstlineno__", "__static_attributes__",  # of Python 3.13
    "__slots__", "__weakref__", "__new__", "__init_subclass__", "__dir__", "__reduce_ex__",
    "__setstate__", "__hash__", "__getattr__", "__dataclass_fields__",
}  # fmt: skip
COMPARISONS = ("__eq__", "__ne__")
INPLACE = ("__iadd__", "__isub__", "__imul__", "__itruediv__", "__idiv__", "__imod__")


def operator_text(name: str) -> str | None:
    """The signature of one of Python's operators."""
    bare = name[2:-2]
    if name != f"__{bare}__":
        return None
    if name in COMPARISONS:
        return "(self, other: Any) -> Tensor"
    if bare in ("neg", "pos", "abs", "invert", "reversed"):
        return "(self) -> Tensor"
    arithmetic = "add sub mul truediv div floordiv mod pow matmul and or xor lshift rshift"
    for way in ("", "r", "i"):
        if bare in [way + n for n in arithmetic.split()]:
            kind = "Tensor" if bare.endswith("matmul") else texts.NUMBER
            return f"(self, other: {kind}) -> {'Self' if way == 'i' else 'Tensor'}"
    return f"(self, other: {texts.NUMBER}) -> Tensor" if bare in ["lt", "le", "gt", "ge"] else None


def members(cls: type) -> Iterator[str]:
    """The stubs of what a class has."""
    for name in sorted(set(vars(cls))):
        value = vars(cls)[name]
        if private(name) or name in UNSHOWN:
            continue
        if isinstance(value, property) or name in texts.PROPERTIES:
            yield attribute(name, value)
        elif isinstance(value, (classmethod, staticmethod)):
            texts_ = texts.METHODS.get(name, ["(cls, *args: Any, **kw: Any) -> Any"])
            yield f"    @classmethod\n{definition(name, texts_, value.__doc__, '    ')}"
        elif callable(value):
            yield method(name, value)
        else:
            kind = ALIASES.get(type(value).__name__, "Any")
            yield f"    {name}: {kind}\n"


def attribute(name: str, value: Any) -> str:
    get = getattr(value, "fget", None)
    said = annotated(getattr(get, "__annotations__", {}).get("return")) or "Any"
    kind = texts.PROPERTIES.get(name, "_bool" if name.startswith("is_") else said)
    text = f"    @property\n{definition(name, [f'(self) -> {kind}'], value.__doc__, '    ')}"
    if name in texts.WRITABLE:
        given = "Tensor | Number" if name in ("real", "imag") else kind
        text += f"    @{name}.setter\n    def {name}(self, value: {given}) -> None: ...\n"
    return text


def method(name: str, fn: Any) -> str:
    operator = operator_text(name)
    if name in texts.METHODS:
        signatures = texts.METHODS[name]
    elif operator is not None:
        signatures = [operator]
    elif name in texts.OVERLOADS:
        signatures = [as_method(t) for t in texts.OVERLOADS[name]]
    else:
        signatures = [signature_text(fn, True)]
    text = definition(name, signatures, fn.__doc__, "    ")
    if name in COMPARISONS:
        text = text.replace(":\n", ":  # type: ignore[override]\n", 1)
    return text


def tensor() -> str:
    """The stub of `rushlight/tensor.py`."""
    from rushlight.tensor import Buffer, Parameter

    parts = [
        HEAD,
        "from rushlight import return_types as return_types\n",
        "from rushlight.layout import memory_format\n",
        "from rushlight.random import Generator\n",
        "from rushlight.size import Size\n",
        TYPES_FROM,
        '\n_S = TypeVar("_S", bound="Tensor")\n\n',
        f"class Tensor:{shown(Tensor.__doc__, '')}\n\n",
        "    def __init__(self, *args: Any, **kw: Any) -> None: ...\n",
        "    __hash__ = object.__hash__\n",
        *members(Tensor),
    ]
    for cls, init in (
        (Parameter, "(self, data: Tensor | None = None, requires_grad: _bool = True) -> None"),
        (Buffer, "(self, data: Tensor | None = None, *, persistent: _bool = True) -> None"),
    ):
        parts.append(f"\nclass {cls.__name__}(Tensor):{shown(cls.__doc__, '')}\n\n")
        parts.append(f"    def __init__{init}: ...\n")
    parts.append("\ndef is_tensor(obj: Any) -> TypeGuard[Tensor]: ...\n")
    return "".join(parts)


def named_results() -> str:
    """The stub of `rushlight.return_types`: what several results come in."""
    known = sorted(return_types.all_return_types(), key=lambda c: c.__name__)
    parts = [
        '"""Made by tools/stubs.py: change the tables there, or the sources."""\n\n',
        "from typing import NamedTuple\n\nfrom rushlight.tensor import Tensor\n",
    ]
    for cls in known:
        body = "".join(f"    {field}: Tensor\n" for field in cls.fields)
        parts.append(f"\nclass {cls.__name__}(NamedTuple):\n{body}")
    return "".join(parts)


# -- the package itself --------------------------------------------------------------------------


# Modules that a type checker does not see, or not what they make: the types of what is in them.
UNTYPED = {"_C": "Any", "_ops": "Any", "dtypes_unheld": "_dtype"}


def imports() -> Iterator[str]:
    """The imports of `rushlight/__init__.py`, which a stub must repeat."""
    tree = ast.parse((ROOT / "rushlight" / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module is not None:
            for alias in node.names:
                if alias.asname is None:
                    yield f"from rushlight.{node.module} import {alias.name} as {alias.name}\n"
    for name, where in sorted(rushlight._FROM.items()):
        if name.startswith("_") or name.endswith("Storage") or name == "show":
            continue
        if where in UNTYPED:
            yield f"{name}: {UNTYPED[where]}\n"
        else:
            yield f"from rushlight.{where} import {name} as {name}\n"


def found(name: str) -> str:
    """How a submodule is imported: as such, or from `rushlight/namespaces`."""
    return f"from rushlight import {name} as {name}\n"


def package() -> str:
    """The stub of `rushlight` itself."""
    functions = assembly.namespaces["torch"]
    public = [n for n in sorted(functions) if not n.startswith("_")]
    modules = sorted(n for n in rushlight._LAZY if not n.startswith("_"))
    shadowed = [n for n in public if hasattr(builtins, n)]
    parts = [
        HEAD,
        *imports(),
        *[found(n) for n in modules if is_found(n)],
        "from rushlight.show import show as show\n",
        "from rushlight.tensor import Parameter as _Parameter\n",
        TYPES_FROM,
        "\n__version__: _str\n",
        "e: _float\ninf: _float\nnan: _float\npi: _float\nnewaxis: None\n",
    ]
    legacy = sorted(rushlight.legacy_tensors.LEGACY)
    parts += [f"{name}: _type[Tensor]\n" for name in legacy if name.endswith("Tensor")]
    del shadowed
    parts.append("\n")
    taken = {line.rsplit(" ", 1)[-1].strip() for line in imports() if "import" in line}
    parts += [function(n, functions[n]) for n in public if n not in taken]
    parts.append("\ndef __getattr__(name: _str) -> Any: ...\n")
    return "".join(parts)


def is_found(name: str) -> bool:
    """Whether a module has a stub or a source that says what is in it."""
    return name not in ("version",)


NAMESPACES = ROOT / "rushlight" / "namespaces"


def files() -> dict[str, str]:
    """The text of each file of the package."""
    generic = re.compile(rf"\b_({'|'.join(GENERIC)})\[")
    return {name: generic.sub(r"builtins.\1[", text) for name, text in texts_of_files().items()}


def texts_of_files() -> dict[str, str]:
    made = {
        "py.typed": "partial\n",
        "__init__.pyi": package(),
        "tensor.pyi": tensor(),
        "return_types.pyi": named_results(),
        "_stub_types.pyi": stub_types(),
        "linalg.pyi": module("linalg", "from rushlight.errors import LinAlgError as LinAlgError\n"),
        "fft.pyi": module("fft"),
        "special.pyi": module("special"),
        "nn/functional.pyi": module("nn.functional"),
    }
    for path in sorted(NAMESPACES.iterdir()):
        name = path.stem
        if name.startswith("_") or f"{name}.pyi" in made:
            continue
        inner = f"rushlight.namespaces.{name}"
        target = f"{name}.pyi" if path.suffix == ".py" else f"{name}/__init__.pyi"
        made[target] = (
            '"""Made by tools/stubs.py: the module is found in rushlight/namespaces."""\n\n'
            f"from {inner} import *\n"
        )
    return made


def stub_types() -> str:
    lines = [
        '"""Made by tools/stubs.py: names for the other stubs; there is no such module."""\n\n',
        "import builtins\nfrom collections.abc import Sequence\nfrom typing import TypeAlias\n\n",
        "from rushlight.device import device as _device\n",
        "from rushlight.dtypes import dtype as _dtype\n",
        "from rushlight.layout import layout as _layout\n\n",
    ]
    lines += [f"{new}: TypeAlias = builtins.{old}\n" for old, new in ALIASES.items()]
    lines += [
        "Number: TypeAlias = _int | _float | _bool | _complex\n",
        "Dims: TypeAlias = _int | Sequence[_int]\n",
        "Device: TypeAlias = _device | _str | _int | None\n",
    ]
    return "".join(lines)


def without_docs(text: str) -> str:
    """A stub without its docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = body[1:] or [ast.Expr(ast.Constant(...))]
    return ast.unparse(tree)


def stale(docs: bool = True) -> list[str]:
    """The files that are not as they would be written; with or without their docstrings."""
    made = files()
    there = {str(p.relative_to(HOME)) for p in HOME.rglob("*") if p.is_file()}
    out = sorted(there ^ {*made})
    for name in sorted(there & {*made}):
        text = (HOME / name).read_text(encoding="utf-8")
        same = text == made[name] or (
            not docs and name.endswith(".pyi") and without_docs(text) == without_docs(made[name])
        )
        out += [] if same else [name]
    return out


def main(argv: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    args = parser.parse_args(None if argv is None else list(argv))
    warnings.simplefilter("ignore")
    if args.check:
        found = stale()
        print("\n".join(found) or "all files are as they would be written")
        return 1 if found else 0
    for name, text in files().items():
        path = HOME / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
