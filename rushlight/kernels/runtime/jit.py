"""Machine code from kernels: compile with LLVM, keep the result on disk, load it.

`load(key, build, exports)` gives the addresses of a kernel's functions. The code comes from memory,
from the disk cache, or from `build()`, which writes the kernel as an `ir.Module`. The name of a
cached file is a hash over the key, this package's kernel sources, LLVM's version and the CPU, so a
file is never stale: what does not fit is not found.

One of the processes that want a kernel at the same moment makes it (`turns.py`); files that are
damaged or cannot be written are no errors (`disk.py`). Without llvmlite, or with RUSHLIGHT_JIT=0,
`available()` is False and everything runs through NumPy.

Not here: writing kernels (`codegen/ir.py`), calling them from Python (`builtin.py`).
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..codegen import ir
from . import disk, turns

_lock = threading.RLock()
_loaded: dict[Any, dict[str, int]] = {}
_links = 0


@dataclass
class Counts:
    """What happened since the start: kernels compiled, read from disk, and the seconds it took."""

    compiled: int = 0
    read: int = 0
    seconds: float = 0.0
    refused: list[str] = field(default_factory=lambda: disk.refused)  # and why LLVM is


counts = Counts()


@functools.cache
def available() -> bool:
    """Whether kernels can be compiled here."""
    if os.environ.get("RUSHLIGHT_JIT", "1").lower() in ("0", "off", "no", "false"):
        return False
    if sys.maxsize < 2**32 or "t" in getattr(sys, "abiflags", ""):
        return False  # the fields of an ndarray lie elsewhere: 32 bits, or no global lock
    try:
        target()
    except Exception as error:  # llvmlite is missing, too old or does not know this CPU
        counts.refused.append(f"LLVM: {error}")
        return False
    return True


@dataclass(frozen=True)
class Target:
    """The CPU that code is made for."""

    cpu: str
    features: str
    lanes: int  # float32 values in a vector register
    machine: Any
    session: Any
    version: str
    has_half: bool = True  # instructions that convert float16
    has_dot: bool = False  # one that multiplies pairs of bfloat16 (AVX512-BF16)

    @property
    def stores_masked(self) -> bool:
        """Whether an instruction writes some lanes of a vector as fast as all of them."""
        return self.lanes == 16


@functools.cache
def target() -> Target:
    """LLVM, started for this machine."""
    import llvmlite
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()  # for `fma_of`
    cpu = llvm.get_host_cpu_name()
    has = llvm.get_host_cpu_features()
    features = has.flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="small"
    )
    if has.get("avx512f") and has.get("avx512dq") and has.get("avx512vl"):
        lanes = 16
    elif has.get("avx2") and has.get("fma"):
        lanes = 8
    elif has.get("fma") or not llvm.get_default_triple().startswith(("x86", "i")):
        lanes = 4
    else:
        raise RuntimeError(f"{cpu} cannot multiply and add in one step")
    session = llvm.create_lljit_compiler(machine)
    keep_for_ever(session)
    version = f"{llvmlite.__version__} {'.'.join(map(str, llvm.llvm_version_info))}"
    has_half = bool(has.get("f16c")) or not llvm.get_default_triple().startswith(("x86", "i"))
    has_dot = bool(has.get("avx512bf16")) and lanes == 16
    return Target(cpu, features, lanes, machine, session, version, has_half, has_dot)


def keep_for_ever(thing: Any) -> None:
    """Let an object outlive the interpreter: a thread may still be in code that it owns."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


# -- compiling -----------------------------------------------------------------------------------

