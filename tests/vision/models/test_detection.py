"""Networks that find objects: their parts by hand, losses and detections of small ones."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models, ops
from rushlight.vision.models import detection
from rushlight.vision.models.detection import _utils as parts
from rushlight.vision.models.detection import backbone_utils, roi_heads, transform
from rushlight.vision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from rushlight.vision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from rushlight.vision.models.detection.image_list import ImageList
from rushlight.vision.models.detection.keypoint_rcnn import (
    KeypointRCNNHeads,
    KeypointRCNNPredictor,
)
from rushlight.vision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from rushlight.vision.models.detection.rpn import RPNHead
from rushlight.vision.models.detection.ssd import SSD


class Backbone(nn.Module):
    """Two feature maps of eight channels, 1/8 and 1/16 of the image's size."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 8, 8), nn.Conv2d(8, 8, 3, 2, 1)
        self.out_channels: Any = 8

    def forward(self, x: Any) -> dict[str, Any]:
        first = self.first(x).relu()
        return {"0": first, "1": self.second(first)}


def anchors() -> AnchorGenerator:
    return AnchorGenerator(((16,), (32,)), ((0.5, 1.0, 2.0),) * 2)


def pool(size: int) -> Any:
    return ops.MultiScaleRoIAlign(["0", "1"], size, 2)


def of_two_stages(kind: Any, **more: Any) -> Any:
    head, predictor = TwoMLPHead(8 * 4 * 4, 16), FastRCNNPredictor(16, 3)
    return kind(
        Backbone(), min_size=64, max_size=96, rpn_anchor_generator=anchors(), box_roi_pool=pool(4),
        box_head=head, box_predictor=predictor, rpn_post_nms_top_n_train=50,
        rpn_post_nms_top_n_test=20, box_detections_per_img=5, box_score_thresh=0.0, **more,
    )  # fmt: skip


def of_one_stage(kind: Any) -> Any:
    one = AnchorGenerator(((16,), (32,)), ((1.0,),) * 2)
    head = detection.fcos.FCOSHead(8, 1, 3, 0) if kind is detection.FCOS else None
    return kind(
        Backbone(), 3, 64, 96, anchor_generator=one, head=head, score_thresh=0.0,
        detections_per_img=5,
    )  # fmt: skip


def ssd() -> SSD:
    backbone = Backbone()
    backbone.out_channels = [8, 8]
    boxes = DefaultBoxGenerator([[2], [2]], scales=[0.2, 0.5, 0.9])
    return SSD(backbone, boxes, (64, 48), 3, score_thresh=0.0, detections_per_img=5)


MASKS: dict[str, Any] = {
    "mask_head": lambda: MaskRCNNHeads(8, [8], 1),
    "mask_predictor": lambda: MaskRCNNPredictor(8, 4, 3),
    "mask_roi_pool": lambda: pool(7),
}
POINTS: dict[str, Any] = {
    "keypoint_head": lambda: KeypointRCNNHeads(8, [8]),
    "keypoint_predictor": lambda: KeypointRCNNPredictor(8, 4),
    "keypoint_roi_pool": lambda: pool(7),
}
MODELS: dict[str, Any] = {
    "FasterRCNN": lambda: of_two_stages(detection.FasterRCNN),
    "MaskRCNN": lambda: of_two_stages(
        detection.MaskRCNN, **{name: make() for name, make in MASKS.items()}
    ),
    "KeypointRCNN": lambda: of_two_stages(
        detection.KeypointRCNN, **{name: make() for name, make in POINTS.items()}
    ),
    "RetinaNet": lambda: of_one_stage(detection.RetinaNet),
    "FCOS": lambda: of_one_stage(detection.FCOS),
    "SSD": ssd,
}
LOSSES = {
    "RetinaNet": {"classification", "bbox_regression"},
    "FCOS": {"classification", "bbox_regression", "bbox_ctrness"},
    "SSD": {"classification", "bbox_regression"},
}
RCNN = {"loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg"}


