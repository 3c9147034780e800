"""The networks that are measured, each written once for whichever package is given as `torch`.

Classes are made inside functions, because what they derive from belongs to that package. Not here:
the steps that are timed (`work.py`).
"""

from __future__ import annotations

from typing import Any


def mnist(torch: Any) -> Any:
    """The network of PyTorch's MNIST example in its older form: 10 and 20 channels, 5x5."""
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 10, 5)
            self.conv2 = nn.Conv2d(10, 20, 5)
            self.drop = nn.Dropout2d()
            self.fc1 = nn.Linear(320, 50)
            self.fc2 = nn.Linear(50, 10)

        def forward(self, x: Any) -> Any:  # (B, 1, 28, 28)
            x = F.relu(F.max_pool2d(self.conv1(x), 2))  # (B, 10, 12, 12)
            x = F.relu(F.max_pool2d(self.drop(self.conv2(x)), 2))  # (B, 20, 4, 4)
            x = F.relu(self.fc1(x.view(-1, 320)))
            x = F.dropout(x, training=self.training)
            return F.log_softmax(self.fc2(x), dim=1)  # (B, 10)

    return Net()


def resnet18(torch: Any, classes: int = 1000, small: bool = False) -> Any:
    """ResNet-18 (He et al., 2016); `small`: with the stem for images of 32 by 32."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        """Two convolutions and a way around them."""

        def __init__(self, channels: int, wide: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(channels, wide, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(wide)
            self.conv2 = nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(wide)
            self.around = nn.Identity()
            if stride != 1 or channels != wide:
                self.around = nn.Sequential(
                    nn.Conv2d(channels, wide, 1, stride, bias=False), nn.BatchNorm2d(wide)
                )

        def forward(self, x: Any) -> Any:
            y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
            return F.relu(y + self.around(x))

    if small:
        stem = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    else:
        stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
        stem.append(nn.MaxPool2d(3, 2, 1))
    sizes = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
    blocks = [b for a, w, s in sizes for b in (Block(a, w, s), Block(w, w, 1))]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes)]
    return nn.Sequential(*stem, *blocks, *head)


def resnet50(torch: Any, classes: int = 1000) -> Any:
    """ResNet-50 (He et al., 2016) with its initial weights: 161 tensors, 25.6 million numbers."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        """Three convolutions and a way around them."""

        def __init__(self, channels: int, wide: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(channels, wide, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(wide)
            self.conv2 = nn.Conv2d(wide, wide, 3, stride, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(wide)
            self.conv3 = nn.Conv2d(wide, 4 * wide, 1, bias=False)
            self.bn3 = nn.BatchNorm2d(4 * wide)
            self.around = nn.Identity()
            if channels != 4 * wide:
                self.around = nn.Sequential(
                    nn.Conv2d(channels, 4 * wide, 1, stride, bias=False), nn.BatchNorm2d(4 * wide)
                )

        def forward(self, x: Any) -> Any:
            y = F.relu(self.bn1(self.conv1(x)))
            y = self.bn3(self.conv3(F.relu(self.bn2(self.conv2(y)))))
            return F.relu(y + self.around(x))

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    channels = 64
    for wide, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(Block(channels, wide, stride if i == 0 else 1))
            channels = 4 * wide
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, classes))


def gpt(torch: Any, letters: int, context: int, width: int, layers: int, heads: int) -> Any:
    """A decoder of letters: causal attention and two linear layers at each place."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attention(self, x: Any) -> Any:  # (B, T, C)
            B, T, C = x.shape
            parts = self.qkv(x).split(C, dim=2)
            q, k, v = (p.view(B, T, heads, C // heads).transpose(1, 2) for p in parts)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # (B, heads, T, C / heads)
            return self.out(y.transpose(1, 2).reshape(B, T, C))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class GPT(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, letters, bias=False)

        def forward(self, x: Any) -> Any:  # (B, T) of numbers of letters
            places = torch.arange(x.shape[1])
            return self.head(self.norm(self.blocks(self.letter(x) + self.place(places))))

    return GPT()


def gpt_with_cache(
    torch: Any, letters: int, context: int, width: int, layers: int, heads: int
) -> Any:
    """The same decoder for one letter at a time: it keeps the keys and values of those before."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            for name in ("keys", "values"):
                self.register_buffer(name, torch.zeros(1, heads, context, width // heads))

        def attention(self, x: Any, place: Any, seen: Any) -> Any:  # (1, 1, C)
            q, k, v = (p.view(1, heads, 1, -1) for p in self.qkv(x).split(width, dim=2))
            self.keys.index_copy_(2, place, k)
            self.values.index_copy_(2, place, v)
            y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen)
            return self.out(y.reshape(1, 1, width))

        def forward(self, x: Any, place: Any, seen: Any) -> Any:
            x = x + self.attention(self.norm1(x), place, seen)
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class GPT(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, letters, bias=False)

        def forward(self, x: Any, place: Any) -> Any:  # (1, 1), (1,)
            seen = (torch.arange(context) <= place).view(1, 1, 1, context)
            x = self.letter(x) + self.place(place)
            for block in self.blocks:
                x = block(x, place, seen)
            return self.head(self.norm(x))

    return GPT()


def generator(torch: Any, noise: int, wide: int) -> Any:
    """The generator of DCGAN (Radford et al., 2016) for images of 32 by 32."""
    nn = torch.nn
    layers = [nn.ConvTranspose2d(noise, wide, 4, 1, 0, bias=False)]  # (B, wide, 4, 4)
    for out in (wide // 2, wide // 4):
        layers += [nn.BatchNorm2d(2 * out), nn.ReLU(True)]
        layers.append(nn.ConvTranspose2d(2 * out, out, 4, 2, 1, bias=False))
    layers += [nn.BatchNorm2d(wide // 4), nn.ReLU(True)]
    layers += [nn.ConvTranspose2d(wide // 4, 3, 4, 2, 1, bias=False), nn.Tanh()]
    return nn.Sequential(*layers)  # (B, 3, 32, 32)
