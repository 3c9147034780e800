"""The report from made-up numbers."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import report
from benchmarks.peers import Figures, Plan
from benchmarks.work import ROWS

MACHINE: dict[str, Any] = {
    "cpu": "Some CPU",
    "cores": 2,
    "memory": 16.0,
    "system": "Linux 6",
    "python": "3.13.1",
    "versions": {"numpy": "2.4", "torch": "2.13.0"},
    "commit": "abc1234",
    "date": "2030-01-01 00:00 UTC",
    "gflops": 200.0,
    "how": "fused multiply-adds in registers",
    "copy": 20.0,
    "machine_code": True,
    "others": 0.02,
    "forced": False,
}
FLOPS = ROWS["matmul"].flops


def line(text: str, start: str) -> str:
    """The row of the table of limits: the first."""
    return next(x for x in text.splitlines() if x.startswith("| " + start))


def test_ratio_is_the_median_of_the_rounds() -> None:
    f = Figures(ours=[1.0, 3.0, 2.0], theirs=[2.0, 2.0, 2.0])
    assert f.ratio == 1.0
    assert Figures(ours=[1.0]).ratio is None


@pytest.mark.parametrize(("ours", "word"), [(0.4, "aim"), (0.58, "reached"), (0.7, "**missed**")])
def test_verdicts(ours: float, word: str) -> None:
    text = report.text(MACHINE, {"matmul": Figures([ours] * 5, [1.0] * 5)}, Plan())
    row = line(text, "matmul 1024")
    assert row.endswith(f"| {ours:.2f} | {ours:.2f} to {ours:.2f} | 0.6 | 0.5 | {word} |")
    assert f"{int('missed' in word)} of 1 rows miss their limit; 0 failed." in text
    assert "provisional" not in text


def test_share_of_the_peak_is_that_of_one_thread() -> None:
    f = Figures([1.0], [1.0], alone_ours=[FLOPS / 150e9], alone_theirs=[FLOPS / 100e9])
    f.alone_peak = [200.0]
    text = report.text(MACHINE, {"matmul": f}, Plan())
    assert "| matmul 1024 | 150 | 200 | 75% | 50% | 82% | **missed** |" in text


def test_a_share_is_of_the_peak_beside_it() -> None:
    """A host that is at half speed in one round is so for both."""
    f = Figures([1.0], [1.0], alone_ours=[FLOPS / r for r in (150e9, 75e9, 149e9)])
    f.alone_peak = [200.0, 100.0, 200.0]
    assert "| matmul 1024 | 149 | 200 | 75% |" in report.text(MACHINE, {"matmul": f}, Plan())


@pytest.mark.parametrize(("rate", "word"), [(150, "**missed**"), (170, "reached"), (190, "aim")])
def test_shares_have_a_limit_and_an_aim(rate: int, word: str) -> None:
    f = Figures([1.0], [1.0], alone_ours=[FLOPS / (rate * 1e9)], alone_peak=[200.0])
    assert f"| 82% | {word} |" in report.text(MACHINE, {"matmul": f}, Plan())


def test_the_matrix_unit_has_a_column_where_there_is_one() -> None:
    f = Figures([1.0], [1.0], alone_ours=[FLOPS / 150e9], alone_unit=[FLOPS / 300e9])
    f.alone_peak = [200.0]
    text = report.text(MACHINE, {"matmul": f}, Plan())
    assert "| GFLOP/s, matrix unit |" in text
    assert "| matmul 1024 | 150 | 200 | 75% | - | 82% | **missed** | 300 |" in text


def test_python_in_front_of_a_kernel_is_told_in_microseconds() -> None:
    text = report.text(MACHINE, {"front_conv2d": Figures([4e-6, 3e-6, 2e-6])}, Plan())
    row = line(text, "Python in front of conv2d")
    assert row.endswith("| 3 µs | - | 3.00 µs | 2.00 to 4.00 | 5 µs | 2.5 µs | reached |")


def test_bytes_a_second_beside_a_copy() -> None:
    f = Figures([ROWS["sum_large"].moved / 10e9], [ROWS["sum_large"].moved / 5e9])
    text = report.text(MACHINE, {"sum_large": f}, Plan())
    assert "| sum, 16M | 10 | 50% | 5 |" in text


def test_special_rows() -> None:
    cold = Figures([1.5, 1.7, 1.6], more={"of it compiling": [1.0], "PyTorch": [0.1]})
    memory = Figures([300 * 2**20], [400 * 2**20])
    busy = Figures([4e-3], [2e-3], more={"PyTorch": [12e-3], "ours on an idle machine": [2e-3]})
    text = report.text(
        MACHINE, {"first_cold": cold, "memory": memory, "busy": busy}, Plan(rounds=7)
    )
    assert "| 1.6 s | 100 ms | 1.60 s | 1.50 to 1.70 | 5 s | 2 s | aim |" in text
    assert "| 300 MB | 400 MB | 0.75 |" in line(text, "peak memory")
    assert "| 4 ms | 12 ms | 2.00 |" in line(text, "MNIST CNN step")
    assert "of it compiling 1 s" in text
    assert "provisional" not in text


def test_without_pytorch_there_are_our_times_alone() -> None:
    described = {**MACHINE, "versions": {"numpy": "2.4", "torch": None}}
    text = report.text(described, {"exp": Figures([2e-4] * 5)}, Plan())
    assert "| exp, 1M | 200 µs | - | - | - | 0.6 | 0.3 |  |" in text
    assert "PyTorch is not installed" in text


def test_what_makes_figures_provisional_is_said() -> None:
    results = {"exp": Figures([1.0], [2.0])}
    forced = report.text({**MACHINE, "forced": True}, results, Plan())
    assert "loaded and measuring was forced: **provisional**" in forced
    assert "**provisional**" in report.text(MACHINE, results, Plan(rounds=2))
    assert "**provisional**" in report.text(MACHINE, results, Plan(), complete=False)
    assert "does not tell" in report.text({**MACHINE, "others": None}, results, Plan())
    assert "NumPy alone" in report.text({**MACHINE, "machine_code": False}, results, Plan())


def test_a_failed_row_is_told_and_the_others_stand() -> None:
    results = {"exp": Figures(error="rushlight: ValueError: no"), "gelu": Figures([1.0], [2.0])}
    text = report.text(MACHINE, results, Plan())
    assert "exp, 1M: rushlight: ValueError: no" in text
    assert line(text, "gelu, 1M").endswith("aim |")
    assert "0 of 2 rows miss their limit; 1 failed." in text


def test_rounds_add_up() -> None:
    f = Figures([1.0], [2.0], more={"a": [1.0]})
    f.add(Figures([3.0], [4.0], [5.0], [6.0], {"a": [2.0], "b": [7.0]}, "broken"))
    assert f == Figures(
        [1.0, 3.0], [2.0, 4.0], [5.0], [6.0], {"a": [1.0, 2.0], "b": [7.0]}, "broken"
    )


def test_what_a_limit_asks_of_the_machine() -> None:
    """2.147 GFLOP in 5 ms are 429 GFLOP/s, 98 % of two threads' 440; the limit: 0.6 of the time."""
    f = Figures([0.01], [0.005], [0.012], [0.011], alone_peak=[220.0])
    found = report.arithmetic({"matmul": f}, 2)
    assert found[0].endswith("| PyTorch, 2 threads | limit asks for |")
    assert found[2].endswith("| 98% | 163% |")


