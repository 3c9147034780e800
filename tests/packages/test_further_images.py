"""Packages about images: measures, networks with random weights, explanations, attacks."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "lpips": """
import torch, lpips
torch.manual_seed(0)
loss = lpips.LPIPS(net="squeeze", pretrained=False, pnet_rand=True, verbose=False)
x, y = torch.rand(2, 2, 3, 64, 64)
x.requires_grad_()
d = loss(x, y, normalize=True)
d.sum().backward()
print(*d.flatten().tolist(), x.grad.norm().item(), loss(x, x, normalize=True).sum().item())
""",
    "pytorch_msssim": """
import torch
from pytorch_msssim import SSIM, MS_SSIM, ms_ssim, ssim
torch.manual_seed(0)
x = torch.rand(2, 3, 176, 180, requires_grad=True)
y = (x.detach() + 0.1 * torch.randn(2, 3, 176, 180)).clamp(0, 1)
loss = 1 - ssim(x, y, data_range=1.0)
loss.backward()
video = SSIM(data_range=1.0, channel=1, spatial_dims=3)(torch.ones(1, 1, 16, 16, 16) * 0.5,
                                                        torch.ones(1, 1, 16, 16, 16))
print(loss.item(), x.grad.norm().item(), MS_SSIM(data_range=1.0)(x, y).item(), video.item())
""",
    "efficientnet_pytorch": """
import torch
from efficientnet_pytorch import EfficientNet
torch.manual_seed(0)
model = EfficientNet.from_name("efficientnet-b0", num_classes=5, image_size=64,
                               dropout_rate=0.0, drop_connect_rate=0.0)
x = torch.randn(2, 3, 64, 64)
loss = torch.nn.functional.cross_entropy(model(x), torch.tensor([1, 3]))
loss.backward()
norm = sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt()
model.eval()
ends = model.extract_endpoints(x)
print(loss.item(), norm.item(), model(x).norm().item(), *[e.shape[1] for e in ends.values()])
""",
    "facenet_pytorch": """
import numpy as np, torch
from facenet_pytorch import InceptionResnetV1, MTCNN, fixed_image_standardization
torch.manual_seed(0)
model = InceptionResnetV1(pretrained=None, classify=False).eval()
x = fixed_image_standardization(torch.randint(0, 256, (2, 3, 160, 160)).float())
with torch.no_grad():
    e = model(x)
boxes, scores = MTCNN(image_size=64, device="cpu").detect(np.zeros((80, 80, 3), dtype=np.uint8))
assert boxes is None
print(*e.norm(dim=1).tolist(), e[0, :4].abs().sum().item(), (e[0] @ e[1]).item())
""",
    "segment_anything": """
import numpy as np, torch
from functools import partial
from segment_anything import SamPredictor
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, Sam
from segment_anything.modeling import TwoWayTransformer
torch.manual_seed(0)
sam = Sam(
    image_encoder=ImageEncoderViT(
        img_size=64, patch_size=16, embed_dim=32, depth=2, num_heads=2, out_chans=32,
        window_size=3, use_rel_pos=True, global_attn_indexes=(1,),
        norm_layer=partial(torch.nn.LayerNorm, eps=1e-6)),
    prompt_encoder=PromptEncoder(
        embed_dim=32, image_embedding_size=(4, 4), input_image_size=(64, 64), mask_in_chans=4),
    mask_decoder=MaskDecoder(
        transformer_dim=32, num_multimask_outputs=3, transformer=TwoWayTransformer(
            depth=2, embedding_dim=32, mlp_dim=64, num_heads=2))).eval()
predictor = SamPredictor(sam)
picture = (np.arange(48 * 64 * 3).reshape(48, 64, 3) % 251).astype(np.uint8)
predictor.set_image(picture)
masks, scores, low = predictor.predict(
    point_coords=np.array([[20, 20], [40, 10]]), point_labels=np.array([1, 0]),
    box=np.array([5, 5, 50, 40]), multimask_output=True)
assert masks.shape == (3, 48, 64) and masks.dtype == bool and low.shape == (3, 16, 16)
print(*scores.tolist(), float(np.abs(low).sum()))
""",
    "pytorch_grad_cam": """
import torch
from torchvision.models import resnet18
from pytorch_grad_cam import EigenCAM, GradCAM, GradCAMPlusPlus, LayerCAM
from pytorch_grad_cam.utils.image import show_cam_on_image
from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
torch.manual_seed(0)
model = resnet18(weights=None).eval()
x = torch.randn(1, 3, 64, 64)
figures = []
for kind in (GradCAM, GradCAMPlusPlus, LayerCAM, EigenCAM):
    with kind(model=model, target_layers=[model.layer3[-1]]) as cam:
        seen = cam(input_tensor=x, targets=[ClassifierOutputTarget(7)])
    assert seen.shape == (1, 64, 64) and 0 <= seen.min() and seen.max() <= 1
    figures.append(float(seen.mean()))