def batch() -> tuple[list[Any], list[dict[str, Any]]]:
    images = [torch.rand(3, 60, 80), torch.rand(3, 64, 50)]
    targets = []
    for image in images:
        boxes = torch.tensor([[4.0, 5, 30, 40], [20, 10, 44, 35]])
        masks = torch.zeros(2, *image.shape[1:], dtype=torch.uint8)
        for mask, (x1, y1, x2, y2) in zip(masks, boxes.int().tolist(), strict=True):
            mask[y1:y2, x1:x2] = 1
        points = torch.cat([boxes[:, None, :2] + torch.rand(2, 4, 2) * 20, torch.ones(2, 4, 1)], 2)
        labels = torch.tensor([1, 2])
        targets.append({"boxes": boxes, "labels": labels, "masks": masks, "keypoints": points})
    return images, targets


@pytest.mark.parametrize("name", MODELS)
def test_losses_and_detections(name: str) -> None:
    torch.manual_seed(0)
    net = MODELS[name]()
    images, targets = batch()
    losses = net(images, targets)
    more = {"MaskRCNN": {"loss_mask"}, "KeypointRCNN": {"loss_keypoint"}}.get(name, set())
    assert set(losses) == LOSSES.get(name, RCNN | more)
    sum(losses.values()).backward()
    for key, parameter in net.named_parameters():
        assert parameter.grad is not None, key
        assert torch.isfinite(parameter.grad).all(), key
    assert torch.equal(targets[0]["boxes"][0], torch.tensor([4.0, 5, 30, 40]))  # not resized
    nothing = [{key: value[:0] for key, value in target.items()} for target in targets]
    assert all(torch.isfinite(loss) for loss in net(images, nothing).values())
    net.eval()
    with torch.no_grad():
        found = net(images)
    assert len(found) == 2
    for image, result in zip(images, found, strict=True):
        boxes, scores = result["boxes"], result["scores"]
        assert 0 < len(boxes) <= 5
        assert result["labels"].dtype == torch.int64
        assert torch.equal(scores, scores.sort(descending=True)[0])
        height, width = image.shape[1:]
        limits = torch.tensor([width, height, width, height]) + 1e-3
        assert ((boxes >= 0) & (boxes <= limits)).all()
        if name == "MaskRCNN":
            assert tuple(result["masks"].shape) == (len(boxes), 1, height, width)
        if name == "KeypointRCNN":
            assert tuple(result["keypoints"].shape) == (len(boxes), 4, 3)
            assert tuple(result["keypoints_scores"].shape) == (len(boxes), 4)


@pytest.mark.parametrize("name", ["FasterRCNN", "MaskRCNN", "KeypointRCNN"])
def test_nothing_is_proposed(name: str) -> None:
    net = MODELS[name]().eval()
    net.rpn.score_thresh = 2.0
    with torch.no_grad():
        found = net(batch()[0])
    assert [len(result["boxes"]) for result in found] == [0, 0]


@pytest.mark.slow
def test_training_helps() -> None:
    torch.manual_seed(0)
    net = MODELS["FasterRCNN"]()
    images, targets = batch()
    steps = torch.optim.SGD(net.parameters(), 0.02, momentum=0.9)
    history = []
    for _ in range(12):
        loss = sum(net(images, targets).values())
        steps.zero_grad()
        loss.backward()
        steps.step()
        history.append(float(loss))
    assert np.mean(history[-3:]) < 0.75 * np.mean(history[:3]), history


