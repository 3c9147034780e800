"""The checkpoint format before PyTorch 1.6: five pickles, then the storages one after another.

Not here: today's zip format (`loading.py`, `saving.py`). Read next: `tar.py`, still older.
"""

from __future__ import annotations

import inspect
import io
import mmap
import pickle
import struct
import warnings
from typing import IO, Any

import numpy as np

from ..array_memory import alone
from ..errors import message
from .blocks import Block, Span, StorageKind, swap_bytes
from .classes import torch_name
from .errors import CheckpointError, SourceChangeWarning
from .unpickler import Known, Unpickler, broken, shown

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


_AGAIN = "downloading it again"
_KINDS: tuple[tuple[bytes, str, str], ...] = (  # how files of other kinds begin
    (b"version https://git-lfs", "a pointer of Git LFS", "git lfs pull, which brings the file"),
    (b"<", "a web page or XML", f"{_AGAIN} from the address of the file itself"),
    (b"\x93NUMPY", "a NumPy file", "torch.from_numpy(np.load(path))"),
    (b"\x89HDF", "an HDF5 file (Keras)", "h5py.File(path), and a tensor of each of its arrays"),
    (b"\x1f\x8b", "a file compressed by gzip", "torch.load(gzip.open(path))"),
    (b"GGUF", "a GGUF file", "the weights as safetensors or as a checkpoint"),
    (b"\x89PNG", "a picture", "torchvision.io.read_image, or PIL.Image.open"),
    (b"\xff\xd8\xff", "a picture", "torchvision.io.read_image, or PIL.Image.open"),
)


def _kind_of(head: bytes) -> tuple[str, str]:
    """What a file is that is no checkpoint, and what to do with it."""
    for begin, what, hint in _KINDS:
        if head.lstrip().startswith(begin):
            return what, hint
    if head[8:9] == b"{":
        return "a safetensors file", "torch.load of a path that ends in .safetensors"
    return "a file", f"another copy of it, or {_AGAIN}"


def load(data: Any, at: int, table: Any, place: Any, encoding: str) -> tuple[Any, int]:
    """The object whose first pickle begins at `at` of `data`, and where its last storage ends:
    files of this format may hold several, one after another."""
    if data[at : at + 1] != b"\x80":
        what, hint = _kind_of(bytes(data[at : at + 64]))
        raise CheckpointError(
            message(
                "load: not a checkpoint: invalid load key or magic number; corrupt file?",
                got=f"{what} that begins with {bytes(data[at : at + 8])!r}",
                wanted="a zip archive as save() writes it",
                hint=hint,
            )
        )

    def part(names: Any = no_name, storage: Any = no_storage) -> Any:
        nonlocal at
        reader = Unpickler(data, names, storage, position=at, encoding=encoding)
        value = reader.load()
        at = reader.position
        return value

    if part() != MAGIC_NUMBER:
        raise broken("Invalid magic number; corrupt file?")
    if part() != PROTOCOL_VERSION:
        raise broken("Invalid protocol version")
    system = part()
    little = not isinstance(system, dict) or system.get("little_endian", True) is True
    blocks: dict[Any, Block] = {}
    budget = len(data) - at

    def storage(saved_id: Any) -> Any:
        nonlocal budget
        if isinstance(saved_id, tuple) and saved_id[:1] == ("module",) and len(saved_id) == 4:
            check_source(*saved_id[1:])
            return saved_id[1]
        kind, key, location, count, window = _storage_id(saved_id)
        if key not in blocks:
            nbytes = count * kind.itemsize
            budget -= nbytes
            if budget < 0:
                raise broken("its storages are larger than the file")
            memory = None if place.is_meta(location) else np.empty(nbytes, np.uint8)
            blocks[key] = place(Block(memory, kind, nbytes), location)
        block = blocks[key]
        if window is None or block.memory is None:
            return block
        _, offset, length = window
        begin = offset * kind.itemsize
        return Block(alone(block.memory[begin : begin + length * kind.itemsize]), kind)

    result = part(table, storage)
    keys = part()
    if encoding == "bytes" and isinstance(keys, list):
        keys = [key.decode() if isinstance(key, bytes) else key for key in keys]
    text = isinstance(keys, list) and all(type(key) is str for key in keys)
    if not text or len(keys) != len(blocks) or set(keys) != set(blocks):
        raise broken("its list of storages does not match its tensors")
    for key in keys:
        block = blocks[key]
        at = read_storage(data, at, block, little)
    return result, at


def whole(file: IO[bytes]) -> tuple[Any, int]:
    """All bytes of a file and where it stands in them, without a copy where one can be saved."""
    begin = file.tell()
    if isinstance(file, io.BytesIO):
        return file.getvalue(), begin
    # a gzip file has the number of a file that holds other bytes than it gives
    inner = getattr(file, "file", file)  # a temporary file's own
    if not isinstance(inner, io.BufferedReader | io.BufferedRandom | io.FileIO):
        return rest(file), 0
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), begin
    except (AttributeError, OSError, ValueError):  # no file of the system
        return rest(file), 0


