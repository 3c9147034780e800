"""Random programs: the source of a small network and its training, and what is done between steps.

`written(seed)` gives a `Program`: Python source, always the same for a seed. Statements are tried
while they are written, on the shapes of the first call; with the other shapes, types and settings
of later calls some raise, and then they do so eagerly and compiled. They are run by
`program_runs.py`, and tested by `test_random_programs.py`.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, field
from typing import Any

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

MOST_NUMBERS = 400  # in one tensor

UNARY = """
torch.relu({a})
torch.tanh({a})
torch.sigmoid({a})
{a}.clamp(-2, 2).exp()
{a}.abs()
-{a}
({a}.abs() + 1).sqrt()
({a}.abs() + 0.5).log()
{a}.square()
{a} ** 2
{a} ** 3
F.gelu({a})
F.silu({a})
F.softplus({a})
F.leaky_relu({a}, 0.1)
F.hardtanh({a})
torch.sin({a})
torch.cos({a}) * {a}
torch.erf({a})
{a}.clamp(-1, 1)
{a} * 0.5
{a} + 1
2 - {a}
{a} / 3
1 / ({a}.abs() + 1)
{a} * GLOBAL
{a} + config.scale
helper({a})
helper({a}, k=3)
{a} * {a}.shape[0]
{a}.clone()
{a}.detach() * 2
{a}.contiguous()
torch.zeros_like({a}) + {a}
torch.where({a} > 0, {a}, {a} * 0.1)
{a}.masked_fill({a} > 1, 0.5)
F.dropout({a}, 0.3, self.training)
self.drop({a})
torch.randn_like({a}) * 0.1 + {a}
{a} + torch.rand({a}.shape[-1])
{a} if self.training else {a} * 2
{a}.double()
{a}.float()
{a}.to(self.w.dtype)
({a} > 0).float()
{a}.sign() * {a}
{a}.floor() + {a}
torch.nan_to_num({a})
"""

BINARY = """
{a} + {b}
{a} - {b}
{a} * {b}
{a} / ({b}.abs() + 1)
torch.maximum({a}, {b})
torch.minimum({a}, {b})
torch.where({a} > {b}, {a}, {b} * 0.5)
torch.lerp({a}, {b}, 0.3)
torch.addcmul({a}, {b}, {b}, value=0.5)
torch.atan2({a}, {b})
{a} @ {b}
{a} @ {b}.transpose(-1, -2)
{a}.transpose(-1, -2) @ {b}
torch.cat(({a}, {b}), -1)
torch.cat(({a}, {b}))
torch.stack(({a}, {b}))
torch.stack([{a}, {b}], -1)
F.mse_loss({a}, {b})
F.smooth_l1_loss({a}, {b})
torch.einsum("...i,...i->...", {a}, {b})
torch.outer({a}.reshape(-1)[:4], {b}.reshape(-1)[:3])
{a} + {b}.mean()
{a} * {b}.detach()
({a} - {b}).norm()
[{a}, {b}][len({a}.shape) % 2]
{{"p": {a}, "q": {b}}}["p"] * {b}
"""

REDUCTION = """
{a}.sum()
{a}.mean()
{a}.sum(-1)
{a}.mean(-1, keepdim=True)
{a}.sum(0)
{a}.sum(0, keepdim=True)
{a}.amax(-1)
{a}.max(-1).values
{a}.min()
{a}.var(-1)
{a}.std(0)
{a}.norm(dim=-1)
torch.logsumexp({a}, -1)
{a}.cumsum(-1)
{a}.cumsum(0)
{a}.prod(-1)
{a}.argmax(-1).float()
{a}.sort(-1).values
{a}.topk(2, -1)[0]
{a}.median()
{a}.flatten().unfold(0, 2, 1).mean(-1)
"""

VIEW = """
{a}.transpose(-1, -2)
{a}.t()
{a}[0]
{a}[-1]
{a}[..., 0]
{a}[..., 1:]
{a}[::2]
{a}[:, ::2]
{a}[:2]
{a}[None]
{a}[..., None]
{a}.reshape(-1)
{a}.view(-1)
{a}.flatten(1)
{a}.unsqueeze(0)
{a}.squeeze()
{a}.expand(2, *{a}.shape)
{a}.permute(*range({a}.dim())[::-1])
{a}.narrow(0, 0, 1)
{a}.chunk(2, -1)[0]
{a}.split(2, -1)[-1]
{a}.unbind(0)[0]
{a}.flip(0)
{a}.roll(1, -1)
{a}.diagonal()
{a}.unflatten(-1, (2, 2))
{a}.swapaxes(0, -1)
{a}.tile(2)
{a}.repeat_interleave(2, 0)
F.pad({a}, (1, 1))
{a}[[0, -1]]
{a}[torch.tensor([0, 0])]
{a}.index_select(-1, torch.tensor([1, 0]))
{a}.gather(-1, torch.zeros_like({a}[..., :1], dtype=torch.long))
{a}[{a} > 0]
{a}.tril()
{a}.masked_fill(torch.arange({a}.shape[-1]) > 1, 0.0)
"""

LAYER = """
self.fc({a})
self.second(F.relu(self.fc({a})))
self.norm({a})
self.batch({a})
{a} @ self.w
{a} * self.b + self.ema
F.linear({a}, self.w, self.b)
F.linear({a}, self.fc.weight)
F.softmax({a}, -1)
F.log_softmax({a}, dim=-1)
F.layer_norm({a}, {a}.shape[-1:])
F.layer_norm({a}, (4,), self.b)
F.normalize({a}, dim=-1)
F.conv1d({a}[:, None], self.kernel, padding=1)
F.conv1d({a}[None], self.kernel[:, :1].expand(-1, {a}.shape[0], -1))
F.max_pool1d({a}[None], 2)
F.avg_pool1d({a}[None], 2)
F.embedding({a}.abs().argmax(-1), self.w)
F.scaled_dot_product_attention({a}[None], {a}[None], {a}[None])
self.fc({a}) + {a}
torch.addmm(self.b, {a}, self.w)
torch.baddbmm({a}[None], {a}[None], self.w[None])
F.cross_entropy({a}, {a}.detach().argmax(-1))
F.cosine_similarity({a}, self.b, -1)
self.layers({a})
"""

# Statements: {v} is a new name, {e} and {f} are expressions of {a}.
STATEMENT = """
{v} = {a}.clone(); {v}.mul_(2)
{v} = {a}.clone(); {v}[0] = 0.0
{v} = {a} * 1; {v}[..., 0].mul_(3)
{v} = {a} + 0; {v}.add_({a})
{v} = {a} * 1; {v}.relu_()
{v} = {a} * 2; {v}.clamp_(-1, 1)
{v} = {a}.clone(); {v}[..., :1] = {a}[..., 1:2]
{v} = {a} * 1; {v}.t().add_(1)
{v} = {a} - 1; {v} += {a}
{v} = {a} * 3; {v} *= 0.5
{v} = {a} * 1; {v}[{v} > 1] = 0.0
{v} = {a} * 1; F.relu({v}, inplace=True)
{v} = torch.zeros({a}.shape[-1]); {v}.copy_({a}.reshape(-1)[: {a}.shape[-1]])
{v} = {a} * 1; row = {v}[0]; row.mul_(2); {v} = {v} + row
{v} = {a} * 2; {a}.add_(1)
{v} = {a}.exp() if {a}.dim() < 2 else {a}; {v} = {v}.detach() + {v}
with torch.no_grad():|    {v} = {e}
with torch.no_grad():|    self.ema.mul_(0.9).add_(0.1)|{v} = {a} + self.ema.sum()
with torch.no_grad():|    self.ema.lerp_({a}.reshape(-1)[:4].to(self.ema.dtype), 0.1)|{v} = {a} * 1
if {a}.shape[0] > 2:|    {v} = {e}|else:|    {v} = {f}
if {a}.dim() == 2 and {a}.size(0) != 1:|    {v} = {e}|else:|    {v} = {f}
if {a}.requires_grad:|    {v} = {e}|else:|    {v} = {f}
if {a}.is_contiguous():|    {v} = {e}|else:|    {v} = {f}
if self.training:|    {v} = {e}|else:|    {v} = {f}
if GLOBAL > 1.5:|    {v} = {e}|else:|    {v} = {f}
if config.twice:|    {v} = {e}|else:|    {v} = {f}
if {a}.dtype == torch.float64:|    {v} = {a}.float()|else:|    {v} = {e}
if {a}.sum() > 0:|    {v} = {e}|else:|    {v} = {f}
{v} = {a}|for k in range({a}.shape[-1] % 3 + 1):|    {v} = {v} * 0.5 + k
{v} = {a}|for part in {a}.unbind(0):|    {v} = {v} + part.sum() * 0.1
{v} = {a}|for name, p in self.named_parameters():|    {v} = {v} + p.mean() * len(name)
{v} = 0.0|for n in NUMBERS:|    {v} = {v} + {a} * n
parts = [{e} for _ in range(2)]|{v} = parts[0] + parts[-1]
{v} = sum([p * 0.5 for p in ({a}, {a})])
def inner(u):|    return u * GLOBAL + {a}|{v} = inner({a})
{v} = (lambda u: u * 2 + {a})({a})
try:|    {v} = {a}.view(17)|except RuntimeError:|    {v} = {e}
self.calls += 1|{v} = {a} * (1.0 if self.calls < 4 else 0.5)
self.last = {a}.detach()|{v} = {a} + self.last
if self.last is not None:|    {v} = {a} + self.last.sum()|else:|    {v} = {a} * 1
seen.append({a}.shape[0])|{v} = {a} * 1
print({a}.shape)|{v} = {e}
{v} = {a} * float({a}.detach().mean())
assert {a}.dim() < 9|{v} = {e}
{v}, _ = {a}.max(-1)
{v}, *rest = ({a}, {a}, 2)|{v} = {v} * rest[-1]
{v} = {a}.unbind(0)|{v} = torch.stack([p * k for k, p in enumerate({v})])
"""

HEAD = '''"""Seed {seed}."""

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

GLOBAL = 2.0
NUMBERS = [1.0, 0.5]
seen = []


class Config:
    scale = 0.5
    twice = False


config = Config()


def helper(a, k=2):
    return a * k + GLOBAL


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.norm, self.batch, self.drop = nn.LayerNorm(4), nn.BatchNorm1d(4), nn.Dropout(0.3)
        self.layers = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 4))
        self.w, self.b = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4))
        self.kernel = nn.Parameter(torch.randn(2, 1, 3))
        self.register_buffer("ema", torch.zeros(4))
        self.calls, self.last = 0, None

    def forward(self, x):
{forward}


def step_of(model, optimizer):
    def step(x, target):
{step}

    return step


def loss_of(model):
    def loss(x, target):
        out = model(x)
{loss}

    return loss
'''

OPTIMIZERS = (
    "SGD(p, lr=0.01)",
    "SGD(p, lr=0.01, momentum=0.9)",
    "Adam(p, lr=0.01)",
    "AdamW(p, lr=0.01, weight_decay=0.1)",
    "RMSprop(p, lr=0.01)",
)

# Between two calls: m is the model, o the optimizer, s the module's globals, y the last result.
CHANGES = """
s["GLOBAL"] = 1.0
s["GLOBAL"] = 3
s["NUMBERS"].append(0.25)
s["config"].scale = 2
s["config"].twice = True
m.eval()
m.train()
m.fc.weight.requires_grad_(False)
m.fc.weight.requires_grad_(True)
m.fc.bias = None
m.w.data = torch.randn(4, 4)
m.w.data.mul_(0.5)
m.w = nn.Parameter(torch.randn(4, 4))
m.ema.fill_(0.5)
m.ema = torch.ones(4)
m.drop.p = 0.0
m.load_state_dict({k: v * 0.5 if v.is_floating_point() else v for k, v in m.state_dict().items()})
o.param_groups[0]["lr"] = 0.1
o.param_groups[0]["lr"] *= 0.5
o.zero_grad(set_to_none=False)
o.zero_grad()
setattr(m.b, "grad", torch.ones(4))
m.second.register_forward_hook(lambda a, b, c: c * 2)
m.w.register_hook(lambda g: g * 0.5)
y.add_(1)
y.sum().backward()
torch.manual_seed(5)
m.layers[1] = nn.ReLU()
m.layers.append(nn.Linear(4, 4))
m.double()
m.float()
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@dataclass
class Program:
    """What is compiled is `form`: the step, the loss of a batch, or the model."""

    seed: int
    source: str
    form: str
    optimizer: str
    calls: list[tuple[Any, ...]] = field(default_factory=list)


