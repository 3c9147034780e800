"""Storages that programs make themselves, typed and untyped, and the classes of old programs."""

import pytest

import rushlight as torch


def test_typed_storages():
    s = torch.FloatStorage([1, 2])
    assert s.tolist() == [1.0, 2.0]
    assert s.type() == "torch.FloatStorage"
    assert isinstance(s, torch.FloatStorage)
    assert not isinstance(s, torch.IntStorage)
    assert s.int().tolist() == [1, 2]
    s[:] = 3
    s[1] = 5
    assert s.tolist() == [3, 5]
    assert s.fill_(1).clone().tolist() == [1, 1]
    assert torch.ones(1).storage_type() is torch.FloatStorage
    assert len(torch.DoubleStorage(3)) == 3
    assert torch.BoolStorage().element_size() == 1
    with pytest.raises(IndexError, match="out of range for storage of size 2"):
        _ = s[2]
    assert torch.UntypedStorage([1, 2, 300]).tolist() == [1, 2, 44]


def test_tensors_from_storages():
    s = torch.tensor([1.0, 2.0]).storage()
    assert torch.tensor(s).tolist() == [1, 2]
    assert torch.tensor(s.untyped(), dtype=torch.int32)[0].item() == 0x3F800000
    with pytest.raises(RuntimeError, match="Expected a Storage of type Int"):
        torch.tensor(s, dtype=torch.int32)
    with pytest.raises(RuntimeError, match="Expected a Storage of type Int"):
        torch.tensor([], dtype=torch.int32).set_(s)
    assert torch.tensor([]).set_(s).tolist() == [1, 2]


def test_storages_from_buffers():
    two = bytearray([1, 2, 3, 4])
    assert torch.ByteStorage.from_buffer(two).tolist() == [1, 2, 3, 4]
    assert torch.ShortStorage.from_buffer(two, "big").tolist() == [258, 772]
    assert torch.ShortStorage.from_buffer(two, "little").tolist() == [513, 1027]
    with pytest.raises(RuntimeError, match="missing required argument"):
        torch.ShortStorage.from_buffer(two)
    with pytest.raises(ValueError, match="multiple of element size"):
        torch.LongStorage.from_buffer(two, "little")


def test_storages_without_memory():
    s = torch.TypedStorage([1, 2, 3], dtype=torch.int16, device="meta")
    assert (s.size(), s.nbytes(), s.data_ptr(), s.device.type) == (3, 6, 0, "meta")
    for read in (lambda: s[0], s.tolist):
        with pytest.raises(NotImplementedError, match="Not available for 'meta'"):
            read()
    for copy in (s.cpu, lambda: torch.ShortStorage(3).copy_(s)):
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):
            copy()
    with pytest.raises(RuntimeError, match="only available on CPU"):
        s.share_memory_()
    assert s.resize_(10).size() == 10


def test_calls_that_make_no_storage():
    bare = torch.UntypedStorage(4)
    for call in (
        lambda: torch.FloatStorage(1, 2),
        lambda: torch.FloatStorage(0, wrap_storage=bare),
        lambda: torch.TypedStorage(0, 0, dtype=torch.float),
        lambda: torch.TypedStorage(wrap_storage=bare),
        lambda: torch.TypedStorage(wrap_storage=bare, dtype=torch.float, device="cpu"),
    ):
        with pytest.raises(RuntimeError, match="invalid combination of arguments"):
            call()
    with pytest.raises(TypeError, match=r"must be torch\.dtype"):
        torch.TypedStorage(wrap_storage=bare, dtype=0)
    with pytest.raises(TypeError, match="must be UntypedStorage"):
        torch.FloatStorage(wrap_storage=torch.FloatStorage(1))
    with pytest.raises(RuntimeError, match="device not recognized"):
        torch.TypedStorage(dtype=torch.float, device="xla")
    with pytest.raises(RuntimeError, match="Only child classes"):
        torch.storage._LegacyStorage()
