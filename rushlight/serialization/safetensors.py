"""safetensors: tensors by name in a file that holds nothing else, so nothing can be executed.

Functions and signatures of the package `safetensors` (`safetensors.torch` and `safe_open`), without
needing it: a program under the drop-in runner that does `import safetensors.torch` or
`from safetensors import safe_open` can be given this module for both names. Writing is atomic.

The format: eight bytes with the length of the header, the header in JSON (for each name its dtype,
its shape and where in the data it lies), the data. The header is checked before anything is
allocated: tensors must lie one after another, without gaps, up to the end of the file. There are
no checksums.

Not here: PyTorch's own format (`saving.py`, `loading.py`). Read next: `flatten.py`, which turns the
state of an optimiser into such tensors and back.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np

from .. import dtypes
from ..device import usable
from ..errors import message
from ..kernels.meta import MetaArray, UnresolvedArray
from ..tensor import Tensor
from .atomic import replacing
from .blocks import origin, swap_bytes
from .errors import CheckpointError
from .flatten import flatten_state_dict, unflatten_state_dict
from .header import NAMES, RANK, Header, Row, bad

__all__ = [
    "SafetensorError",
    "flatten_state_dict",
    "load",
    "load_file",
    "load_model",
    "safe_open",
    "save",
    "save_file",
    "save_model",
    "unflatten_state_dict",
]

SafetensorError = CheckpointError
Metadata = dict[str, str] | None


def save_file(
    tensors: dict[str, Tensor], filename: str | os.PathLike[str], metadata: Metadata = None
) -> None:
    """Write `tensors` into a file, atomically.

    Args:
        tensors: contiguous tensors by name; no two of them may overlap in memory.
        filename: the file to make or replace.
        metadata: texts to go with them.

    Raises:
        ValueError: a tensor is not contiguous, not dense, or no tensor.
        RuntimeError: tensors share memory (see `save_model`).

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "weights.safetensors")
    >>> save_file({"w": torch.ones(2, 3)}, path, {"format": "pt"})
    >>> load_file(path)["w"].shape
    torch.Size([2, 3])
    """
    header, arrays = _prepare(tensors, metadata)
    with replacing(filename) as file:
        file.write(header)
        for a in arrays:
            file.write(_bytes(a))


def save(tensors: dict[str, Tensor], metadata: Metadata = None) -> bytes:
    """The bytes of a file with `tensors`.

    >>> len(save({"w": torch.ones(2)}))
    72
    """
    header, arrays = _prepare(tensors, metadata)
    return b"".join([header, *(_bytes(a) for a in arrays)])


def load_file(
    filename: str | os.PathLike[str], device: Any = "cpu", *, backend: str = "mmap"
) -> dict[str, Tensor]:
    """All tensors of a file by name, in the order of the data.

    Args:
        filename: the file.
        device: 'cpu' or 'meta' (shapes alone are read).
        backend: "mmap" maps the file: its bytes are read when they are used, and changes stay in
            memory. Anything else reads every tensor at once.

    Raises:
        CheckpointError: the file is malformed.
    """
    with safe_open(filename, "pt", device) as file:
        if backend == "mmap" and file._device.type != "meta":
            return file._mapped()
        return {name: file.get_tensor(name) for name in file.offset_keys()}


def load(data: bytes) -> dict[str, Tensor]:
    """All tensors in the bytes of a file.

    >>> load(save({"w": torch.arange(3)}))
    {'w': tensor([0, 1, 2])}
    """
    header = Header(data[:8], len(data), lambda size: data[8 : 8 + size])
    return {
        name: _wrap(np.frombuffer(data, np.uint8, row.nbytes, row.begin).copy(), row)
        for name, row in header.rows.items()
    }


def save_model(
    model: Any,
    filename: str | os.PathLike[str],
    metadata: Metadata = None,
    force_contiguous: bool = True,
) -> None:
    """Write the state of a module; of names that share a tensor one is kept, the others noted.

    Args:
        model: the module.
        filename: the file to make or replace.
        metadata: texts to go with it; the names left out are added: `{left_out: kept}`.
        force_contiguous: write contiguous copies of tensors that are not.
    """
    state = model.state_dict()
    texts = dict(metadata or {})
    for names in _shared(state):
        kept, *others = names
        for name in others:
            texts.setdefault(name, kept)
            del state[name]
    if force_contiguous:
        state = {name: t.contiguous() for name, t in state.items()}
    try:
        save_file(state, filename, texts or metadata)
    except ValueError as error:
        raise ValueError(
            f"{error}\n  try     force_contiguous=True, which writes contiguous copies"
        ) from error


def load_model(
    model: Any,
    filename: str | os.PathLike[str],
    strict: bool = True,
    device: Any = "cpu",
    *,
    backend: str = "mmap",
) -> tuple[set[str], list[str]]:
    """Read what `save_model` wrote into `model`.

    Returns:
        The names that the file lacks and those that the model lacks.
    """
    state = load_file(filename, device)
    own = model.state_dict()
    aliases = {name: names[0] for names in _shared(own) for name in names[1:]}
    for name, kept in aliases.items():
        for here, there in ((name, kept), (kept, name)):
            if here not in state and there in state:
                state[here] = state[there]
    missing, unexpected = set(own) - set(state), [name for name in state if name not in own]
    if strict and (missing or unexpected):
        lines = [f"Error(s) in loading state_dict for {type(model).__name__}:"]
        for what, names in (("Missing", sorted(missing)), ("Unexpected", sorted(unexpected))):
            if names:
                lines.append(f"    {what} key(s) in state_dict: " + ", ".join(map(repr, names)))
        raise RuntimeError("\n".join(lines))
    model.load_state_dict(state, strict=False)
    return missing, unexpected


class safe_open:
    """A file whose tensors are read one by one, when asked for; a context manager.

    Args:
        filename: the file.
        framework: "pt" for tensors, "np" for NumPy arrays.
        device: 'cpu' or 'meta'.
        backend: how the file is read; accepted, there is one way here.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "weights.safetensors")
    >>> save_file({"w": torch.arange(6).reshape(3, 2)}, path)
    >>> with safe_open(path, framework="pt", device="cpu") as file:
    ...     print(file.keys(), file.get_slice("w")[1:, 0])
    ['w'] tensor([2, 4])
    """

    def __init__(
        self,
        filename: str | os.PathLike[str],
        framework: str = "pt",
        device: Any = "cpu",
        *,
        backend: Any = None,
    ) -> None:
        if framework not in ("pt", "torch", "np", "numpy"):
            raise CheckpointError(
                message("safe_open: framework is unknown", framework, "'pt' or 'np'")
            )
        self._arrays = framework in ("np", "numpy")
        self._device = usable("cpu" if isinstance(device, int) and device < 0 else device)
        self._path = os.fspath(filename)
        self._file: IO[bytes] | None = open(self._path, "rb")  # noqa: SIM115 - closed by __exit__
        try:
            size = os.fstat(self._file.fileno()).st_size
            self._header = Header(self._file.read(8), size, self._file.read)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def keys(self) -> list[str]:
        """The names, sorted."""
        return sorted(self._header.rows)

    def offset_keys(self) -> list[str]:
        """The names in the order of the data."""
        return list(self._header.rows)

    def metadata(self) -> dict[str, str] | None:
        """The texts that go with the tensors."""
        return self._header.metadata

    def get_tensor(self, name: str) -> Any:
        """Read one tensor."""
        row = self._row(name)
        if self._device.type == "meta":
            return Tensor._wrap(MetaArray(row.shape, row.dtype.np))  # type: ignore[arg-type]
        if self._file is None:
            raise ValueError("safe_open: the file is closed")
        memory = np.empty(row.nbytes, np.uint8)
        self._file.seek(row.begin)
        target = memory.data
        while len(target):
            count = self._file.readinto(target)  # type: ignore[attr-defined]
            if not count:
                raise bad("the file became shorter while it was read")
            target = target[count:]
        made = _wrap(memory, row)
        return made._a if self._arrays else made

    def get_tensors(self, names: list[str] | None = None) -> dict[str, Any]:
        """Several tensors by name; all of them by default."""
        return {name: self.get_tensor(name) for name in names or self.offset_keys()}

    def get_slice(self, name: str) -> Slice:
        """A tensor of which indexing reads only a part."""
        return Slice(self, name)

    def _mapped(self) -> dict[str, Any]:
        assert self._file is not None
        rows = self._header.rows
        if not any(row.nbytes for row in rows.values()):
            return self.get_tensors()
        data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_COPY)
        return {
            name: _wrap(np.frombuffer(data, np.uint8, row.nbytes, row.begin), row)
            if row.nbytes and row.begin % row.dtype.itemsize == 0
            else self.get_tensor(name)
            for name, row in rows.items()
        }

    def _row(self, name: str) -> Row:
        row = self._header.rows.get(name)
        if row is None:
            raise CheckpointError(f"File does not contain tensor {name}")
        return row


class Slice:
    """A tensor in a file: `slice[1:3]` reads that part."""

    def __init__(self, file: safe_open, name: str) -> None:
        self._file = file
        self._row = file._row(name)

    def get_shape(self) -> list[int]:
        """Its shape."""
        return list(self._row.shape)

    def get_dtype(self) -> str:
        """Its dtype as the format names it."""
        return NAMES[self._row.dtype]

    def __getitem__(self, index: Any) -> Any:
        row = self._row
        whole = np.empty(0, row.dtype.np)
        if row.nbytes:
            whole = np.memmap(self._file._path, row.dtype.np, "r", row.begin, row.shape)
        part = np.array(whole.reshape(row.shape)[index], row.dtype.np)
        if sys.byteorder == "big":
            part = _wrap(part.reshape(-1).view(np.uint8), row.reshaped(part.shape))._a
        return part if self._file._arrays else Tensor._wrap(part)


def _wrap(memory: np.ndarray, row: Row) -> Any:
    if sys.byteorder == "big":
        swap_bytes(memory, row.dtype)
    return Tensor._wrap(memory.view(row.dtype.np).reshape(row.shape))


def _bytes(a: np.ndarray) -> memoryview:
    flat = a.reshape(-1).view(np.uint8)
    if sys.byteorder == "big":
        flat = flat.copy()
        swap_bytes(flat, dtypes.from_numpy(a.dtype))
    return flat.data


def values_of(t: Any) -> Any:
    """A tensor whose memory holds its values; the format has no bits."""
    unresolved = isinstance(t, Tensor) and isinstance(t._a, UnresolvedArray)
    return t.detach().clone() if unresolved else t


def _prepare(tensors: Any, metadata: Metadata) -> tuple[bytes, list[np.ndarray]]:
    """The header, and the arrays in the order of the file."""
    if UnresolvedArray.made and isinstance(tensors, Mapping):
        tensors = {name: values_of(t) for name, t in tensors.items()}
    _check(tensors, metadata)
    order = sorted(tensors, key=lambda name: (RANK[tensors[name].dtype], name))
    table: dict[str, Any] = {}
    if metadata is not None:
        table["__metadata__"] = metadata
    at = 0
    for name in order:
        t = tensors[name]
        end = at + t.numel() * t.dtype.itemsize
        shape = list(t.shape)
        table[name] = {"dtype": NAMES[t.dtype], "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, [tensors[name]._a for name in order]


def _check(tensors: Any, metadata: Metadata) -> None:
    if not isinstance(tensors, Mapping):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    for name, t in tensors.items():
        if type(name) is not str:
            raise TypeError(f"save_file: a name is no text: {name!r}")
        if not isinstance(t, Tensor):
            raise ValueError(
                f"Key `{name}` is invalid, expected torch.Tensor but received {type(t)}"
            )
        if t.dtype not in NAMES:
            raise ValueError(f"save_file: the format has no {t.dtype!r} (tensor `{name}`)")
        if t.device.type == "meta":
            raise ValueError(f"save_file: tensor `{name}` is on meta and has no values")
    for key, value in (metadata or {}).items():
        if type(key) is not str or type(value) is not str:
            raise TypeError(f"save_file: argument 'metadata': {key!r}: {value!r} is not text")
    for name, t in tensors.items():
        if not t.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed: "
                "call `.contiguous()` on it, or save the tensor that it is a part of"
            )
    shared = list(_shared(tensors))
    if shared:
        raise RuntimeError(
            message(
                "Some tensors share memory, this will lead to duplicate memory on disk and "
                "potential differences when loading them again",
                got="; ".join(", ".join(names) for names in shared),
                wanted="tensors with memory of their own",
                hint="save_model(model, filename), or clone() of all but one",
            )
        )


def _shared(tensors: Mapping[str, Any]) -> Iterator[list[str]]:
    """Groups of names whose tensors overlap in memory, each with the largest tensor first."""
    groups: dict[int, list[tuple[int, int, str]]] = {}
    for name, t in tensors.items():
        if t.device.type != "meta" and t.numel():
            low, high = np.lib.array_utils.byte_bounds(t._a)
            groups.setdefault(origin(t._a)[0].address, []).append((low, high, name))
    for places in groups.values():
        places.sort()
        group: list[tuple[int, int, str]] = []
        end = 0
        for low, high, name in [*places, (sys.maxsize, 0, "")]:
            if low >= end:
                if len(group) > 1:
                    group.sort(key=lambda row: (row[0] - row[1], row[2]))
                    yield [row[2] for row in group]
                group = []
            group.append((low, high, name))
            end = max(end, high)


def storage_ptr(tensor: Tensor) -> int:
    """Where the memory under a tensor begins; libraries find shared tensors by it."""
    found: int = tensor.untyped_storage().data_ptr()
    return found


def storage_size(tensor: Tensor) -> int:
    """How many bytes the memory under a tensor has."""
    found: int = tensor.untyped_storage().nbytes()
    return found
