"""What other packages ask of `torch.utils` about the installation."""

from __future__ import annotations

import pytest

from rushlight.utils import collect_env, cpp_extension


def test_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    collect_env.main()
    told = capsys.readouterr().out
    assert told.startswith("Collecting environment information...\nRushlight ")
    assert "\nCPU " in told


def test_no_extensions_are_built() -> None:
    assert cpp_extension.CUDA_HOME is None
    assert not cpp_extension.is_ninja_available()
    for name in ("load", "BuildExtension", "CUDAExtension"):
        for kind in (ImportError, NotImplementedError):  # what programs with a fallback catch
            with pytest.raises(kind, match=r"pure Python[\s\S]*custom_op"):
                getattr(cpp_extension, name)(name="x", sources=[])