def test_what_goes_wrong() -> None:
    net = MODELS["FasterRCNN"]()
    images, targets = batch()
    boxes = targets[1]["boxes"].clone()
    with pytest.raises(AssertionError, match="targets should not be none when in training mode"):
        net(images)
    with pytest.raises(AssertionError, match="Expected target boxes to be of type Tensor"):
        net(images, [{"boxes": [1.0]}] * 2)
    with pytest.raises(AssertionError, match=r"tensor of shape \[N, 4\]"):
        net(images, [{**t, "boxes": t["boxes"][0]} for t in targets])
    boxes[1, 2] = boxes[1, 0]
    with pytest.raises(AssertionError, match=r"(?s)positive height and width.*target at index 1"):
        net(images, [targets[0], {**targets[1], "boxes": boxes}])
    with pytest.raises(ValueError, match=r"list of 3d tensors of shape \[C, H, W\]"):
        net([images[0][None]], targets[:1])
    with pytest.raises(TypeError, match="Expected input images to be of floating type"):
        net([image.byte() for image in images], targets)
    with pytest.raises(TypeError, match="target labels must of int64 type"):
        net(images, [{**t, "labels": t["labels"].int()} for t in targets])
    with pytest.raises(ValueError, match="should contain an attribute out_channels"):
        detection.FasterRCNN(nn.ReLU(), 2)
    with pytest.raises(ValueError, match="num_classes should not be None when box_predictor"):
        detection.FasterRCNN(Backbone())
    with pytest.raises(ValueError, match="num_classes should be None when box_predictor"):
        detection.FasterRCNN(Backbone(), 2, box_predictor=FastRCNNPredictor(8, 2))
    with pytest.raises(TypeError, match="rpn_anchor_generator should be of type AnchorGenerator"):
        detection.FasterRCNN(Backbone(), 2, rpn_anchor_generator=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="should be 1 instead of 3"):
        detection.FCOS(Backbone(), 2, anchor_generator=anchors())


def test_coders_go_there_and_back(rng: np.random.Generator) -> None:
    corner = rng.uniform(0, 10, (2, 6, 2))
    table = torch.from_numpy(np.concatenate([corner, corner + rng.uniform(1, 9, (2, 6, 2))], -1))
    wanted, own = table
    coder = parts.BoxCoder((10.0, 10.0, 5.0, 5.0))
    codes = coder.encode([wanted[:2], wanted[2:]], [own[:2], own[2:]])
    assert [len(code) for code in codes] == [2, 4]
    found = coder.decode(torch.cat(codes), [own])
    torch.testing.assert_close(found[:, 0], wanted)
    square = parts.BoxCoder((1.0, 1.0, 1.0, 1.0)).encode_single(
        torch.tensor([[2.0, 0, 6, 8]]), torch.tensor([[0.0, 0, 4, 4]])
    )
    torch.testing.assert_close(square, torch.tensor([[0.5, 0.5, 0.0, float(np.log(2))]]))
    line = parts.BoxLinearCoder()
    torch.testing.assert_close(line.decode(line.encode(own, wanted), own), wanted)


def test_matches() -> None:
    overlaps = torch.tensor([[0.8, 0.1, 0.45, 0.3], [0.1, 0.2, 0.4, 0.35]])
    assert parts.Matcher(0.7, 0.4)(overlaps).tolist() == [0, -1, -2, -1]
    assert parts.Matcher(0.7, 0.4, True)(overlaps).tolist() == [0, -1, 0, -1]
    assert parts.SSDMatcher(0.5)(overlaps).tolist() == [0, -1, 1, -1]
    with pytest.raises(ValueError, match="No ground-truth boxes"):
        parts.Matcher(0.7, 0.4)(overlaps[:0])
    with pytest.raises(ValueError, match="No proposal boxes"):
        parts.Matcher(0.7, 0.4)(overlaps[:, :0])


def test_balanced_samples() -> None:
    labels = torch.tensor([1] * 10 + [0] * 10 + [-1] * 10)
    positive, negative = parts.BalancedPositiveNegativeSampler(8, 0.25)([labels, labels[9:]])
    assert [int(mask.sum()) for mask in positive + negative] == [2, 1, 6, 7]
    assert not (positive[0].bool() & (labels != 1)).any()
    assert not (negative[0].bool() & (labels != 0)).any()


