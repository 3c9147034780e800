"""PyTorch's test tools, `torch.testing._internal` of its wheel, on the drop-in.

They are programs that import nearly all of PyTorch, most of it for tests that are not ours. So,
*for the files of the wheel alone* and for the imports at the top of a test file, a name or module
that Rushlight lacks is a `Blank`: false, and callable. A test that uses one fails by its name.
Nothing here is seen by the tests themselves: a name that is missing there is missing.
"""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

# A process that a test starts begins with the drop-in, and would not find the wheel any more.
FOUND = "RUSHLIGHT_PYTORCH_TESTS_WHEEL"


def wheel() -> str:
    """The folder of PyTorch's wheel, or nothing."""
    if FOUND not in os.environ:
        spec = importlib.util.find_spec("torch")
        os.environ[FOUND] = next(iter((spec and spec.submodule_search_locations) or ()), "")
    return os.environ[FOUND]


FOLDER = wheel()
# What the test tools are made of, read from the wheel although Rushlight has a module above them.
FROM_WHEEL = ("torch.testing._", "torch.utils._import_utils")


# PyTorch lacks them too, and its tables ask whether they are there.
NOBODYS = ("_foreach_zero", "_foreach_copy", "zero", "copy",
           *(f"_foreach_{name}_" for name in ("clone", "max", "mm", "norm", "powsum")))  # fmt: skip


def assert_metadata_eq(assert_eq: Any, m1: Any, m2: Any, **_options: Any) -> None:
    """Ask `assert_eq` of all that can be told of two tensors without looking at their data."""
    for name in ("dtype", "shape", "requires_grad", "is_leaf", "is_sparse", "layout"):
        assert_eq(getattr(m1, name), getattr(m2, name))
    for name in ("is_inference", "is_conj", "is_neg", "stride", "storage_offset", "_is_view"):
        assert_eq(getattr(m1, name)(), getattr(m2, name)())


# Where a Blank would not do.
GIVEN: dict[str, Any] = {
    "torch._subclasses.meta_utils.assert_metadata_eq": assert_metadata_eq,
    "torch._C._get_privateuse1_backend_name": lambda: "privateuseone",
    "torch._C._len_torch_function_stack": lambda: 0,
    "torch._C._TorchFunctionState.ENABLED": 0,
    "torch._C._get_torch_function_state": lambda: 0,
    "torch._utils_internal.get_file_path_2": lambda _root, _torch, *p: os.path.join(FOLDER, *p),
    "torch._C.has_lapack": True,
    "torch._C.has_spectral": True,
    "torch._C._get_cpu_capability": lambda: "DEFAULT",
}


class Blank:
    """What stands where Rushlight has nothing; false, and calls give another."""

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return ()  # of a module
        if name.startswith("__") or name == "parametrize_fn":
            raise AttributeError(name)
        if asked_by_tools(sys._getframe(1)):
            return blank(f"{self._name}.{name}")
        raise AttributeError(f"Rushlight has no {self._name}.{name} (a blank)")

    def __call__(self, *args: Any, **kw: Any) -> Any:
        if asked_by_tools(sys._getframe(1)):
            # a decorator gives back what it decorates
            if len(args) == 1 and not kw and callable(args[0]) and not isinstance(args[0], Blank):
                return args[0]
            return Blank(f"{self._name}()")
        raise AttributeError(f"Rushlight has no {self._name} (a blank)")

    def __instancecheck__(self, item: Any) -> bool:
        return False

    __subclasscheck__ = __instancecheck__

    def __iter__(self) -> Any:
        return iter(())

    def __contains__(self, item: Any) -> bool:
        return False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def __mro_entries__(self, bases: Any) -> Any:
        return (object,)

    def __or__(self, other: Any) -> Any:
        return other

    __ror__ = __or__

    def __getitem__(self, key: Any) -> Any:
        return self

    def __lt__(self, other: Any) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__


def blank(name: str) -> Any:
    if name == "torch.float4_e2m1fn_x2":
        from rushlight import dtypes, dtypes_unheld

        GIVEN[name] = dtypes_unheld.Unheld("float4_e2m1fn_x2", 1, dtypes.FLOAT)
    if name.startswith("torch._foreach_"):
        return nothing  # their table asks whether there is such a function
    return GIVEN[name] if name in GIVEN else Blank(name)


def nothing(*args: Any, **kw: Any) -> None:
    raise NotImplementedError("a function that Rushlight lacks")


