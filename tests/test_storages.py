"""Storages that programs make themselves, typed and untyped."""

from copy import deepcopy

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


def test_a_storage_is_one_object_while_somebody_holds_it():
    t = torch.arange(6.0)
    storage = t.untyped_storage()
    storage.mark = "mine"
    assert t[2:].untyped_storage() is storage
    assert t.storage().untyped().mark == "mine"
    assert t.clone().untyped_storage() is not storage


def test_a_part_of_the_bytes():
    storage = torch.arange(5, dtype=torch.uint8).untyped_storage()
    part = storage[1:3]
    assert part.tolist() == [1, 2]
    assert part.data_ptr() == storage.data_ptr() + 1
    part[0] = 77
    assert storage.tolist() == [0, 77, 2, 3, 4]
    assert storage[4:2].tolist() == []
    with pytest.raises(RuntimeError, match="step of 2"):
        _ = storage[::2]


def test_copies_and_conversions_of_bytes():
    storage = torch.arange(8, dtype=torch.uint8).untyped_storage()
    for made in (storage.clone(), storage.__copy__(), storage.__deepcopy__({})):
        assert made.tolist() == storage.tolist()
        assert made.data_ptr() != storage.data_ptr()
    t = torch.arange(3.0)
    again, held, view = deepcopy([t, t.untyped_storage(), t[1:]])
    again.add_(1)
    assert view.tolist() == [2, 3]
    assert torch.tensor(held, dtype=torch.float32).tolist() == [1, 2, 3]
    assert storage.float().tolist() == list(range(8))
    assert storage.type() == "torch.storage.UntypedStorage"
    assert storage.type(torch.int16).dtype == torch.int16
    assert storage.to(device="cpu") is storage
    assert storage.to(device="meta").device.type == "meta"
    assert storage.new().size() == 0
    with pytest.raises(RuntimeError, match="accelerator"):
        storage.to(device="cpu", non_blocking=True)
    assert torch.tensor(torch.UntypedStorage(10), dtype=torch.float32).shape == (2,)


def test_classes_of_users():
    class Own(torch._C.StorageBase):
        pass

    assert isinstance(torch.UntypedStorage(2), torch._C.StorageBase)
    assert len(Own(torch.UntypedStorage(3))) == 3
    with pytest.raises(RuntimeError, match="Cannot directly construct StorageBase"):
        torch._C.StorageBase()


def test_private_names_of_typed_storages():
    s = torch.FloatStorage([1, 2, 3], _internal=True)
    assert (s._size(), s._nbytes(), s._element_size(), s._dtype) == (3, 12, 4, torch.float32)
    assert s._pickle_storage_type() == "FloatStorage"
    assert s._get_legacy_storage_class() is torch.FloatStorage
    assert (s._maybe_wrap_index(-1), s._getitem(1), s._is_shared()) == (2, 2.0, False)
    assert torch._utils._element_size(torch.complex64) == 8


def test_memory_that_is_a_file(tmp_path):
    name = str(tmp_path / "numbers")
    with pytest.raises(RuntimeError, match="unable to open file"):
        torch.from_file(name, size=2)
    one = torch.from_file(name, True, 4).fill_(2)
    other = torch.FloatTensor(torch.FloatStorage.from_file(name, True, 4))
    other[1] = 5
    assert one.tolist() == [2, 5, 2, 2]
    with pytest.raises(RuntimeError, match="cannot be pinned"):
        torch.from_file(name, True, 4, pin_memory=True)
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch.from_file(name, True, 4, layout=torch.sparse_coo)
    own = torch.from_file(name, size=2, dtype=torch.float32)
    own.fill_(7)
    assert one.tolist() == [2, 5, 2, 2]
    assert torch.UntypedStorage.from_file(name, True, 4).filename == name
    assert torch.UntypedStorage.from_file(name, False, 4).filename is None
    with pytest.raises(RuntimeError, match="size <16> is smaller than the required mapping"):
        torch.from_file(name, False, 5)
    assert torch.from_file(name, True, 5).tolist() == [2, 5, 2, 2, 0]
    with pytest.raises(RuntimeError, match="derived classes"):
        torch.TypedStorage.from_file(name)
