"""Packages about sound."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "julius": """
import torch, julius
torch.manual_seed(0)
x = torch.randn(2, 400, requires_grad=True)
low = julius.lowpass_filter(x, 0.1)
slow = julius.resample_frac(x, 4, 3)
bands = julius.split_bands(x, 44_100, n_bands=4)
conv = julius.fft_conv1d(x[:, None], torch.randn(1, 1, 200), padding=10)
(low.pow(2).sum() + slow.pow(2).sum() + conv.pow(2).mean()).backward()
assert torch.allclose(bands.sum(0), x, atol=1e-4) and slow.shape == (2, 300)
print(low.norm().item(), slow.norm().item(), *bands.norm(dim=(1, 2)).tolist(), conv.norm().item(),
      x.grad.norm().item())
""",
    "asteroid_filterbanks": """
import torch
from asteroid_filterbanks import Decoder, Encoder, ParamSincFB, make_enc_dec
from asteroid_filterbanks.melgram_fb import MelGramFB
from asteroid_filterbanks.transforms import mag, magphase
torch.manual_seed(0)
x = torch.randn(2, 1, 1600)
stft, istft = make_enc_dec("stft", n_filters=128, kernel_size=128, stride=64)
back = istft(stft(x))
n = min(back.shape[-1], 1600) - 128
assert torch.allclose(back[..., 128:n], x[..., 128:n], atol=1e-4)
sinc = Encoder(ParamSincFB(n_filters=16, kernel_size=51, stride=10, sample_rate=8000))
loss = mag(sinc(x)).mean()
loss.backward()
grad = sinc.filterbank.low_hz_.grad
print(stft(x).norm().item(), loss.item(), grad.norm().item(),
      magphase(stft(x))[0].mean().item())
""",
    "whisper": """
import numpy as np, torch, whisper
from whisper.model import ModelDimensions, Whisper
torch.manual_seed(0)
dims = ModelDimensions(n_mels=80, n_audio_ctx=1500, n_audio_state=32,
                       n_audio_head=2, n_audio_layer=1, n_vocab=51865, n_text_ctx=32,
                       n_text_state=32, n_text_head=2, n_text_layer=1)
model = Whisper(dims).eval()
for p in model.parameters():
    torch.nn.init.normal_(p, std=0.05)
torch.nn.init.normal_(model.decoder.positional_embedding, std=0.05)
sound = np.sin(np.arange(16000) * 0.05).astype(np.float32)
mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(sound))
assert mel.shape == (80, 3000)
tokens = torch.tensor([[50258, 50259, 50359]])
loss = torch.nn.functional.cross_entropy(model(mel[None], tokens)[0], torch.tensor([1, 2, 3]))
loss.backward()
print(mel.mean().item(), mel.std().item(), loss.item(),
      model.encoder.conv1.weight.grad.norm().item())
""",
}

FIGURES: dict[str, list[float]] = {
    "julius": [11.40556, 20.38578, 5.580582, 8.683353, 14.8451, 22.32253, 323.2488, 66.98466],
    "asteroid_filterbanks": [55.69416, 3.099447, 0.0002717173, 0.8812572],
    "whisper": [-0.4149428, 0.0950465, 10.85466, 0.0001885161],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)
