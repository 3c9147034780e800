"""What is kept on disk for the matrix unit: who decides, what is refused, and that it stays."""

from __future__ import annotations

import json
import os
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuned
from rushlight.kernels.conv import select as conv
from rushlight.kernels.matmul import amx, packed
from rushlight.kernels.matmul import select as matmul
from rushlight.kernels.tuned import Figure, Kept

CPU: dict[str, str | int] = {"model": "A CPU", "features": "amx_bf16 avx512f", "processors": 2}
FIGURE = Figure("conv", "conv 3x3", 2, 0.001, 0.002, 0.5, 0.6, 5, 0)
MEASURED = Kept(("conv",), "measurement", "2030-01-02 03:04", "0.1.0", "abc", (FIGURE,))


@pytest.fixture(autouse=True)
def _a_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A CPU and a cache of our own, no setting, and a process that has not chosen yet."""
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RUSHLIGHT_AMX", raising=False)
    monkeypatch.setattr(tuned, "cpu", lambda: CPU)
    monkeypatch.setattr(tuned, "kernels", lambda: "abc")
    monkeypatch.setattr(tuned, "_choice", None)


def put(data: bytes) -> Path:
    path = tuned.place()
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def changed(**fields: Any) -> bytes:
    """A file of ours with other fields."""
    path = tuned.write(MEASURED)
    assert path is not None
    return json.dumps(json.loads(path.read_text()) | fields).encode()


# -- the choice ----------------------------------------------------------------------------------


def test_vectors_are_the_default() -> None:
    found = tuned.choice()
    assert found.groups == ()
    assert "not measured" in found.why
    assert tuned.COMMAND in found.why


def test_what_was_measured_is_used() -> None:
    tuned.write(MEASURED)
    assert tuned.choice() == tuned.Choice(
        ("conv",), "measured on 2030-01-02 03:04, Rushlight 0.1.0"
    )


def test_what_was_set_by_hand_is_used_whatever_the_kernels() -> None:
    tuned.write(Kept(("matmul", "conv"), "hand", "2030-01-02", "0.1.0", "others"))
    found = tuned.choice()
    assert found.groups == ("matmul", "conv")
    assert found.why.startswith("set by hand")


@pytest.mark.parametrize(
    ("value", "groups"),
    [
        ("0", ()), ("off", ()), ("1", ("matmul", "conv")), ("Yes", ("matmul", "conv")),
        ("emulate", ("matmul", "conv")),
    ],
)  # fmt: skip
def test_the_setting_comes_first_and_nothing_is_read(
    value: str, groups: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(b"damaged")
    monkeypatch.setenv("RUSHLIGHT_AMX", value)
    assert tuned.choice().groups == groups
    assert tuned.choice().bfloat16 is bool(groups)
    assert f"RUSHLIGHT_AMX={value}" in tuned.choice().why


@pytest.mark.parametrize(
    ("kept", "used"),
    [
        (None, True), (MEASURED, True), (Kept((), "measurement", "2026-01-01", "1", "abc"), True),
        (Kept((), "hand", "2026-01-01", "1"), False),
        (Kept(("matmul", "conv"), "hand", "2026-01-01", "1"), True),
    ],
)  # fmt: skip
def test_of_bfloat16_the_unit_computes_unless_forbidden(kept: Kept | None, used: bool) -> None:
    if kept is not None:
        tuned.write(kept)
    assert tuned.choice().bfloat16 is used


@pytest.mark.parametrize(("value", "by_vectors"), [("emulate", True), ("1", False), ("", False)])
def test_what_emulates_the_unit(
    value: str, by_vectors: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSHLIGHT_AMX", value)
    assert tuned.emulated.__wrapped__() is by_vectors  # the function below its cache
    assert ("emulated by RUSHLIGHT_AMX=emulate" in tuned.chosen().why) is by_vectors


def test_another_word_is_told_and_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    tuned.write(MEASURED)
    monkeypatch.setenv("RUSHLIGHT_AMX", "flase")
    with pytest.warns(UserWarning, match="RUSHLIGHT_AMX='flase' is neither 0 nor 1 nor emulate"):
        assert tuned.choice().groups == ("conv",)


def test_an_empty_setting_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    tuned.write(MEASURED)
    monkeypatch.setenv("RUSHLIGHT_AMX", "")
    assert tuned.choice().groups == ("conv",)


def test_a_process_stays_with_its_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = tuned.choice()
    tuned.write(MEASURED)
    monkeypatch.setenv("RUSHLIGHT_AMX", "1")
    assert tuned.choice() is first
    assert tuned.chosen().groups == ("matmul", "conv")


def test_threads_that_ask_at_once_get_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    together, asked, found = threading.Barrier(8), [], []

    def slowly() -> tuned.Choice:
        asked.append(1)
        return tuned.Choice((), f"answer {len(asked)}")

    def ask() -> None:
        together.wait()
        found.append(tuned.choice())

    monkeypatch.setattr(tuned, "chosen", slowly)
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [tuned.Choice((), "answer 1")] * 8


# -- what is refused -----------------------------------------------------------------------------

DAMAGED = [
    b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, b" " * (1 << 19), b"{}",
    b"__import__('os').abort()", b'{"format": "rushlight tuned 2"}',
]  # fmt: skip
ODD: list[dict[str, Any]] = [
    {"amx": "conv"}, {"amx": ["rm"]}, {"amx": [["conv"]]}, {"amx": None}, {"by": "somebody"},
    {"by": ["hand"]}, {"date": 5}, {"date": "\x1b[2J"}, {"version": "1" * 201}, {"kernels": None},
    {"figures": {}}, {"figures": [5]}, {"figures": [{}]},
    {"figures": [{**vars(FIGURE), "unit": "1"}]}, {"figures": [{**vars(FIGURE), "ratio": -1.0}]},
    {"figures": [{**vars(FIGURE), "worst": float("nan")}]},
    {"figures": [{**vars(FIGURE), "unit": 10**400}]},
    {"figures": [{**vars(FIGURE), "threads": True}]}, {"figures": [vars(FIGURE)] * 1001},
]  # fmt: skip


def refused(words: str) -> None:
    """One warning that names the file and the command, and the safe choice; then silence."""
    with pytest.warns(UserWarning, match=words) as seen:
        assert tuned.choice().groups == ()
    told = str(seen[0].message)
    assert len(seen) == 1
    assert str(tuned.place()) in told
    assert "`python -m rushlight tune`" in told
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tuned.choice().groups == ()


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_files(data: bytes) -> None:
    put(data)
    refused("damaged")


@pytest.mark.parametrize("fields", ODD, ids=range(len(ODD)))
def test_odd_fields(fields: dict[str, Any]) -> None:
    put(changed(**fields))
    refused("damaged")


@pytest.mark.parametrize("cpu", [None, {**CPU, "processors": 64}, {**CPU, "model": "Another"}])
def test_another_cpu(cpu: Any) -> None:
    put(changed(cpu=cpu))
    refused("another CPU")


@pytest.mark.skipif(not runtime.available(), reason="nothing was measured without machine code")
def test_other_kernels() -> None:
    put(changed(kernels="other"))
    refused(r"measured with other kernels \(Rushlight 0\.1\.0\)")


def test_a_folder_in_its_place() -> None:
    path = put(b"")
    path.unlink()
    path.mkdir()
    refused("no file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_its_place_holds_nobody_up() -> None:
    path = put(b"")
    path.unlink()
    os.mkfifo(path)
    refused("no file")


def test_a_file_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    put(changed())
    monkeypatch.setattr(Path, "open", denied)
    refused(r"cannot be read \(Permission denied\)")


def test_a_warning_that_is_an_error_leaves_the_choice() -> None:
    put(b"damaged")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="damaged"):
            tuned.choice()
        assert tuned.choice().groups == ()


# -- on disk -------------------------------------------------------------------------------------


def test_what_is_written_is_read() -> None:
    path = tuned.write(MEASURED)
    assert path == tuned.place()
    assert path is not None
    assert tuned.read(path) == MEASURED
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_each_cpu_has_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    tuned.write(MEASURED)
    monkeypatch.setattr(tuned, "cpu", lambda: {**CPU, "model": "Another"})
    assert tuned.choice().groups == ()
    tuned.write(Kept(("matmul",), "hand", "2030", "0.1.0"))
    assert len(list((Path(os.environ["RUSHLIGHT_CACHE"])).iterdir())) == 2


def test_a_write_that_fails_leaves_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    path = tuned.write(MEASURED)
    assert path is not None

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    for name in ("replace", "write_text"):
        with monkeypatch.context() as m:
            m.setattr(Path, name, full)
            with pytest.raises(OSError, match="No space"):
                tuned.write(Kept((), "hand", "2031", "0.1.0"))
        assert tuned.read(path) == MEASURED
        assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_readers_see_whole_files_while_others_write() -> None:
    path, stop = tuned.write(MEASURED), threading.Event()
    assert path is not None
    many = Kept(("matmul", "conv"), "hand", "2031", "0.1.0", "", (FIGURE,) * 200)

    def write() -> None:
        while not stop.is_set():
            tuned.write(many)
            tuned.write(MEASURED)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for t in writers:
        t.start()
    try:
        assert all(tuned.read(path) in (MEASURED, many) for _ in range(100))
    finally:
        stop.set()
        for t in writers:
            t.join()


def test_clear() -> None:
    assert not tuned.clear()
    tuned.write(MEASURED)
    assert tuned.clear()
    assert tuned.choice().groups == ()


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE", "")
    assert tuned.write(MEASURED) is None
    assert not tuned.clear()
    assert tuned.choice().groups == ()


def test_the_machine_is_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    tuned.cpu.cache_clear()
    first = tuned.cpu()
    tuned.cpu.cache_clear()
    assert tuned.cpu() == first
    assert first["model"]
    assert json.loads(json.dumps(first)) == first


# -- who asks ------------------------------------------------------------------------------------


def planned(groups: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The plans of a large product, of a convolution and of one of small images, on a CPU that has
    the unit; nothing is run."""
    monkeypatch.setattr(matmul, "has_amx", lambda: True)
    monkeypatch.setattr(amx, "need", lambda: None)
    monkeypatch.setattr(tuned, "_choice", tuned.Choice(groups, ""))
    f32, large = np.dtype(np.float32), (512, 512)
    strides = (2048, 4)
    product = matmul.plan.__wrapped__(f32, large, strides, f32, large, strides)
    ones = ((1, 1), (1, 1), (1, 1), 1)
    c = [
        conv.plan_forward.__wrapped__(f32, x, dense(x), f32, w, dense(w), None, *ones)
        for x, w in (((8, 64, 56, 56), (64, 64, 3, 3)), ((32, 256, 4, 4), (256, 256, 3, 3)))
    ]
    return [p.name for p in (product, *c)]


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    return np.empty(shape, np.float32).strides