picture = show_cam_on_image(x[0].permute(1, 2, 0).clamp(0, 1).numpy(), seen[0], use_rgb=True)
assert picture.shape == (64, 64, 3)
print(*figures)
""",
    "torch_fidelity": """
import torch
from torch_fidelity import FeatureExtractorBase, calculate_metrics, register_feature_extractor
class Small(FeatureExtractorBase):
    def __init__(self, name, features_list, **kw):
        super().__init__(name, features_list)
        torch.manual_seed(1)
        self.net = torch.nn.Conv2d(3, 8, 5, stride=4)
        self.eval()
    @staticmethod
    def get_provided_features_list():
        return ("8", "logits_unbiased")
    def forward(self, x):
        with torch.no_grad():
            f = self.net(x.float() / 255).mean((2, 3))
        return tuple({"8": f, "logits_unbiased": f}[n] for n in self.features_list)
    @staticmethod
    def get_default_feature_layer_for_metric(metric):
        return "logits_unbiased" if metric == "isc" else "8"
    @staticmethod
    def can_be_compiled():
        return False
    @staticmethod
    def get_dummy_input_for_compile():
        return torch.zeros(1, 3, 8, 8)
    def get_requested_features_list(self):
        return self.features_list
register_feature_extractor("small", Small)
class Pictures(torch.utils.data.Dataset):
    def __init__(self, seed):
        self.x = torch.randint(0, 200 + 20 * seed, (40, 3, 16, 16),
                               generator=torch.Generator().manual_seed(seed)).to(torch.uint8)
    def __len__(self):
        return 40
    def __getitem__(self, i):
        return self.x[i]
found = calculate_metrics(
    input1=Pictures(0), input2=Pictures(1), fid=True, isc=True, kid=True, prc=True, cuda=False,
    feature_extractor="small", kid_subset_size=20, kid_subsets=5, batch_size=8, verbose=False,
    save_cpu_ram=True, feature_layer_fid="8", feature_layer_kid="8", feature_layer_prc="8",
    feature_layer_isc="logits_unbiased")
print(*[found[k] for k in sorted(found)])
""",
    "torchattacks": """
import torch, torchattacks
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(),
                            torch.nn.Linear(4 * 36, 5)).eval()
x = torch.rand(4, 3, 8, 8)
y = model(x).argmax(1)
figures = []
for attack in (torchattacks.FGSM(model, eps=8 / 255), torchattacks.PGD(model, steps=4),
               torchattacks.CW(model, c=100, steps=5), torchattacks.DeepFool(model, steps=5),
               torchattacks.MIFGSM(model, steps=3), torchattacks.Square(model, n_queries=50)):
    adv = attack(x, y)
    assert adv.min() >= 0 and adv.max() <= 1
    figures.append((adv - x).norm().item())
print(*figures)
""",
    "denoising_diffusion_pytorch": """
import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet
torch.manual_seed(0)
model = Unet(dim=16, dim_mults=(1, 2), flash_attn=False)
diffusion = GaussianDiffusion(model, image_size=16, timesteps=20, sampling_timesteps=3)
loss = diffusion(torch.rand(2, 3, 16, 16))
loss.backward()
images = diffusion.sample(batch_size=1)
assert images.shape == (1, 3, 16, 16) and images.isfinite().all()
print(loss.item(), model.init_conv.weight.grad.norm().item(), images.mean().item())
""",
}

FIGURES: dict[str, list[float]] = {
    "lpips": [-0.0295037, -0.03054734, 0.004845303, 0.0],
    "pytorch_msssim": [0.05439311, 0.002784684, 0.9539192, 0.800016],
    "efficientnet_pytorch": [1.442193, 79.70923, 0.06081822, 16, 24, 40, 112, 320, 1280],
    "facenet_pytorch": [0.9999999, 1.0, 0.09399613, 0.9999912],
    "segment_anything": [0.08838795, -0.08882511, 0.02995597, 20.1156],
    "pytorch_grad_cam": [0.3573889, 0.5057673, 0.2381269, 0.283305],
    "torch_fidelity": [
        0.8685714, 0.002184555, 1.000621, 0.000177859, 3.242493e-06, 0.0002060408, 0.95,
        0.8,
    ],
    "torchattacks": [0.8451519, 0.6877796, 0.09848789, 0.4990241, 0.6312588, 0.4273706],
    "denoising_diffusion_pytorch": [0.9263366, 0.3305161, 0.5477198],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)
