"""Three hundred damaged files: each raises the one error or loads correctly, in bounded memory."""

from __future__ import annotations

import io
import random
import tracemalloc
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError

FILES = 300
SLACK = 400_000  # what reading any file costs: the directory of the archive, caches, messages


def content() -> dict[str, Any]:
    generator = torch.Generator().manual_seed(0)
    big = torch.rand(100, 200, generator=generator)
    return {
        "model": OrderedDict(weight=big, bias=torch.arange(50), half=torch.ones(9).half()),
        "view": big[10:20].t(),
        "step": 1234,
        "names": ["a", "b", None, True, 2.5, 2**70],
        "nested": {"tuple": (1, (2, {3})), "size": torch.Size([1, 2])},
        "scalar": torch.tensor(0.5),
        "parameter": torch.nn.Parameter(torch.zeros(3, 3)),
    }


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return (
            type(a) is type(b)
            and (a.shape, a.stride(), a.dtype) == (b.shape, b.stride(), b.dtype)
            and a.tolist() == b.tolist()
        )
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def damaged(data: bytes, rng: random.Random) -> bytes:
    """`data` with one accident of a disk, a network or a careless program."""
    broken = bytearray(data)
    size = len(broken)
    at, length = rng.randrange(size), rng.randrange(1, 2000)
    kind = rng.randrange(9)
    if kind < 3:  # flipped bits
        for _ in range(rng.randrange(1, 9)):
            broken[rng.randrange(size)] ^= 1 << rng.randrange(8)
    elif kind == 3:  # bytes overwritten near an end, where the headers are
        for _ in range(rng.randrange(1, 9)):
            near = rng.randrange(min(3000, size))
            broken[near if rng.random() < 0.5 else size - 1 - near] = rng.randrange(256)
    elif kind == 4:  # cut off
        del broken[at:]
    elif kind == 5:  # a block of zeros, as after a crash of the system
        broken[at : at + length] = bytes(len(broken[at : at + length]))
    elif kind == 6:  # bytes missing
        del broken[at : at + length]
    elif kind == 7:  # bytes too many
        broken[at:at] = rng.randbytes(length)
    else:  # a block in the wrong place
        other = rng.randrange(size)
        broken[at : at + length] = broken[other : other + len(broken[at : at + length])]
    return bytes(broken)


def outcome(data: bytes, options: dict[str, Any]) -> tuple[Any, int]:
    """The loaded value or the error, and the most memory that was held on the way."""
    file = io.BytesIO(data)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        value = torch.load(file, **options)
    except CheckpointError as error:
        value = error
    return value, tracemalloc.get_traced_memory()[1] - before


@pytest.fixture
def seeded() -> tuple[int, random.Random]:
    seed = random.randrange(2**32)
    print("seed", seed)
    return seed, random.Random(seed)


@pytest.fixture
def traced() -> Any:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def written(**options: Any) -> bytes:
    torch.save(content(), file := io.BytesIO(), **options)
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
def test_damaged_files_raise_or_load_correctly(
    seeded: tuple[int, random.Random], capfd: pytest.CaptureFixture[str]
) -> None:
    _, rng = seeded
    originals = [written(pickle_protocol=protocol) for protocol in (2, 4)]
    wanted = content()
    loaded = 0
    for i in range(FILES):
        data = damaged(originals[i % 2], rng)
        value, peak = outcome(data, {"weights_only": i % 3 > 0})
        assert peak <= 2 * len(data) + SLACK, (i, peak)
        if not isinstance(value, CheckpointError):
            assert same(wanted, value), i
            loaded += 1
    assert loaded < FILES / 2  # damage between the records harms nothing
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("mapped", [False, True])
def test_damaged_files_on_disk(
    seeded: tuple[int, random.Random], tmp_path: Any, mapped: bool
) -> None:
    """Mapped files have no checksums: any value may come, but from inside the file."""
    _, rng = seeded
    original = written()
    for _ in range(60):
        (tmp_path / "a.pt").write_bytes(damaged(original, rng))
        try:
            value = torch.load(tmp_path / "a.pt", mmap=mapped)
        except CheckpointError:
            continue
        assert list(value) == list(content())


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
def test_damaged_pickles_with_right_checksums(seeded: tuple[int, random.Random]) -> None:
    """What a person with intentions, not an accident, would hand over."""
    _, rng = seeded
    with zipfile.ZipFile(io.BytesIO(written(pickle_protocol=4))) as archive:
        records = {name: archive.read(name) for name in archive.namelist()}
    pickled = records["archive/data.pkl"]
    for i in range(FILES):
        records["archive/data.pkl"] = damaged(pickled, rng)
        with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
            for name, data in records.items():
                archive.writestr(name, data)
        data = file.getvalue()
        _, peak = outcome(data, {"weights_only": i % 2 > 0})
        assert peak <= 2 * len(data) + SLACK, (i, peak)


def old_format() -> bytes:
    return written(_use_new_zipfile_serialization=False)


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("make", [old_format])
def test_damaged_files_of_formats_without_checksums(
    seeded: tuple[int, random.Random], make: Callable[[], bytes]
) -> None:
    _, rng = seeded
    original = make()
    for i in range(FILES):
        data = damaged(original, rng)
        _, peak = outcome(data, {})
        assert peak <= 2 * len(data) + SLACK, (i, peak)