def test_jax_has_a_column_where_it_was_measured() -> None:
    rows = {"exp": Figures([1.0], [2.0], jax=[0.5]), "gelu": Figures([1.0], [2.0])}
    head, _, exp, gelu = report.ratios(rows)
    assert head.endswith("| JAX (jit) |")
    assert exp.endswith("| 500 ms |")
    assert gelu.endswith("| - |")
    assert "JAX" not in report.ratios({"gelu": rows["gelu"]})[0]


def test_functions_of_one_name_are_added_up() -> None:
    """Two kernels of a kind are two built-in functions, which a profile calls the same."""
    import types

    def entry(code: Any, count: int, seconds: float) -> Any:
        return types.SimpleNamespace(code=code, callcount=count, inlinetime=seconds)

    kernel = "<built-in method matmul.gemm>"
    here = test_functions_of_one_name_are_added_up.__code__
    entries = [entry(kernel, 4, 2e-3), entry(here, 2, 3e-3), entry(kernel, 6, 4e-3)]
    text = report.where_time_goes(types.SimpleNamespace(getstats=lambda: entries), 2)
    first, _head, *lines = text.splitlines()
    assert first == "4.500 ms a call, profiled"
    assert lines[0].split(maxsplit=2) == ["5.0", "3000.0", kernel]
    assert lines[1].split()[:2] == ["1.0", "1500.0"]
    assert "(test_functions_of_one_name_are_added_up)" in lines[1]
    assert len(lines) == 2
