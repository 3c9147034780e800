"""Trained weights of the EfficientNets; the networks are in `efficientnet.py`."""

from __future__ import annotations

from ._api import WeightsEnum, imagenet


class EfficientNet_B0_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b0`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b0_rwightman-7f5810bc.pth",
        5_288_548,
        77.692,
        93.532,
        0.386,
        20.451,
        "#efficientnet-v1",
        bicubic=True,
        resize_size=256,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B1_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b1`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b1_rwightman-bac287d4.pth",
        7_794_184,
        78.642,
        94.186,
        0.687,
        30.134,
        "#efficientnet-v1",
        crop=240,
        bicubic=True,
        resize_size=256,
    )
    IMAGENET1K_V2 = imagenet(
        "efficientnet_b1-c27df63c.pth",
        7_794_184,
        79.838,
        94.934,
        0.687,
        30.136,
        "issues/3995#new-recipe-with-lr-wd-crop-tuning",
        crop=240,
        resize_size=255,
    )
    DEFAULT = IMAGENET1K_V2


class EfficientNet_B2_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b2`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b2_rwightman-c35c1473.pth",
        9_109_994,
        80.608,
        95.31,
        1.088,
        35.174,
        "#efficientnet-v1",
        crop=288,
        bicubic=True,
        resize_size=288,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B3_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b3`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b3_rwightman-b3899882.pth",
        12_233_232,
        82.008,
        96.054,
        1.827,
        47.184,
        "#efficientnet-v1",
        crop=300,
        bicubic=True,
        resize_size=320,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B4_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b4`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b4_rwightman-23ab8bcd.pth",
        19_341_616,
        83.384,
        96.594,
        4.394,
        74.489,
        "#efficientnet-v1",
        crop=380,
        bicubic=True,
        resize_size=384,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B5_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b5`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b5_lukemelas-1a07897c.pth",
        30_389_784,
        83.444,
        96.628,
        10.266,
        116.864,
        "#efficientnet-v1",
        crop=456,
        bicubic=True,
        resize_size=456,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B6_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b6`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b6_lukemelas-24a108a5.pth",
        43_040_704,
        84.008,
        96.916,
        19.068,
        165.362,
        "#efficientnet-v1",
        crop=528,
        bicubic=True,
        resize_size=528,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_B7_Weights(WeightsEnum):
    """Trained weights of `efficientnet_b7`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_b7_lukemelas-c5b4e57e.pth",
        66_347_960,
        84.122,
        96.908,
        37.746,
        254.675,
        "#efficientnet-v1",
        crop=600,
        bicubic=True,
        resize_size=600,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_V2_S_Weights(WeightsEnum):
    """Trained weights of `efficientnet_v2_s`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_v2_s-dd5fe13b.pth",
        21_458_488,
        84.228,
        96.878,
        8.366,
        82.704,
        "#efficientnet-v2",
        min_size=(33, 33),
        crop=384,
        resize_size=384,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_V2_M_Weights(WeightsEnum):
    """Trained weights of `efficientnet_v2_m`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_v2_m-dc08266a.pth",
        54_139_356,
        85.112,
        97.156,
        24.582,
        208.01,
        "#efficientnet-v2",
        min_size=(33, 33),
        crop=480,
        resize_size=480,
    )
    DEFAULT = IMAGENET1K_V1


class EfficientNet_V2_L_Weights(WeightsEnum):
    """Trained weights of `efficientnet_v2_l`."""

    IMAGENET1K_V1 = imagenet(
        "efficientnet_v2_l-59c71312.pth",
        118_515_272,
        85.808,
        97.788,
        56.08,
        454.573,
        "#efficientnet-v2",
        min_size=(33, 33),
        crop=480,
        bicubic=True,
        resize_size=480,
        mean=(0.5, 0.5, 0.5),
        std=(0.5, 0.5, 0.5),
    )
    DEFAULT = IMAGENET1K_V1