class Writer:
    """Writes the statements of one forward pass, trying each."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.space: dict[str, Any] = {"torch": torch, "nn": nn, "F": F}
        empty = "        pass"
        exec(HEAD.format(seed=seed, forward=empty, step=empty, loss=empty), self.space)
        torch.manual_seed(seed)
        self.space |= {"self": self.space["Model"](), "x": torch.randn(3, 4)}
        self.names = ["x"]
        self.lines: list[str] = []

    def expression(self) -> str:
        kinds = (UNARY, UNARY, BINARY, BINARY, REDUCTION, VIEW, LAYER, LAYER)
        text = self.random.choice(lines(self.random.choice(kinds)))
        return text.format(a=self.name(), b=self.name())

    def name(self) -> str:
        return self.random.choice([*self.names, *self.names[-2:]])

    def statement(self) -> None:
        v = f"v{len(self.lines)}"
        if self.random.random() < 0.65:
            text = f"{v} = {self.expression()}"
        else:
            one, a = self.random.choice(lines(STATEMENT)), self.name()
            text = one.format(v=v, a=a, e=self.expression(), f=self.expression())
            text = text.replace("|", "\n").replace("; ", "\n")
        if self.works(text, v):
            self.lines += text.splitlines()
            self.names.append(v)

    def works(self, text: str, name: str) -> bool:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(text.replace("print(", "str("), self.space)
        except Exception:
            return False
        made = self.space[name]
        return isinstance(made, torch.Tensor) and 0 < made.numel() < MOST_NUMBERS


def written(seed: int) -> Program:
    """The program of a seed."""
    w = Writer(seed)
    r, wanted = w.random, w.random.randint(3, 15)
    for _ in range(6 * wanted):
        if len(w.names) <= wanted:
            w.statement()
    used = [n for n in w.names if w.space[n].is_floating_point()]
    main = " + ".join(f"{n}.sum() * 0.1" for n in r.sample(used, min(3, len(used))))
    w.lines.append(f"out = {main} + self.b.sum() * 0.01")
    more = f"return out, {r.choice(used)}, {r.choice(used)}.detach()"
    returned = r.choice(["return out", "return out", f"return out, {used[-1]}", more])
    loss = ["loss = out[0] if isinstance(out, tuple) else out", "loss = loss + target.mean()"]
    step = [*before_backward(r), "out = model(x)", *loss, *after_backward(r)]
    end = r.choice(["return loss", "return loss.detach()", "return loss, out", "return out"])

    def block(found: list[str]) -> str:
        return "\n".join("        " + line for line in found)

    source = HEAD.format(
        seed=seed,
        forward=block([*w.lines, returned]),
        step=block([*step, end]),
        loss=block([*loss, r.choice(["return loss", "return loss, out"])]),
    )
    form = r.choice(("step", "step", "loss", "model"))
    program = Program(seed, source, form, r.choice(OPTIMIZERS))
    program.calls = calls(r)
    return program


def before_backward(r: random.Random) -> list[str]:
    return r.choice([["optimizer.zero_grad()"]] * 3 + [[], ["model.zero_grad(set_to_none=False)"]])


def after_backward(r: random.Random) -> list[str]:
    found = ["loss.backward()"]
    if r.random() < 0.3:
        found.append("nn.utils.clip_grad_norm_(model.parameters(), 0.5)")
    found.append("optimizer.step()")
    if r.random() < 0.2:
        found += ["with torch.no_grad():", "    model.ema.mul_(0.5).add_(model.b, alpha=0.5)"]
    if r.random() < 0.1:
        found += ["optimizer.zero_grad()"]
    return found


def calls(r: random.Random) -> list[tuple[Any, ...]]:
    """(rows, type, setting, change before the call): most like the first."""
    found: list[tuple[Any, ...]] = [(3, "float32", "", "")] * 3
    for _ in range(r.randint(3, 7)):
        rows = r.choice((3, 3, 3, 5, 2, 1))
        kind = r.choice(("float32",) * 8 + ("float64",))
        setting = r.choice(("",) * 8 + ("no_grad", "float64 by default", "autocast", "inference"))
        change = r.choice(lines(CHANGES)) if r.random() < 0.6 else ""
        found += [(rows, kind, setting, change)] * 1 + [(rows, kind, setting, "")]
    return found
