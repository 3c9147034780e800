"""RAFT: its grids, look-ups and steps at small sizes, and what it refuses."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models
from rushlight.vision.models import optical_flow
from rushlight.vision.models.optical_flow import raft
from rushlight.vision.models.optical_flow._utils import (
    grid_sample,
    make_coords_grid,
    upsample_flow,
)


def test_places_in_pixels() -> None:
    grid = make_coords_grid(2, 2, 3)
    assert grid[1].tolist() == [[[0, 1, 2], [0, 1, 2]], [[0, 0, 0], [1, 1, 1]]]
    image = torch.randn(2, 4, 2, 3)
    found = grid_sample(image, grid.permute(0, 2, 3, 1), align_corners=True)
    torch.testing.assert_close(found, image)
    row = torch.tensor([[[[1.0, 0.0]]]])
    assert grid_sample(torch.arange(3.0).view(1, 1, 1, 3), row, align_corners=True).item() == 1


def test_larger_flows_are_longer() -> None:
    flow = torch.ones(1, 2, 3, 3)
    assert upsample_flow(flow, factor=2).equal(torch.full((1, 2, 6, 6), 2.0))
    mask = torch.zeros(1, 9, 2, 2, 3, 3)
    mask[:, 4] = 100.0  # the pixel itself, not those around
    flow = torch.randn(1, 2, 3, 3)
    y = upsample_flow(flow, mask.view(1, 36, 3, 3), factor=2)
    near = (2 * flow).repeat_interleave(2, 2).repeat_interleave(2, 3)
    torch.testing.assert_close(y, near)


def test_matches_are_looked_up() -> None:
    block = raft.CorrBlock(num_levels=1, radius=1)
    first = torch.zeros(1, 4, 2, 2)
    first[0, :, 0, 0] = 1.0
    second = torch.arange(4.0).view(1, 1, 2, 2).expand(1, 4, 2, 2)
    block.build_pyramid(first, second)
    y = block.index_pyramid(make_coords_grid(1, 2, 2))
    assert tuple(y.shape) == (1, block.out_channels, 2, 2) == (1, 9, 2, 2)
    # 4 channels / sqrt(4); x goes first, and what lies outside is 0.
    assert y[0, :, 0, 0].tolist() == [0, 0, 0, 0, 0, 4, 0, 2, 6]
    assert y[0, :, 1, 1].abs().sum() == 0
    with pytest.raises(ValueError, match="should have the same shape"):
        block.build_pyramid(first, second[..., :1])
    with pytest.raises(ValueError, match=r"at least 4; got.*8 \* 4 = 32"):
        raft.CorrBlock(num_levels=2).build_pyramid(first, second)


def small() -> raft.RAFT:
    """A RAFT of two levels and few channels."""
    corr = raft.CorrBlock(num_levels=2, radius=1)
    layers = (4, 4, 4, 4, 6)

    def encoder() -> raft.FeatureEncoder:
        return raft.FeatureEncoder(block=raft.BottleneckBlock, layers=layers)

    motion = raft.MotionEncoder(
        in_channels_corr=corr.out_channels, corr_layers=(4,), flow_layers=(4, 4), out_channels=6
    )
    unit = raft.RecurrentBlock(input_size=8, hidden_size=4, kernel_size=(3,), padding=(1,))
    head = raft.FlowHead(in_channels=4, hidden_size=4)
    return raft.RAFT(
        feature_encoder=encoder(),
        context_encoder=encoder(),
        corr_block=corr,
        update_block=raft.UpdateBlock(
            motion_encoder=motion, recurrent_block=unit, flow_head=head
        ),
        mask_predictor=raft.MaskPredictor(in_channels=4, hidden_size=4),
    )


@pytest.mark.slow
def test_steps_are_trained() -> None:
    net = small()
    flows = net(*torch.randn(2, 2, 3, 32, 40), num_flow_updates=3)
    assert [tuple(flow.shape) for flow in flows] == [(2, 2, 32, 40)] * 3
    sum(flow.abs().mean() for flow in flows).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())


def test_images_and_parts_are_checked() -> None:
    net, images = small(), torch.zeros(2, 1, 3, 32, 32)
    with pytest.raises(ValueError, match="same shape, instead got"):
        net(images[0], images[1][..., :24])
    with pytest.raises(ValueError, match=r"divisible by 8, instead got 32 \(h\) and 31 \(w\)"):
        net(images[0][..., :31], images[1][..., :31])
    net.update_block.hidden_state_size = 6
    with pytest.raises(ValueError, match="strictly more than hidden_state=6"):
        net(*images)
    net.feature_encoder = nn.Identity()
    with pytest.raises(ValueError, match="feature encoder should downsample"):
        net(*images)
    with pytest.raises(ValueError, match="number of layers is 5"):
        raft.FeatureEncoder(layers=(1, 2))
    with pytest.raises(ValueError, match="flow_layers is 2"):
        raft.MotionEncoder(in_channels_corr=1, flow_layers=(1,))
    with pytest.raises(ValueError, match="corr_layers should be 1 or 2"):
        raft.MotionEncoder(in_channels_corr=1, corr_layers=())
    with pytest.raises(ValueError, match="same length as padding"):
        raft.RecurrentBlock(input_size=1, hidden_size=1, kernel_size=(3,))
    with pytest.raises(ValueError, match="'hidden_state_size' attribute"):
        optical_flow.raft_small(update_block=nn.Identity())


def test_names_and_weights() -> None:
    assert models.list_models(optical_flow) == ["raft_large", "raft_small"]
    weights = optical_flow.Raft_Large_Weights.DEFAULT
    assert weights.name == "C_T_SKHT_V2"
    assert weights.meta["_metrics"]["Sintel-Test-Cleanpass"] == {"epe": 1.819}
    prepare = weights.transforms()
    assert repr(prepare) == "OpticalFlow()"
    assert "[-1.0, 1.0]" in prepare.describe()
    a, b = prepare(torch.zeros(3, 4, 4, dtype=torch.uint8), torch.ones(3, 4, 4))
    assert (a == -1).all()
    assert (b == 1).all()