def test_anchors() -> None:
    images = ImageList(torch.zeros(2, 3, 32, 48), [(32, 48), (30, 40)])
    make = AnchorGenerator(((8,),), ((1.0,),))
    first, second = make(images, [torch.zeros(2, 1, 2, 3)])
    assert torch.equal(first, second)
    assert first.tolist()[:2] == [[-4, -4, 4, 4], [12, -4, 20, 4]]
    assert first.tolist()[3] == [-4, 12, 4, 20]
    assert anchors().num_anchors_per_location() == [3, 3]
    with pytest.raises(AssertionError, match="There needs to be a match"):
        make(images, [torch.zeros(2, 1, 2, 3)] * 2)
    boxes = DefaultBoxGenerator([[2]], scales=[0.5, 0.5])(images, [torch.zeros(2, 1, 1, 2)])[0]
    torch.testing.assert_close(boxes[0], torch.tensor([0.0, 8, 24, 24]))  # half of either side
    assert len(boxes) == 8


def test_images_are_resized_and_results_brought_back() -> None:
    prepare = transform.GeneralizedRCNNTransform(32, 40, [0.5] * 3, [0.5] * 3)
    boxes, points = torch.tensor([[2.0, 4, 6, 8]]), torch.tensor([[[2.0, 4, 1]]])
    target = {"boxes": boxes, "keypoints": points, "masks": torch.ones(1, 16, 40).byte()}
    pictures = [torch.ones(3, 16, 40), torch.ones(3, 64, 64)]
    images, targets = prepare(pictures, [target, dict(target)])
    assert images.image_sizes == [(16, 40), (32, 32)]  # the longer side may be 40
    assert tuple(images.tensors.shape) == (2, 3, 32, 64)
    assert float(images.tensors[0, :, :16, :40].min()) == 1
    assert not images.tensors[0, :, 16:].any()
    assert targets[1]["boxes"].tolist() == [[1, 2, 3, 4]]
    assert targets[1]["keypoints"].tolist() == [[[1, 2, 1]]]
    prepare.eval()
    back = prepare.postprocess([{"boxes": targets[1]["boxes"]}], [(32, 32)], [(64, 64)])
    assert back[0]["boxes"].tolist() == boxes.tolist()


def test_masks_and_points_are_put_into_the_image() -> None:
    pasted = roi_heads.paste_masks_in_image(
        torch.ones(1, 1, 4, 4), torch.tensor([[2.0, 3.0, 6.0, 7.0]]), (10, 12)
    )
    assert tuple(pasted.shape) == (1, 1, 10, 12)
    assert (pasted[0, 0, 3:7, 2:6] > 0.5).all()
    assert not pasted[0, 0, :2].any()
    maps = torch.zeros(1, 1, 8, 8)
    maps[0, 0, 2, 5] = 9.0
    points, scores = roi_heads.heatmaps_to_keypoints(maps, torch.tensor([[10.0, 20, 18, 28]]))
    torch.testing.assert_close(points, torch.tensor([[[15.5, 22.5, 1.0]]]))
    torch.testing.assert_close(scores, torch.tensor([[9.0]]))
    cells, valid = roi_heads.keypoints_to_heatmap(
        torch.tensor([[[15.5, 22.5, 1], [18, 28, 1], [15, 22, 0], [9, 22, 1]]]),
        torch.tensor([[10.0, 20, 18, 28]]),
        8,
    )
    assert cells.tolist() == [[2 * 8 + 5, 63, 0, 0]]
    assert valid.tolist() == [[1, 1, 0, 0]]


def test_backbones() -> None:
    net: Any = backbone_utils.resnet_fpn_backbone(
        backbone_name="resnet18", weights=None, trainable_layers=2, returned_layers=[2, 4]
    )
    trained = {name.split(".")[1] for name, p in net.named_parameters() if p.requires_grad}
    assert trained == {"layer3", "layer4", "inner_blocks", "layer_blocks"}
    assert list(net(torch.zeros(1, 3, 32, 32))) == ["0", "1", "pool"]
    for wrong in ({"trainable_layers": 6}, {"returned_layers": [0]}):
        with pytest.raises(ValueError, match="should be in the range"):
            backbone_utils.resnet_fpn_backbone(backbone_name="resnet18", weights=None, **wrong)
    with pytest.warns(UserWarning, match="Changing trainable_backbone_layers has no effect"):
        assert backbone_utils._validate_trainable_layers(False, 2, 5, 3) == 5
    with torch.device("meta"):
        mobile: Any = backbone_utils.mobilenet_backbone(
            backbone_name="mobilenet_v3_large", weights=None, fpn=True
        )
    assert mobile.out_channels == 256