class BlankModule(ModuleType):
    """A module that Rushlight lacks."""

    __path__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if asked_by_tools(sys._getframe(1)):
            return blank(f"{self.__name__}.{name}")
        raise AttributeError(f"Rushlight has no {self.__name__}.{name} (a blank)")


def asked_by_tools(frame: Any) -> bool:
    """Whether a file of the wheel asks, or the top of a test file."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(FOLDER):
            return True
        if file == __file__ or "importlib" in file or "/rushlight/dropin/" in file:
            frame = frame.f_back
            continue
        return "/test/" in file and at_import(frame)
    return False


def at_import(frame: Any) -> bool:
    """Whether a frame is the body of a module, or that of a class in it."""
    while {"__qualname__", "__module__"} <= frame.f_locals.keys():
        frame = frame.f_back
    return bool(frame.f_code.co_name == "<module>")


class Blanks:
    """The finder behind all others: `torch.*` that nobody has, where test tools ask."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if not name.startswith("torch.") and name not in ("torch_npu", "caffe2"):
            return None
        if name.startswith(FROM_WHEEL):
            return None
        if not asked_by_tools(sys._getframe(1)):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore

    def create_module(self, spec: Any) -> ModuleType:
        return BlankModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class Wheel:
    """The finder in front of all others: `torch.testing._*` from the wheel."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if not name.startswith(FROM_WHEEL):
            return None
        parts = name.split(".")[1:]
        folder = "/".join([FOLDER, *parts[:-1]])
        return importlib.machinery.PathFinder.find_spec(name, [folder])


def install() -> None:
    """The drop-in, and the test tools on it."""
    from rushlight import dropin
    from rushlight.dropin import mentioned, missing

    dropin.install(with_children=True)
    sys.meta_path.insert(0, Wheel())  # type: ignore
    import torch
    import torch._C
    import torch.testing

    torch.testing.__path__ = []
    for name in [n for n in sys.modules if n.startswith(FROM_WHEEL)]:
        del sys.modules[name]  # files of ours that have the names of the wheel's
    importlib.import_module("torch.testing._utils")  # PyTorch's `torch.testing` imports it
    sys.modules["torch._C"].__dict__.setdefault("__path__", [])
    soften(missing, mentioned)
    soften_operators(torch.ops)
    finder = importlib.import_module("rushlight.dropin.finder")
    old = finder.Finder.find_spec

    def find_spec(self: Any, fullname: str, path: Any, target: Any = None) -> Any:
        try:
            return old(self, fullname, path, target)
        except ModuleNotFoundError:
            if fullname.startswith("torch.") and asked_by_tools(sys._getframe(1)):
                return Blanks().find_spec(fullname, path)
            raise

    finder.Finder.find_spec = find_spec
    sys.meta_path.append(Blanks())  # type: ignore


def soften(missing: Any, mentioned: Any) -> None:
    """Missing names of our modules are Blanks for the test tools, and those of modules that there
    are only to be asked for (`dropin/mentioned.py`)."""
    for module in list(missing.attached):
        wrap(module, missing)
    old = missing.attach

    def attach(module: ModuleType) -> None:
        new = module not in missing.attached
        old(module)
        if new:
            wrap(module, missing)

    missing.attach = attach
    made_before = mentioned.make

    def make(full: str) -> ModuleType | None:
        module = made_before(full)
        if module is not None:
            vars(module)["__getattr__"] = functools.partial(lacked, full)
            wrap(module, missing)
        return module

    mentioned.make = make


def lacked(full: str, name: str) -> None:
    raise AttributeError(f"module '{full}' has no attribute '{name}'")


def soften_operators(ops: Any) -> None:
    """`torch.ops.aten.name` of an operator that Rushlight lacks is a Blank for the test tools."""
    if not hasattr(ops, "aten"):
        return
    kind = type(ops.aten)
    told = kind.__getattr__

    def __getattr__(self: Any, name: str) -> Any:
        try:
            return told(self, name)
        except AttributeError:
            if name.startswith("__") or not asked_by_tools(sys._getframe(1)):
                raise
            return blank(f"torch.ops.aten.{name}")

    kind.__getattr__ = __getattr__


def wrap(module: ModuleType, missing: Any) -> None:
    told = vars(module).get("__getattr__")
    if told is None:
        return

    def __getattr__(name: str) -> Any:
        frame = sys._getframe(1)
        try:
            return told(name)
        except (AttributeError, ImportError):
            if name.startswith("__") or name in NOBODYS or not asked_by_tools(frame):
                raise
            return blank(f"{missing.shown(module.__name__)}.{name}")

    module.__getattr__ = __getattr__  # type: ignore[method-assign]