PLANS = {
    ("matmul", "conv"): ["matmul.amx_gemm", "conv.amx", "conv.im2col"],
    ("matmul",): ["matmul.amx_gemm", "conv.implicit_gemm", "conv.implicit_gemm"],
    ("conv",): ["matmul.gemm", "conv.amx", "conv.amx"],
    (): ["matmul.gemm", "conv.implicit_gemm", "conv.implicit_gemm"],
}


@pytest.mark.skipif(not runtime.available(), reason="NumPy computes all of it")
@pytest.mark.parametrize("groups", PLANS, ids=lambda groups: " ".join(groups) or "none")
def test_groups_are_chosen_apart(
    groups: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, limits: Any
) -> None:
    """Columns of many positions are for a product by the unit alone, so they want both groups."""
    # (plans of what is inside these are forgotten)
    with limits(CONV_SKIPPED_LEAST=1 << 40):
        assert planned(groups, monkeypatch) == PLANS[groups]


def test_packed_matrices_ask_too(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"Packed": "vectors", "AmxPacked": "unit"}
    for name, told in made.items():
        monkeypatch.setattr(packed, name, lambda b, told=told: told)
    monkeypatch.setattr(matmul, "has_amx", lambda: True)
    b = np.ones((128, 128), np.float32)
    for groups, wanted in (((), "vectors"), (("conv",), "vectors"), (("matmul",), "unit")):
        monkeypatch.setattr(tuned, "_choice", tuned.Choice(groups, ""))
        assert packed.packed(b, 64) == wanted


def test_nothing_is_read_where_there_is_no_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    put(b"damaged")
    monkeypatch.setattr(matmul, "has_amx", lambda: False)
    assert not matmul.uses_amx("matmul")  # and no warning
    assert tuned._choice is None


@pytest.mark.parametrize(("value", "allowed"), [("1", False), ("0", False), ("", False)])
def test_nobody_can_demand_what_the_cpu_lacks(
    value: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSHLIGHT_AMX", value)
    monkeypatch.setattr(amx, "present", lambda: False)
    assert amx.available.__wrapped__() is allowed
