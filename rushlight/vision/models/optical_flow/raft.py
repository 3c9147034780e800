"""RAFT: a flow that is improved step by step by a recurrent unit, which looks up how well pixels of
both images match around where the flow now leads (https://arxiv.org/abs/2003.12039).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight

from .... import nn
from ....nn import functional as F
from ....tensor import Tensor
from ...ops.misc import Conv2dNormActivation
from ...transforms._presets import OpticalFlow
from .._api import _FILES, _PAGES, Weights, WeightsEnum, assemble, builder
from .._utils import Layer, fan_out
from ._utils import grid_sample, make_coords_grid, upsample_flow

__all__ = ["RAFT", "Raft_Large_Weights", "Raft_Small_Weights", "raft_large", "raft_small"]


def _shrink(
    in_channels: int, out_channels: int, stride: int, norm: Layer | None
) -> Conv2dNormActivation:
    """A shortcut where the size or the channels change."""
    return Conv2dNormActivation(
        in_channels, out_channels, 1, stride, norm_layer=norm, bias=True, activation_layer=None
    )


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions with norm, ReLU and bias beside a shortcut, and a ReLU."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        norm_layer: Layer | None,
        stride: int = 1,
        always_project: bool = False,
    ) -> None:
        super().__init__()
        # The norms were frozen for much of the training, so the biases are not idle.
        self.convnormrelu1 = Conv2dNormActivation(
            in_channels, out_channels, 3, stride, norm_layer=norm_layer, bias=True
        )
        self.convnormrelu2 = Conv2dNormActivation(
            out_channels, out_channels, 3, norm_layer=norm_layer, bias=True
        )
        self.downsample: nn.Module = nn.Identity()
        if stride != 1 or always_project:
            self.downsample = _shrink(in_channels, out_channels, stride, norm_layer)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.convnormrelu2(self.convnormrelu1(x))
        return self.relu(self.downsample(x) + y)


class BottleneckBlock(nn.Module):
    """1x1, 3x3, 1x1, each with norm, ReLU and bias, beside a shortcut, and a ReLU."""

    def __init__(
        self, in_channels: int, out_channels: int, *, norm_layer: Layer | None, stride: int = 1
    ) -> None:
        super().__init__()
        mid = out_channels // 4
        self.convnormrelu1 = Conv2dNormActivation(
            in_channels, mid, 1, norm_layer=norm_layer, bias=True
        )
        self.convnormrelu2 = Conv2dNormActivation(
            mid, mid, 3, stride, norm_layer=norm_layer, bias=True
        )
        self.convnormrelu3 = Conv2dNormActivation(
            mid, out_channels, 1, norm_layer=norm_layer, bias=True
        )
        self.relu = nn.ReLU(inplace=True)
        self.downsample: nn.Module = nn.Identity()
        if stride != 1:
            self.downsample = _shrink(in_channels, out_channels, stride, norm_layer)

    def forward(self, x: Tensor) -> Tensor:
        y = self.convnormrelu3(self.convnormrelu2(self.convnormrelu1(x)))
        return self.relu(self.downsample(x) + y)


class FeatureEncoder(nn.Module):
    """Features at an eighth of the image's size: (B, 3, H, W) -> (B, layers[4], H/8, W/8).

    Args:
        block: :class:`ResidualBlock` or :class:`BottleneckBlock`, two in each of three stages.
        layers: channels of the stem, the stages and the result.
        strides: of the stem and the stages.
    """

    def __init__(
        self,
        *,
        block: Layer = ResidualBlock,
        layers: Sequence[int] = (64, 64, 96, 128, 256),
        strides: Sequence[int] = (2, 1, 2, 2),
        norm_layer: Layer | None = nn.BatchNorm2d,
    ) -> None:
        super().__init__()
        if len(layers) != 5:
            raise ValueError(f"The expected number of layers is 5, instead got {len(layers)}")
        self.convnormrelu = Conv2dNormActivation(
            3, layers[0], 7, strides[0], norm_layer=norm_layer, bias=True
        )

        def stage(i: int) -> nn.Sequential:
            return nn.Sequential(
                block(layers[i - 1], layers[i], norm_layer=norm_layer, stride=strides[i]),
                block(layers[i], layers[i], norm_layer=norm_layer, stride=1),
            )

        self.layer1, self.layer2, self.layer3 = stage(1), stage(2), stage(3)
        self.conv = nn.Conv2d(layers[3], layers[4], kernel_size=1)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                fan_out(m.weight)
        self.output_dim = layers[-1]
        self.downsample_factor = 2 ** sum(s == 2 for s in strides)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(self.layer3(self.layer2(self.layer1(self.convnormrelu(x)))))


class MotionEncoder(nn.Module):
    """What a flow (B, 2, h, w) and the matches around it tell: (B, out_channels, h, w).

    The flow itself is the last two channels.
    """

    def __init__(
        self,
        *,
        in_channels_corr: int,
        corr_layers: Sequence[int] = (256, 192),
        flow_layers: Sequence[int] = (128, 64),
        out_channels: int = 128,
    ) -> None:
        super().__init__()
        if len(flow_layers) != 2:
            raise ValueError(
                f"The expected number of flow_layers is 2, instead got {len(flow_layers)}"
            )
        if len(corr_layers) not in (1, 2):
            raise ValueError(
                f"The number of corr_layers should be 1 or 2, instead got {len(corr_layers)}"
            )

        def conv(inside: int, out: int, kernel: int) -> nn.Module:
            return Conv2dNormActivation(inside, out, kernel, norm_layer=None)

        self.convcorr1 = conv(in_channels_corr, corr_layers[0], 1)
        two = len(corr_layers) == 2
        self.convcorr2 = conv(corr_layers[0], corr_layers[1], 3) if two else nn.Identity()
        self.convflow1 = conv(2, flow_layers[0], 7)
        self.convflow2 = conv(flow_layers[0], flow_layers[1], 3)
        self.conv = conv(corr_layers[-1] + flow_layers[-1], out_channels - 2, 3)
        self.out_channels = out_channels

    def forward(self, flow: Tensor, corr_features: Tensor) -> Tensor:
        corr = self.convcorr2(self.convcorr1(corr_features))
        both = rushlight.cat([corr, self.convflow2(self.convflow1(flow))], 1)
        return rushlight.cat([self.conv(both), flow], 1)


class ConvGRU(nn.Module):
    """A GRU whose products are convolutions: h (B, hidden, H, W) and x (B, input, H, W) -> h."""

    def __init__(
        self, *, input_size: int, hidden_size: int, kernel_size: Any, padding: Any
    ) -> None:
        super().__init__()

        def conv() -> nn.Conv2d:
            channels = hidden_size + input_size
            return nn.Conv2d(channels, hidden_size, kernel_size=kernel_size, padding=padding)

        self.convz, self.convr, self.convq = conv(), conv(), conv()

    def forward(self, h: Tensor, x: Tensor) -> Tensor:
        hx = rushlight.cat([h, x], dim=1)
        z, r = self.convz(hx).sigmoid(), self.convr(hx).sigmoid()
        q = self.convq(rushlight.cat([r * h, x], dim=1)).tanh()
        return (1 - z) * h + z * q


def _pass_through_h(h: Tensor, _: Tensor) -> Tensor:
    return h


class RecurrentBlock(nn.Module):
    """One GRU, or one across and one down."""

    def __init__(
        self,
        *,
        input_size: int,
        hidden_size: int,
        kernel_size: Sequence[Any] = ((1, 5), (5, 1)),
        padding: Sequence[Any] = ((0, 2), (2, 0)),
    ) -> None:
        super().__init__()
        if len(kernel_size) != len(padding):
            raise ValueError(
                "kernel_size should have the same length as padding, instead got "
                f"len(kernel_size) = {len(kernel_size)} and len(padding) = {len(padding)}"
            )
        if len(kernel_size) not in (1, 2):
            raise ValueError(f"kernel_size should either 1 or 2, instead got {len(kernel_size)}")
        units: list[Any] = [
            ConvGRU(input_size=input_size, hidden_size=hidden_size, kernel_size=k, padding=p)
            for k, p in zip(kernel_size, padding, strict=True)
        ]
        self.convgru1, self.convgru2 = [*units, _pass_through_h][:2]
        self.hidden_size = hidden_size

    def forward(self, h: Tensor, x: Tensor) -> Tensor:
        return self.convgru2(self.convgru1(h, x), x)


class FlowHead(nn.Module):
    """How the flow is to change, from the hidden state: (B, in_channels, h, w) -> (B, 2, h, w)."""

    def __init__(self, *, in_channels: int, hidden_size: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, hidden_size, 3, padding=1)
        self.conv2 = nn.Conv2d(hidden_size, 2, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv2(self.relu(self.conv1(x)))


class UpdateBlock(nn.Module):
    """One step: the new hidden state, and how the flow is to change."""

    def __init__(
        self, *, motion_encoder: nn.Module, recurrent_block: Any, flow_head: nn.Module
    ) -> None:
        super().__init__()
        self.motion_encoder = motion_encoder
        self.recurrent_block = recurrent_block
        self.flow_head = flow_head
        self.hidden_state_size = recurrent_block.hidden_size

    def forward(
        self, hidden_state: Tensor, context: Tensor, corr_features: Tensor, flow: Tensor
    ) -> tuple[Tensor, Tensor]:
        motion = self.motion_encoder(flow, corr_features)
        hidden_state = self.recurrent_block(hidden_state, rushlight.cat([context, motion], dim=1))
        return hidden_state, self.flow_head(hidden_state)


class MaskPredictor(nn.Module):
    """The mask of :func:`upsample_flow`, from the hidden state.

    Args:
        multiplier: of the result and so of the gradients, as in the paper's program.
    """

    def __init__(self, *, in_channels: int, hidden_size: int, multiplier: float = 0.25) -> None:
        super().__init__()
        self.convrelu = Conv2dNormActivation(in_channels, hidden_size, 3, norm_layer=None)
        self.conv = nn.Conv2d(hidden_size, 8 * 8 * 9, 1, padding=0)
        self.multiplier = multiplier

    def forward(self, x: Tensor) -> Tensor:
        return self.multiplier * self.conv(self.convrelu(x))


class CorrBlock(nn.Module):
    """How well each pixel of one image matches each of the other, at several sizes.

    Args:
        num_levels: sizes; each has half the height and width of the one before.
        radius: how far around a place matches are looked up, in pixels along each side.
    """

    def __init__(self, *, num_levels: int = 4, radius: int = 4) -> None:
        super().__init__()
        self.num_levels = num_levels
        self.radius = radius
        self.corr_pyramid: list[Tensor] = []
        self.out_channels = num_levels * (2 * radius + 1) ** 2

    def build_pyramid(self, fmap1: Tensor, fmap2: Tensor) -> None:
        """Keep the products of all pairs of pixels of two features (B, C, h, w)."""
        if fmap1.shape != fmap2.shape:
            raise ValueError(
                "Input feature maps should have the same shape, instead got "
                f"{fmap1.shape} (fmap1.shape) != {fmap2.shape} (fmap2.shape)"
            )
        # The last size needs two pixels a side: places on one have no scale.
        least = 2 * 2 ** (self.num_levels - 1)
        if any(side < least for side in fmap1.shape[-2:]):
            raise ValueError(
                "Feature maps are too small to be down-sampled by the correlation pyramid. "
                f"H and W of feature maps should be at least {least}; got: {fmap1.shape[-2:]}. "
                "Remember that input images to the model are downsampled by 8, so that means "
                f"their dimensions should be at least 8 * {least} = {8 * least}."
            )
        c, h, w = fmap1.shape[1:]
        volume = fmap1.flatten(2).transpose(1, 2) @ fmap2.flatten(2)  # (B, h w, h w)
        volume = (volume / math.sqrt(c)).reshape(-1, 1, h, w)
        self.corr_pyramid = [volume]
        for _ in range(self.num_levels - 1):
            volume = F.avg_pool2d(volume, kernel_size=2, stride=2)
            self.corr_pyramid.append(volume)

    def index_pyramid(self, centroids_coords: Tensor) -> Tensor:
        """Matches around the places (B, 2, h, w) of the second image: (B, out_channels, h, w)."""
        b, _, h, w = centroids_coords.shape
        side = 2 * self.radius + 1
        step = rushlight.linspace(
            -self.radius, self.radius, side, device=centroids_coords.device
        ).to(centroids_coords.dtype)
        around = rushlight.stack(rushlight.meshgrid(step, step, indexing="ij"), -1)
        places = centroids_coords.permute(0, 2, 3, 1).reshape(b * h * w, 1, 1, 2)
        found = []
        for i, volume in enumerate(self.corr_pyramid):
            seen = grid_sample(volume, places / 2**i + around, align_corners=True)
            found.append(seen.view(b, h, w, -1))
        features = rushlight.cat(found, -1).permute(0, 3, 1, 2).contiguous()
        expected = b, self.out_channels, h, w
        if features.shape != expected:
            raise ValueError(
                f"Output shape of index pyramid is incorrect. Should be {expected}, got "
                f"{features.shape}"
            )
        return features


class RAFT(nn.Module):
    """The flow between two images (B, 3, H, W), after each step: a list of (B, 2, H, W).

    Args:
        feature_encoder: of both images, to an eighth of their size.
        context_encoder: of the first image; its first channels are the first hidden state.
        corr_block: with `build_pyramid`, `index_pyramid` and `out_channels`, as
            :class:`CorrBlock`.
        update_block: with `hidden_state_size`, as :class:`UpdateBlock`.
        mask_predictor: how the flow is brought to the images' size; None: by interpolation.

    The forward takes `num_flow_updates`, the number of steps; H and W are multiples of 8, at least
    128 with four levels.

    >>> net = torch.vision.models.optical_flow.raft_small().eval()
    >>> images = torch.zeros(2, 1, 3, 128, 128)
    >>> with torch.no_grad():
    ...     [tuple(flow.shape) for flow in net(*images, num_flow_updates=2)]
    [(1, 2, 128, 128), (1, 2, 128, 128)]
    """

    def __init__(
        self,
        *,
        feature_encoder: nn.Module,
        context_encoder: nn.Module,
        corr_block: Any,
        update_block: Any,
        mask_predictor: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.feature_encoder = feature_encoder
        self.context_encoder = context_encoder
        self.corr_block = corr_block
        self.update_block = update_block
        self.mask_predictor = mask_predictor
        if not hasattr(self.update_block, "hidden_state_size"):
            raise ValueError(
                "The update_block parameter should expose a 'hidden_state_size' attribute."
            )

    def forward(self, image1: Tensor, image2: Tensor, num_flow_updates: int = 12) -> list[Tensor]:
        b, _, h, w = image1.shape
        if (h, w) != image2.shape[-2:]:
            raise ValueError(
                "input images should have the same shape, instead got "
                f"({h}, {w}) != {image2.shape[-2:]}"
            )
        if h % 8 or w % 8:
            raise ValueError(
                f"input image H and W should be divisible by 8, instead got {h} (h) and {w} (w)"
            )
        small = h // 8, w // 8
        features = self.feature_encoder(rushlight.cat([image1, image2]))
        if features.shape[-2:] != small:
            raise ValueError("The feature encoder should downsample H and W by 8")
        self.corr_block.build_pyramid(*features.chunk(2))

        context = self.context_encoder(image1)
        if context.shape[-2:] != small:
            raise ValueError("The context encoder should downsample H and W by 8")
        hidden_size = self.update_block.hidden_state_size
        if context.shape[1] <= hidden_size:
            raise ValueError(
                f"The context encoder outputs {context.shape[1]} channels, but it should have at "
                f"strictly more than hidden_state={hidden_size} channels"
            )
        hidden = context[:, :hidden_size].tanh()
        context = context[:, hidden_size:].relu()

        start = make_coords_grid(b, *small, device=features.device).to(features.dtype)
        place = start
        flows = []
        for _ in range(num_flow_updates):
            place = place.detach()  # each step is trained by its own result
            matches = self.corr_block.index_pyramid(centroids_coords=place)
            hidden, change = self.update_block(hidden, context, matches, place - start)
            place = place + change
            mask = None if self.mask_predictor is None else self.mask_predictor(hidden)
            flows.append(upsample_flow(place - start, mask))
        return flows


def flow(
    file: str, params: int, paper: bool, gflops: float, megabytes: float, metrics: dict[str, Any]
) -> Weights:
    """Weights of PyTorch's server, trained by it or ported from the paper's authors."""
    recipe = _PAGES + "tree/main/references/optical_flow"
    meta = {
        "min_size": (128, 128),
        "num_params": params,
        "recipe": "https://github.com/princeton-vl/RAFT" if paper else recipe,
        "_metrics": metrics,
        "_ops": gflops,
        "_file_size": megabytes,
    }
    return Weights(_FILES + file, OpticalFlow, meta)


def _large(file: str, paper: bool, metrics: dict[str, Any]) -> Weights:
    return flow(f"raft_large_{file}.pth", 5_257_536, paper, 211.007, 20.129, metrics)


def _small(file: str, paper: bool, metrics: dict[str, Any]) -> Weights:
    return flow(f"raft_small_{file}.pth", 990_162, paper, 47.655, 3.821, metrics)


def _train(clean: float, final: float, kitti: float, kitti_all: float) -> dict[str, Any]:
    return {
        "Sintel-Train-Cleanpass": {"epe": clean},
        "Sintel-Train-Finalpass": {"epe": final},
        "Kitti-Train": {"per_image_epe": kitti, "fl_all": kitti_all},
    }


def _sintel(clean: float, final: float) -> dict[str, Any]:
    return {"Sintel-Test-Cleanpass": {"epe": clean}, "Sintel-Test-Finalpass": {"epe": final}}


class Raft_Large_Weights(WeightsEnum):
    """Trained weights of `raft_large`.

    C_T: trained on FlyingChairs and FlyingThings3D; SKHT: then on Sintel, KITTI, HD1K and
    FlyingThings3D; K: then on KITTI again. Metrics: "epe" is the mean distance in pixels between
    the flow's end and the true one, "fl_all" the percentage of pixels where it is large.
    """

    C_T_V1 = _large("C_T_V1-22a6c225", True, _train(1.4411, 2.7894, 5.0172, 17.4506))
    C_T_V2 = _large("C_T_V2-1bb1363a", False, _train(1.3822, 2.7161, 4.5118, 16.0679))
    C_T_SKHT_V1 = _large("C_T_SKHT_V1-0b8c9e55", True, _sintel(1.94, 3.18))
    C_T_SKHT_V2 = _large("C_T_SKHT_V2-ff5fadd5", False, _sintel(1.819, 3.067))
    C_T_SKHT_K_V1 = _large("C_T_SKHT_K_V1-4a6a5039", True, {"Kitti-Test": {"fl_all": 5.1}})
    C_T_SKHT_K_V2 = _large("C_T_SKHT_K_V2-b5c70766", False, {"Kitti-Test": {"fl_all": 5.19}})
    DEFAULT = C_T_SKHT_V2


class Raft_Small_Weights(WeightsEnum):
    """Trained weights of `raft_small`; see :class:`Raft_Large_Weights`."""

    C_T_V1 = _small("C_T_V1-ad48884c", True, _train(2.1231, 3.279, 7.6557, 25.2801))
    C_T_V2 = _small("C_T_V2-01064c6d", False, _train(1.9901, 3.2831, 7.5978, 25.2369))
    DEFAULT = C_T_V2


def _raft(
    *,
    block: Layer,
    features: Sequence[int],
    context: Sequence[int],
    context_norm: Layer | None,
    radius: int,
    corr_layers: Sequence[int],
    flow_layers: Sequence[int],
    motion: int,
    hidden: int,
    kernels: Sequence[Any],
    padding: Sequence[Any],
    flow_hidden: int,
    mask: bool,
    feature_encoder: nn.Module | None = None,
    context_encoder: nn.Module | None = None,
    corr_block: Any = None,
    update_block: Any = None,
    mask_predictor: nn.Module | None = None,
) -> RAFT:
    """A RAFT of these sizes, or of parts that the caller brings."""
    feature_encoder = feature_encoder or FeatureEncoder(
        block=block, layers=features, norm_layer=nn.InstanceNorm2d
    )
    context_encoder = context_encoder or FeatureEncoder(
        block=block, layers=context, norm_layer=context_norm
    )
    corr_block = corr_block or CorrBlock(num_levels=4, radius=radius)
    if update_block is None:
        update_block = UpdateBlock(
            motion_encoder=MotionEncoder(
                in_channels_corr=corr_block.out_channels,
                corr_layers=corr_layers,
                flow_layers=flow_layers,
                out_channels=motion,
            ),
            recurrent_block=RecurrentBlock(
                input_size=motion + context[-1] - hidden,
                hidden_size=hidden,
                kernel_size=kernels,
                padding=padding,
            ),
            flow_head=FlowHead(in_channels=hidden, hidden_size=flow_hidden),
        )
    if mask_predictor is None and mask:
        mask_predictor = MaskPredictor(in_channels=hidden, hidden_size=256)
    return RAFT(
        feature_encoder=feature_encoder,
        context_encoder=context_encoder,
        corr_block=corr_block,
        update_block=update_block,
        mask_predictor=mask_predictor,
    )


@builder(Raft_Large_Weights, "C_T_SKHT_V2")
def raft_large(
    *, weights: Raft_Large_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RAFT:
    """RAFT of 5.3 million parameters; `kwargs` are parts of :class:`RAFT` in place of its own."""
    return assemble(
        _raft,
        weights,
        progress,
        block=ResidualBlock,
        features=(64, 64, 96, 128, 256),
        context=(64, 64, 96, 128, 256),
        context_norm=nn.BatchNorm2d,
        radius=4,
        corr_layers=(256, 192),
        flow_layers=(128, 64),
        motion=128,
        hidden=128,
        kernels=((1, 5), (5, 1)),
        padding=((0, 2), (2, 0)),
        flow_hidden=256,
        mask=True,
        **kwargs,
    )


@builder(Raft_Small_Weights, "C_T_V2")
def raft_small(
    *, weights: Raft_Small_Weights | None = None, progress: bool = True, **kwargs: Any
) -> RAFT:
    """RAFT of a million parameters; `kwargs` are parts of :class:`RAFT` in place of its own."""
    return assemble(
        _raft,
        weights,
        progress,
        block=BottleneckBlock,
        features=(32, 32, 64, 96, 128),
        context=(32, 32, 64, 96, 160),
        context_norm=None,
        radius=3,
        corr_layers=(96,),
        flow_layers=(64, 32),
        motion=82,
        hidden=96,
        kernels=(3,),
        padding=(1,),
        flow_hidden=128,
        mask=False,
        **kwargs,
    )