def rest(file: Any) -> Any:
    """What a file object holds from here, read into one piece of memory where it can do that."""
    if not hasattr(file, "readinto"):
        return file.read()
    begin = file.tell()
    file.seek(0, io.SEEK_END)
    size = file.tell() - begin
    file.seek(begin)
    if not size:
        return b""
    data = mmap.mmap(-1, size)
    at = 0
    with memoryview(data) as left:
        while at < size and (count := file.readinto(left[at:])):
            at += count
    return data if at == size else data[:at]


def check_source(cls: Any, file: Any, source: Any) -> None:
    """Warn where a class of the program is no longer what it was when its module was saved."""
    if not isinstance(cls, type) or not file or not isinstance(source, str) or torch_name(cls):
        return
    now = source_of(cls)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if now is None:
        warnings.warn(
            f"Couldn't retrieve source code for container of type {cls.__name__}. "
            "It won't be checked for correctness upon loading.",
            stacklevel=2,
        )
    elif now[1] != source:
        warnings.warn(
            message(
                f"load: source code of class '{name}' has changed",
                got=f"a module saved with the class in {file}",
                wanted=f"the class in {now[0]} to take its attributes as they are",
                hint="save(model.state_dict()), which asks for no class",
            ),
            SourceChangeWarning,
            stacklevel=2,
        )


def source_of(cls: type) -> tuple[str, str] | None:
    """The file and the text of a class; None where there is none."""
    try:
        return inspect.getsourcefile(cls) or "", inspect.getsource(cls)
    except (OSError, TypeError):
        return None


def read_storage(data: Any, at: int, block: Block, little: bool = True) -> int:
    """Fill `block` from its length and elements at `at`; where they end."""
    (count,) = struct.unpack("<q" if little else ">q", piece(data, at, 8))
    nbytes = count * block.kind.itemsize
    at += 8
    if nbytes < 0 or nbytes > len(data) - at:
        raise broken("the file is truncated")
    if block.memory is not None:
        if nbytes != block.memory.nbytes:
            raise broken("a storage has the wrong length", f"{count} elements")
        block.memory[...] = np.frombuffer(data, np.uint8, nbytes, at)
        if little != bool(np.little_endian) and block.kind.dtype is not None:
            swap_bytes(block.memory, block.kind.dtype)
    return at + nbytes


def piece(data: Any, at: int, count: int) -> bytes:
    """`count` bytes from `at`; CheckpointError where there are fewer."""
    if count < 0 or count > len(data) - at:
        raise broken("the file is truncated")
    return bytes(data[at : at + count])


def save(file: IO[bytes], pickled: bytes, spans: list[Span], counts: list[int]) -> None:
    """Write the format: `pickled` has five-part storage ids with a view part of None."""
    for value in (MAGIC_NUMBER, PROTOCOL_VERSION, _SYSTEM):
        file.write(pickle.dumps(value, protocol=2))
    file.write(pickled)
    file.write(pickle.dumps([str(i) for i in range(len(spans))], protocol=2))
    for span, count in zip(spans, counts, strict=True):
        file.write(struct.pack("<q" if np.little_endian else ">q", count))
        file.write(span.bytes())


_SYSTEM = {
    "protocol_version": PROTOCOL_VERSION,
    "little_endian": bool(np.little_endian),
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def _storage_id(saved_id: Any) -> tuple[StorageKind, Any, str, int, Any]:
    names = ("storage", b"storage")  # bytes where the program asks for texts of Python 2 as bytes
    if not isinstance(saved_id, tuple) or len(saved_id) != 6 or saved_id[0] not in names:
        raise broken("a persistent id names no storage", shown(saved_id))
    _, kind, key, location, count, window = saved_id
    key, location = (n.decode() if isinstance(n, bytes) else n for n in (key, location))
    if not isinstance(kind, StorageKind) or type(count) is not int or count < 0:
        raise broken("a persistent id is malformed", shown(saved_id))
    if type(key) is not str or type(location) is not str:
        raise broken("a persistent id is malformed", shown(saved_id))
    if window is not None:
        fine = isinstance(window, tuple) and len(window) == 3
        fine = fine and all(type(n) is int and n >= 0 for n in window[1:])
        if not fine or window[1] + window[2] > count:
            raise broken("a view reaches beyond its storage", shown(window))
    return kind, key, location, count, window


def no_name(module: str, name: str) -> Known:
    """For pickles that hold numbers and text only."""
    raise CheckpointError(
        message(
            f"load: not a checkpoint: its header mentions {module}.{name}",
            got="a pickle that torch.save did not write",
            hint="pickle.load(file), if you trust who wrote it; then torch.save for the next time",
        )
    )


def no_storage(_saved_id: Any) -> Any:
    """The same for storages."""
    raise broken("its header mentions a storage")
