"""Views, shapes, splits and stacks: what shares memory, what is copied, and the errors."""

from __future__ import annotations

import pytest

import rushlight as torch


def shares(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


@pytest.fixture
def x():
    return torch.arange(24.0).reshape(2, 3, 4)


def test_view_takes_sizes_in_three_forms(x):
    for y in (
        x.view(6, 4),
        x.view((6, 4)),
        x.view(torch.Size([6, 4])),
        x.view(size=(6, 4)),
        x.view(-1, 4),
    ):
        assert y.shape == (6, 4)
        assert shares(x, y)


def test_view_of_the_wrong_strides_raises(x):
    with pytest.raises(RuntimeError, match=r"view size is not compatible(.|\n)*try     x.reshape"):
        x.transpose(0, 1).view(24)
    assert x.transpose(0, 1).reshape(24).shape == (24,)
    assert not shares(x, x.transpose(0, 1).reshape(24))
    assert shares(x, x.reshape(24))


def test_view_of_the_wrong_size_raises(x):
    with pytest.raises(RuntimeError, match="is invalid for input of size 24"):
        x.view(5, 5)
    with pytest.raises(RuntimeError, match="only one dimension can be inferred"):
        x.view(-1, -1)
    with pytest.raises(TypeError, match="must be tuple of ints"):
        x.view(2.0, 12)


def test_view_as_another_type():
    x = torch.tensor([1.0, -2.0])
    assert x.view(torch.int32).tolist() == [1065353216, -1073741824]
    # of the step of a dimension that NumPy has put in
    assert torch.tensor(-2).unsqueeze(-1).view(torch.int32).tolist() == [-2, -1]
    assert x.view(torch.uint8).shape == (8,)
    assert x.view(torch.uint8).view(torch.float32).tolist() == [1.0, -2.0]
    with pytest.raises(RuntimeError, match="must be divisible by 2"):
        torch.zeros(3).view(torch.float64)


def test_flatten_and_unflatten(x):
    assert x.flatten(1).shape == (2, 12)
    assert torch.flatten(x, 0, 1).shape == (6, 4)
    assert torch.tensor(1.0).flatten().shape == (1,)
    assert x.unflatten(2, (2, -1)).shape == (2, 3, 2, 2)
    with pytest.raises(RuntimeError, match="don't multiply up"):
        x.unflatten(2, (3, 2))
    with pytest.raises(RuntimeError, match="start_dim cannot come after"):
        x.flatten(2, 0)


def test_expanding_copies_nothing():
    x = torch.ones(3, 1)
    assert x.expand(3, 4).stride() == (1, 0)
    assert x.expand(-1, 4).shape == (3, 4)
    assert x.expand_as(torch.empty(2, 3, 5)).shape == (2, 3, 5)
    assert [t.shape for t in torch.broadcast_tensors(x, torch.ones(2))] == [(3, 2), (3, 2)]
    assert torch.broadcast_shapes((2, 1), (3,), 1) == (2, 3)
    with pytest.raises(RuntimeError, match="must match the existing size"):
        torch.ones(3).expand(4)
    with pytest.raises(RuntimeError, match="cannot be broadcast"):
        torch.broadcast_shapes((2,), (3,))
    assert torch.broadcast_shapes(True, [3]) == (3,)
    assert type(torch.broadcast_shapes([True], 1)[0]) is int
    with pytest.raises(ValueError, match="dimension with negative length"):
        torch.broadcast_shapes((-1,), (3,))


def test_in_place_views():
    x = torch.zeros(2, 1, 3)
    assert x.squeeze_(1) is x
    assert x.shape == (2, 3)
    assert x.t_().shape == (3, 2)
    assert x.unsqueeze_(0).transpose_(0, 2).shape == (2, 3, 1)


def test_a_view_made_before_an_in_place_transpose_keeps_its_meaning():
    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    base = leaf * 1
    row = base[0]
    base.transpose_(0, 1)
    row.mul_(10)
    assert base.tolist() == [[0.0, 3.0], [10.0, 4.0], [20.0, 5.0]]
    base.sum().backward()
    assert leaf.grad.tolist() == [[10.0, 10.0, 10.0], [1.0, 1.0, 1.0]]


def test_moving_dimensions(x):
    assert x.movedim(0, -1).shape == (3, 4, 2)
    assert (
        x.permute(2, 0, 1).shape
        == x.permute((2, 0, 1)).shape
        == x.permute(dims=(2, 0, 1)).shape
        == (4, 2, 3)
    )
    assert x.mT.shape == (2, 4, 3)
    assert x[0].T.shape == (4, 3)
    assert x.swapaxes(0, 2).shape == (4, 3, 2)
    with pytest.warns(UserWarning, match="x.T"):
        assert x.T.shape == (4, 3, 2)
    with pytest.raises(RuntimeError, match="only supported on matrices"):
        _ = torch.ones(3).mT


def test_splitting(x):
    assert [t.shape[1] for t in x.split(2, 1)] == [2, 1]
    assert [t.shape[2] for t in x.split([1, 3], dim=2)] == [1, 3]
    assert [len(t) for t in torch.arange(5).chunk(3)] == [2, 2, 1]
    assert [len(t) for t in torch.arange(5).tensor_split(3)] == [2, 2, 1]
    assert [t.tolist() for t in torch.arange(5).tensor_split((1, 3))] == [[0], [1, 2], [3, 4]]
    assert len(x.unbind(1)) == 3
    assert all(shares(t, x) for t in x.unbind())
    with pytest.raises(RuntimeError, match="sum exactly to 3"):
        x.split([1, 1], 1)
    with pytest.raises(RuntimeError, match="greater than 0"):
        x.chunk(0)
    with pytest.raises(RuntimeError, match="not divisible by the split_size"):
        torch.ones(3).hsplit(2)


def test_a_split_in_one_part_has_a_gradient():
    x = torch.ones(3, requires_grad=True)
    (x.split(3)[0] * 2).sum().backward()
    assert x.grad.tolist() == [2.0] * 3


def test_joining():
    a, b = torch.tensor([1, 2]), torch.tensor([3, 4])
    assert torch.hstack([a, b]).tolist() == [1, 2, 3, 4]
    assert torch.vstack([a, b]).tolist() == [[1, 2], [3, 4]]
    assert torch.column_stack([a, b]).tolist() == [[1, 3], [2, 4]]
    assert torch.dstack([a, b]).shape == (1, 2, 2)
    assert torch.cat([a, b.float()]).dtype is torch.float32
    assert torch.cat([torch.empty(0), torch.ones(2, 2)]).shape == (2, 2)
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        torch.cat([torch.ones(2, 2), torch.ones(2, 3)])
    with pytest.raises(ValueError, match="non-empty list"):
        torch.cat([])
    with pytest.raises(TypeError, match="expected Tensor as element 1"):
        torch.cat([a, 3])


def test_repeating():
    x = torch.tensor([[1, 2]])
    assert x.repeat(2, 2).tolist() == [[1, 2, 1, 2]] * 2
    assert x.tile(3).tolist() == [[1, 2, 1, 2, 1, 2]]
    assert torch.repeat_interleave(torch.tensor([1, 2]), torch.tensor([2, 1])).tolist() == [1, 1, 2]
    assert x.repeat_interleave(2, dim=1).tolist() == [[1, 1, 2, 2]]
    with pytest.raises(RuntimeError, match="can not be smaller"):
        x.repeat(2)


def test_reordering():
    x = torch.tensor([[1, 2], [3, 4]])
    assert x.flip(0).tolist() == [[3, 4], [1, 2]]
    assert torch.flip(x, (0, 1)).tolist() == [[4, 3], [2, 1]]
    assert x.roll(1, 0).tolist() == [[3, 4], [1, 2]]
    assert torch.roll(x, 1).tolist() == [[4, 1], [2, 3]]
    assert torch.rot90(x).tolist() == [[2, 4], [1, 3]]
    assert x.fliplr().tolist() == [[2, 1], [4, 3]]


def test_grids():
    a, b = torch.tensor([1, 2, 3]), torch.tensor([4, 5])
    rows, columns = torch.meshgrid(a, b, indexing="ij")
    assert rows.shape == (3, 2)
    assert columns.tolist() == [[4, 5]] * 3
    assert torch.meshgrid(a, b, indexing="xy")[0].tolist() == [[1, 2, 3]] * 2
    assert torch.cartesian_prod(a, b).shape == (6, 2)
    assert torch.combinations(a).tolist() == [[1, 2], [1, 3], [2, 3]]
    assert torch.block_diag(torch.ones(1, 2), torch.tensor(3.0)).tolist() == [[1, 1, 0], [0, 0, 3]]
    assert torch.tril_indices(2, 2).tolist() == [[0, 1, 1], [0, 0, 1]]
    with pytest.warns(UserWarning, match="indexing argument"):
        torch.meshgrid(a, b)


def test_parts_replaced_in_a_copy():
    x = torch.zeros(2, 3)
    assert x.select_scatter(torch.ones(3), 0, 1).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert x.slice_scatter(torch.ones(2, 1), 1, 2).tolist() == [[0, 0, 1]] * 2
    assert x.diagonal_scatter(torch.ones(2)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert x.sum().item() == 0
    y = torch.zeros(3, 3)
    y.fill_diagonal_(2)
    assert y.trace().item() == 6
    assert torch.diag_embed(torch.tensor([1, 2])).tolist() == [[1, 0], [0, 2]]


def test_as_strided_reads_the_storage():
    x = torch.arange(6.0, requires_grad=True)
    y = x.as_strided((2, 2), (1, 1))
    assert y.tolist() == [[0.0, 1.0], [1.0, 2.0]]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        x.as_strided((4,), (2,))


def test_narrow():
    x = torch.arange(5)
    assert x.narrow(0, 1, 3).tolist() == [1, 2, 3]
    assert x.narrow(0, -2, 2).tolist() == [3, 4]
    with pytest.raises(RuntimeError, match="exceeds dimension size"):
        x.narrow(0, 3, 3)


def test_copies_of_views():
    x = torch.ones(2, 3)
    for y in (torch.permute_copy(x, (1, 0)), torch.expand_copy(x, (2, 2, 3)), torch.t_copy(x)):
        assert not shares(x, y)


def test_repetitions_are_looked_at_in_pytorchs_order():
    x = torch.ones(3, 2)
    for repeats, dim, kind, words in (
        (torch.tensor([[1.0]]), 0, RuntimeError, "0-dim or 1-dim"),
        (torch.tensor([1.0, 2.0]), 4, IndexError, "out of range"),
        (torch.tensor([1, 1, 1]).byte(), 0, NotImplementedError, "repeat_interleave_cpu"),
    ):
        with pytest.raises(kind, match=words):
            torch.repeat_interleave(x, repeats, dim)


def test_places_alone_are_repeated_by_the_function_alone():
    assert torch.repeat_interleave(repeats=torch.tensor([1, 2])).tolist() == [0, 1, 1]
    assert torch.repeat_interleave(torch.tensor([1, 2]).int()).dtype == torch.int32
    with pytest.raises(NotImplementedError, match="repeat_interleave_cpu"):
        torch.repeat_interleave(torch.ones(2, 2))
    n = torch.tensor([1, 2])
    for call in (
        n.repeat_interleave,
        lambda: n.repeat_interleave(output_size=3),
        lambda: n.repeat_interleave(2.5),
        lambda: n.repeat_interleave([1, 2], 0),
        lambda: torch.repeat_interleave(n, dim=0),
        lambda: torch.repeat_interleave(n, True),
    ):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            call()


def test_steps_of_slices_are_positive():
    with pytest.raises(RuntimeError, match="slice step must be positive"):
        torch.slice_copy(torch.ones(4), 0, 1, 4, -3)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        torch.ones(4)[::-1]


@pytest.mark.parametrize("index", [True, False, 1.0])
def test_select_takes_no_other_numbers(index):
    with pytest.raises(TypeError, match="must be int, not"):
        torch.arange(6).view(2, 3).select(0, index)


@pytest.mark.parametrize("shape", [(2, 3.0), (3.0, 2), (-1, 6.0), (2, "3")])
def test_sizes_that_are_no_ints_are_refused(shape):
    for call in (torch.zeros(6).view, torch.zeros(6).reshape):
        with pytest.raises(TypeError, match="must be tuple of ints"):
            call(*shape)


def test_views_of_other_types_are_inference_tensors():
    """Those made in inference_mode, as they are no views of autograd's; others are what they are
    views of."""
    x = torch.ones(2, 2)
    with torch.inference_mode():
        assert x.view(torch.int32).is_inference()
        assert x.view(torch.float32).is_inference()
        assert not x.view(-1).is_inference()
        y = x.view(torch.int32)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        y.add_(1)
    assert not x.view(torch.int32).is_inference()
    with torch.inference_mode():
        z = torch.ones(2)
    assert not z.view(torch.int32).is_inference()
    assert z.view(-1).is_inference()