def test_older_calls_of_backbones() -> None:
    build: Any = backbone_utils.resnet_fpn_backbone
    with torch.device("meta"), pytest.warns(UserWarning, match="deprecated") as told:
        net = build("resnet18", pretrained=False)
    assert net.out_channels == 256
    words = " ".join(str(warning.message) for warning in told)
    assert "Using 'backbone_name' as positional" in words
    assert "'pretrained' is deprecated" in words


def test_builders() -> None:
    assert "fasterrcnn_resnet50_fpn" in models.list_models(detection)
    with pytest.raises(ValueError, match="'num_classes' expected value 91 but got 5"):
        detection.fasterrcnn_resnet50_fpn(weights="COCO_V1", num_classes=5)
    with torch.device("meta"):
        net = detection.ssdlite320_mobilenet_v3_large(weights_backbone=None, num_classes=5)
    assert sum(p.numel() for p in net.parameters()) < 3_440_060
    net = nn.Sequential(ops.FrozenBatchNorm2d(2))
    parts.overwrite_eps(net, 0.0)
    assert net[0].eps == 0  # type: ignore[union-attr]


def test_files_of_older_versions() -> None:
    for net, name, old in (
        (RPNHead(2, 1), "conv.0.0.weight", "conv.weight"),
        (MaskRCNNHeads(2, [2], 1), "0.0.weight", "mask_fcn1.weight"),
        (detection.retinanet.RetinaNetClassificationHead(2, 1, 1), "conv.1.0.bias", "conv.2.bias"),
    ):
        state = dict(net.state_dict())
        state[old] = state.pop(name)
        net.load_state_dict(state)


@pytest.mark.slow
def test_the_tutorial(tmp_path: Path) -> None:
    """A trained model is given other predictors, and learns pictures and masks of a folder."""
    from rushlight.vision.io import read_image, write_png

    torch.manual_seed(0)
    for i in range(2):
        mask = torch.zeros(1, 60, 70, dtype=torch.uint8)
        for k in (1, 2):
            mask[0, 8 * k : 8 * k + 20, 15 * k : 15 * k + 25] = k
        write_png((torch.rand(3, 60, 70) * 99).byte() + 50 * mask, str(tmp_path / f"image{i}.png"))
        write_png(mask, str(tmp_path / f"mask{i}.png"))

    class Folder(torch.utils.data.Dataset[Any]):
        def __getitem__(self, i: int) -> Any:
            image = read_image(str(tmp_path / f"image{i}.png")).float() / 255
            mask = read_image(str(tmp_path / f"mask{i}.png"))
            masks = (mask == mask.unique()[1:, None, None]).to(torch.uint8)
            boxes = ops.masks_to_boxes(masks)
            labels = torch.ones(len(boxes), dtype=torch.int64)
            return image, {"boxes": boxes, "labels": labels, "masks": masks, "image_id": i}

        def __len__(self) -> int:
            return 2

    net = MODELS["MaskRCNN"]()
    inputs = net.roi_heads.box_predictor.cls_score.in_features
    net.roi_heads.box_predictor = FastRCNNPredictor(inputs, 2)
    channels = net.roi_heads.mask_predictor.conv5_mask.in_channels
    net.roi_heads.mask_predictor = MaskRCNNPredictor(channels, 256, 2)
    loader = torch.utils.data.DataLoader(
        Folder(), batch_size=2, shuffle=True, collate_fn=lambda rows: tuple(zip(*rows, strict=True))
    )
    steps = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], 0.005, 0.9)
    history = []
    for _ in range(4):
        for images, targets in loader:
            loss = sum(net(list(images), list(targets)).values())
            steps.zero_grad()
            loss.backward()
            steps.step()
            history.append(float(loss))
    assert history[-1] < history[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = net.eval()([Folder()[0][0]])[0]
    assert tuple(found["masks"].shape[1:]) == (1, 60, 70)
