"""What a mask that was changed after its use means: to the gradients of what it chose."""

import pytest

import rushlight as torch


def test_a_mask_of_no_dimensions_may_change() -> None:
    """It is one truth, looked at in the call; its tensor is not kept."""
    x = torch.tensor(2.0, requires_grad=True)
    mask = torch.tensor(True)
    y = (x * 1)[mask]
    mask.fill_(False)
    y.sum().backward()
    assert x.grad == 1

    x = torch.arange(4.0).requires_grad_()
    z = x * 1
    mask = torch.tensor(True)
    z[mask] = 5.0
    mask.fill_(False)
    z.sum().backward()
    assert x.grad.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "use",
    [
        lambda x, m: x[m],
        lambda x, m: x.masked_select(m),
        lambda x, m: x.expand(2, 4).masked_select(m),
        lambda x, m: x.masked_fill(m, 0.0),
    ],
    ids=["getitem", "masked_select", "masked_select, broadcast", "masked_fill"],
)
def test_a_kept_mask_that_changed_is_noticed(use) -> None:
    x = torch.arange(4.0).requires_grad_()
    mask = torch.tensor([True, False, True, False])
    y = use(x, mask)
    mask[0] = False
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
