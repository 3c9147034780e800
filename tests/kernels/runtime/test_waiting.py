"""How threads sleep, wake others and read the clock, on each operating system."""

from __future__ import annotations

import pytest

from rushlight.kernels.runtime import jit, threads, waiting

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
FOREIGN = [
    (waiting.Windows, "x86_64-pc-windows-msvc"),
    (waiting.Windows, "aarch64-pc-windows-msvc"),
    (waiting.Condition, "x86_64-apple-macosx"),
    (waiting.Condition, "arm64-apple-macosx"),
    (waiting.Futex, "x86_64-unknown-linux-gnu"),
    (waiting.Futex, "aarch64-unknown-linux-gnu"),
]


@pytest.mark.parametrize(("system", "triple"), FOREIGN, ids=[triple for _, triple in FOREIGN])
def test_the_pool_can_be_made_for_other_systems(system: type[waiting.System], triple: str) -> None:
    """It compiles, and calls what that system has and nothing else."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    there = system(triple)
    module = llvm.parse_assembly(threads.build(there).text())
    module.verify()
    machine = llvm.Target.from_triple(triple).create_target_machine(opt=2)
    assert machine.emit_object(module)
    called = {f.name for f in module.functions if f.is_declaration}
    called = {name for name in called if not name.startswith(("Py", "llvm."))}
    assert called == set(there.functions)
    wanted = "yield" if "aarch64" in triple or "arm64" in triple else "pause"
    assert wanted in machine.emit_assembly(module)