# What LLVM does to a kernel before it chooses instructions. Kernels are written as they shall run
# (vectors, the loops that want to be unrolled, what is computed before a loop), so this brings
# variables into registers, unrolls, and computes nothing twice. LLVM's own list (O3) takes five
# times as long: of the kernels of a step of ResNet-18 and of a GPT 3.9 s, beside 3.5 s of making
# code, on an EPYC 7003. There most kernels are as fast without it; copies into another order take
# 1.16 of the time, depthwise convolutions 1.07.
PASSES = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "loop_rotate",
          "loop_unroll", "new_gvn", "instruction_combine", "simplify_cfg")  # fmt: skip


def optimised(text: str) -> Any:
    """LLVM's module of a text, checked and optimised."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.verify()
    machine = target().machine
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    for name in PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, builder)
    return module


def compiled(text: str) -> bytes:
    """The object code of a module in text form."""
    return target().machine.emit_object(optimised(text))


def assembly(text: str) -> str:
    """What the CPU will run, for people to read."""
    return target().machine.emit_assembly(optimised(text))


# -- names of kernels on disk ----------------------------------------------------------------------


# Folders beside `kernels/` that write machine code, too, in their files `*_code.py`.
WRITERS = ("autograd", "nn", "optim")


def writers() -> list[Path]:
    """The files that decide how code comes out."""
    kernels = Path(__file__).parents[1]
    found = sorted(kernels.rglob("*.py"))
    for folder in WRITERS:
        found += sorted((kernels.parent / folder).glob("*_code.py"))
    return found


@functools.cache
def fingerprint() -> bytes:
    """A hash over all that decides how code comes out, but the kernel itself."""
    t = target()
    h = hashlib.sha256(f"{disk.MAGIC!r} {t.version} {t.cpu} {t.features} {sys.platform}".encode())
    for path in writers():
        h.update(path.read_bytes())
    return h.digest()


def file_name(key: Any) -> str:
    name = key[0] if isinstance(key, tuple) else str(key)
    return f"{name}-{hashlib.sha256(fingerprint() + repr(key).encode()).hexdigest()[:32]}.o"


# -- loading -------------------------------------------------------------------------------------


def load(
    key: tuple[Any, ...],
    build: Callable[[], ir.Module],
    exports: Sequence[str],
    imports: dict[str, int] | None = None,
) -> dict[str, int]:
    """Addresses of the functions `exports` of a kernel.

    Args:
        key: what the kernel is: a name, then everything that `build` depends on. Its repr counts.
        build: writes the kernel; called only when neither memory nor disk has it.
        exports: names of functions.
        imports: addresses of functions that the kernel calls.
    """
    found = _loaded.get(key)
    if found is not None:
        return found
    with _lock:
        found = _loaded.get(key)  # another thread may have made it meanwhile
        if found is None:
            code = code_of(key, build)
            found = _loaded[key] = link(file_name(key), code, exports, imports or {})
    return found


def code_of(key: Any, build: Callable[[], ir.Module]) -> bytes:
    """Object code from the disk cache or from the compiler."""
    folder = disk.folder("kernels")
    if folder is None:
        return made(build)
    path = folder / file_name(key)
    code = disk.read(path)
    if code is None:
        with turns.turn(path) as another_had_it:
            code = disk.read(path) if another_had_it else None
            if code is None:
                code = made(build)
                disk.write(path, code)
                return code
    counts.read += 1
    return code


def made(build: Callable[[], ir.Module]) -> bytes:
    """Object code from the compiler."""
    start = time.perf_counter()
    code = compiled(build().text(target().stores_masked))
    counts.compiled += 1
    counts.seconds += time.perf_counter() - start
    return code


def link(name: str, code: bytes, exports: Sequence[str], imports: dict[str, int]) -> dict[str, int]:
    """Bring code into memory."""
    import llvmlite.binding as llvm

    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for symbol, address in imports.items():
        builder.import_symbol(symbol, address)
    for symbol in exports:
        builder.export_symbol(symbol)
    global _links
    _links += 1
    tracker = builder.link(target().session, f"{name}.{_links}")
    keep_for_ever(tracker)
    return {symbol: tracker[symbol] for symbol in exports}
