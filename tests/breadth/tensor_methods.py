"""Methods and attributes of Tensor. Not a test file: tests/test_breadth.py calls what is here."""

from __future__ import annotations


def x(t):
    return t.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


def p(t):
    """Positive numbers, for logarithms and roots."""
    return t.tensor([[0.5, 1.0, 2.0], [3.0, 4.0, 9.0]])


def image(t):
    return t.arange(24.0).reshape(1, 2, 3, 4)


def chosen(t):
    return t.tensor([[0, 2], [1, 0]])


def seeded(t, method, *args):
    t.manual_seed(3)
    return getattr(t.empty(2, 3), method)(*args)


def gradient(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    return w


def cuda_answer(t):
    try:
        return x(t).cuda()
    except (RuntimeError, AssertionError) as error:
        return "not compiled with CUDA enabled" in str(error)


def whole(t):
    return t.tensor([3, -1, 2])


CALLS = {
    # shape and layout
    "torch.Tensor.shape": lambda t: [
        image(t).shape,
        image(t).shape[-1],
        image(t).shape == (1, 2, 3, 4),
    ],
    "torch.Tensor.size": lambda t: [image(t).size(), image(t).size(-1), image(t).size(dim=2)],
    "torch.Tensor.dim": lambda t: [image(t).dim(), t.tensor(1.0).dim()],
    "torch.Tensor.ndim": lambda t: [image(t).ndim, t.tensor(1.0).ndim],
    "torch.Tensor.numel": lambda t: [image(t).numel(), t.empty(0, 3).numel()],
    "torch.Tensor.view": lambda t: [x(t).view(-1), x(t).view(3, 2), x(t).view(t.int32)],
    "torch.Tensor.view_as": lambda t: x(t).view_as(t.empty(3, 2)),
    "torch.Tensor.reshape": lambda t: [x(t).reshape(3, -1), x(t).t().reshape(6)],
    "torch.Tensor.flatten": lambda t: [image(t).flatten(), image(t).flatten(1, 2)],
    "torch.Tensor.unsqueeze": lambda t: [x(t).unsqueeze(0), x(t).unsqueeze(-1)],
    "torch.Tensor.squeeze": lambda t: [image(t).squeeze(), image(t).squeeze(0), x(t).squeeze(0)],
    "torch.Tensor.transpose": lambda t: [x(t).transpose(0, 1), image(t).transpose(-1, 1)],
    "torch.Tensor.t": lambda t: [x(t).t(), whole(t).t()],
    "torch.Tensor.T": lambda t: x(t).T,
    "torch.Tensor.permute": lambda t: [image(t).permute(0, 2, 3, 1), x(t).permute((1, 0))],
    "torch.Tensor.contiguous": lambda t: [x(t).t().contiguous().stride(), x(t).contiguous()],
    "torch.Tensor.expand": lambda t: [t.ones(2, 1).expand(2, 3), t.ones(1).expand(2, -1)],
    "torch.Tensor.expand_as": lambda t: t.arange(3.0).expand_as(x(t)),
    "torch.Tensor.repeat": lambda t: [whole(t).repeat(2), whole(t).repeat(2, 2)],
    "torch.Tensor.repeat_interleave": lambda t: [
        whole(t).repeat_interleave(2),
        x(t).repeat_interleave(t.tensor([1, 2]), dim=0),
    ],
    "torch.Tensor.flip": lambda t: [x(t).flip(0), x(t).flip([0, 1])],
    "torch.Tensor.split": lambda t: [t.arange(5).split(2), x(t).split([1, 2], dim=1)],
    "torch.Tensor.chunk": lambda t: [t.arange(5).chunk(2), x(t).chunk(3, dim=1)],
    "torch.Tensor.unbind": lambda t: [x(t).unbind(), x(t).unbind(1)],
    "torch.Tensor.gather": lambda t: [
        x(t).gather(1, chosen(t)),
        x(t).gather(0, t.zeros(1, 3).long()),
    ],
    "torch.Tensor.scatter_": lambda t: [
        t.zeros(2, 3).scatter_(1, chosen(t), 1.0),
        t.zeros(2, 3).scatter_(1, chosen(t), x(t)),
    ],
    "torch.Tensor.masked_fill": lambda t: x(t).masked_fill(x(t) < 0, float("-inf")),
    # kind, place, history
    "torch.Tensor.dtype": lambda t: [x(t).dtype, whole(t).dtype, (x(t) > 0).dtype],
    "torch.Tensor.device": lambda t: [x(t).device, x(t).device.type],
    "torch.Tensor.is_cuda": lambda t: x(t).is_cuda,
    "torch.Tensor.to": lambda t: [
        x(t).to(t.float64),
        x(t).to("cpu"),
        x(t).to(whole(t)),
        x(t).to("cpu", t.int32),
    ],
    "torch.Tensor.cpu": lambda t: x(t).cpu(),
    "torch.Tensor.cuda": cuda_answer,
    "torch.Tensor.float": lambda t: whole(t).float(),
    "torch.Tensor.double": lambda t: whole(t).double(),
    "torch.Tensor.long": lambda t: x(t).long(),
    "torch.Tensor.int": lambda t: x(t).int(),
    "torch.Tensor.bool": lambda t: t.tensor([0.0, -2.0]).bool(),
    "torch.Tensor.type": lambda t: [
        x(t).type(),
        x(t).type(t.int64),
        x(t).type("torch.DoubleTensor"),
    ],
    "torch.Tensor.type_as": lambda t: x(t).type_as(whole(t)),
    "torch.Tensor.item": lambda t: [
        t.tensor(2.5).item(),
        t.tensor([[7]]).item(),
        t.tensor(True).item(),
    ],
    "torch.Tensor.tolist": lambda t: [x(t).tolist(), t.tensor(3).tolist()],
    "torch.Tensor.numpy": lambda t: [x(t).numpy().sum().item(), str(x(t).numpy().dtype)],
    "torch.Tensor.clone": lambda t: [x(t).clone(), x(t).clone() is x(t)],
    "torch.Tensor.data": lambda t: [gradient(t).data, gradient(t).data.requires_grad],
    "torch.Tensor.detach": lambda t: [gradient(t).detach(), gradient(t).detach().requires_grad],
    "torch.Tensor.detach_": lambda t: (gradient(t) * 2).detach_().requires_grad,
    "torch.Tensor.grad": lambda t: [gradient(t).grad, x(t).grad],
    "torch.Tensor.requires_grad": lambda t: [gradient(t).requires_grad, x(t).requires_grad],
    "torch.Tensor.requires_grad_": lambda t: [
        x(t).requires_grad_().requires_grad,
        gradient(t).requires_grad_(False).requires_grad,
    ],
    "torch.Tensor.backward": lambda t: gradient(t).grad,
    "torch.Tensor.new_zeros": lambda t: [whole(t).new_zeros(2, 2), x(t).new_zeros((1,))],
    # numbers
    "torch.Tensor.abs": lambda t: x(t).abs(),
    "torch.Tensor.exp": lambda t: x(t).exp(),
    "torch.Tensor.log": lambda t: p(t).log(),
    "torch.Tensor.sqrt": lambda t: p(t).sqrt(),
    "torch.Tensor.square": lambda t: x(t).square(),
    "torch.Tensor.pow": lambda t: [x(t).pow(2), p(t).pow(-0.5), p(t).pow(p(t))],
    "torch.Tensor.sin": lambda t: x(t).sin(),
    "torch.Tensor.cos": lambda t: x(t).cos(),
    "torch.Tensor.sigmoid": lambda t: x(t).sigmoid(),
    "torch.Tensor.softmax": lambda t: [x(t).softmax(-1), x(t).softmax(dim=0)],
    "torch.Tensor.clamp": lambda t: [
        x(t).clamp(-1, 2),
        x(t).clamp(min=0),
        x(t).clamp(max=t.tensor(1.0)),
    ],
    "torch.Tensor.mul": lambda t: [x(t).mul(2), x(t).mul(t.arange(3))],
    "torch.Tensor.div": lambda t: [
        x(t).div(2),
        whole(t).div(2),
        whole(t).div(2, rounding_mode="floor"),
    ],
    "torch.Tensor.sub": lambda t: [x(t).sub(1), x(t).sub(t.ones(3), alpha=2)],
    "torch.Tensor.eq": lambda t: [x(t).eq(3), x(t).eq(x(t))],
    "torch.Tensor.cumsum": lambda t: [x(t).cumsum(0), x(t).cumsum(dim=-1)],
    # reductions
    "torch.Tensor.sum": lambda t: [
        x(t).sum(),
        x(t).sum(0),
        x(t).sum((0, 1), keepdim=True),
        whole(t).sum(),
    ],
    "torch.Tensor.mean": lambda t: [x(t).mean(), x(t).mean(1), x(t).mean(dim=0, keepdim=True)],
    "torch.Tensor.std": lambda t: [x(t).std(), x(t).std(1), x(t).std(unbiased=False)],
    "torch.Tensor.norm": lambda t: [
        x(t).norm(),
        x(t).norm(1),
        x(t).norm(2, dim=1),
        x(t).norm(p="fro"),
    ],
    "torch.Tensor.max": lambda t: [
        x(t).max(),
        x(t).max(1),
        x(t).max(dim=0).values,
        x(t).max(t.zeros(3)),
    ],
    "torch.Tensor.min": lambda t: [x(t).min(), x(t).min(1).indices, x(t).min(t.zeros(3))],
    "torch.Tensor.argmax": lambda t: [
        x(t).argmax(),
        x(t).argmax(1),
        x(t).argmax(dim=0, keepdim=True),
    ],
    "torch.Tensor.median": lambda t: [x(t).median(), x(t).median(1)],
    "torch.Tensor.topk": lambda t: [x(t).topk(2), x(t).topk(1, dim=0, largest=False).indices],
    "torch.Tensor.all": lambda t: [(x(t) > -9).all(), (x(t) > 0).all(1)],
    "torch.Tensor.any": lambda t: [(x(t) > 9).any(), (x(t) > 3).any(dim=1)],
    # in place
    "torch.Tensor.add_": lambda t: [x(t).add_(1), x(t).add_(t.ones(3), alpha=0.5)],
    "torch.Tensor.mul_": lambda t: x(t).mul_(-1),
    "torch.Tensor.div_": lambda t: x(t).div_(4),
    "torch.Tensor.clamp_": lambda t: x(t).clamp_(0, 1),
    "torch.Tensor.fill_": lambda t: t.empty(2).fill_(7),
    "torch.Tensor.zero_": lambda t: x(t).zero_(),
    "torch.Tensor.copy_": lambda t: [
        t.empty(2, 3).copy_(x(t)),
        t.empty(2, 3, dtype=t.int64).copy_(t.arange(3.0)),
    ],
    "torch.Tensor.normal_": lambda t: seeded(t, "normal_", 1.0, 0.5),
    "torch.Tensor.uniform_": lambda t: seeded(t, "uniform_", -1.0, 1.0),
}
