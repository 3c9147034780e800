"""Write like Shakespeare, one character at a time: a small GPT.

    python -m rushlight examples/char_gpt.py    (on PyTorch: python examples/char_gpt.py)
    python -m rushlight examples/char_gpt.py --data input.txt    all of "tiny Shakespeare"

Attention looks back over `--context` letters and guesses the next one. Matrices decay and vectors
do not, the learning rate rises and then falls along a cosine, long gradients are shortened: the
usual recipe (Radford et al., 2019). OUT gets model.pt, from which `--resume` goes on, and at last
sample.txt, the text that is printed. Without `--data` nine sonnets are learned and a tenth is held
out: so few letters teach common words and the look of a line, not more.
"""

import argparse
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Each place collects what earlier ones offer."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):  # (B, T, C)
        B, T, C = x.shape
        parts = self.qkv(x).split(C, dim=2)
        q, k, v = (p.view(B, T, self.heads, C // self.heads).transpose(1, 2) for p in parts)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(B, T, C))  # y was (B, heads, T, C / heads)


class Block(nn.Module):
    """Attention between places, then two layers at each, both added to what was there."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, dropout)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.attention(self.norm1(x)))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)))))


class GPT(nn.Module):
    """Scores of the next character at every place."""

    def __init__(self, letters, context, width, layers, heads, dropout):
        super().__init__()
        self.context = context
        self.letter = nn.Embedding(letters, width)
        self.place = nn.Embedding(context, width)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters, bias=False)
        self.head.weight = (
            self.letter.weight
        )  # what a letter means and how it is guessed: one table
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.ndim == 2:  # what is added to the stream by many layers starts smaller
                added = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * layers) if added else 0.02)

    def forward(self, x):  # (B, T) of numbers of letters
        places = torch.arange(x.shape[1], device=x.device)
        x = self.drop(self.letter(x) + self.place(places))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))  # (B, T, letters)

    @torch.no_grad()
    def write(self, x, count, temperature, top):
        """`x` (B, T) with `count` more letters, each drawn from the `top` likeliest ones."""
        for _ in range(count):
            scores = self(x[:, -self.context :])[:, -1] / temperature
            best, numbers = scores.topk(min(top, scores.shape[1]))
            drawn = torch.multinomial(F.softmax(best, dim=1), 1)
            x = torch.cat((x, numbers.gather(1, drawn)), dim=1)
        return x


def make_optimizer(model, lr, decay):
    """AdamW that lets matrices decay, and leaves biases and the gains of the norms alone."""
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95))


def rate(step, warmup, steps):
    """The share of the learning rate at a step: up a line, then down a cosine to a tenth."""
    if step < warmup:
        return (step + 1) / (warmup + 1)
    done = min(1.0, (step - warmup) / max(1, steps - warmup))
    return 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * done))


def loss_of(model, windows):  # (B, T + 1)
    """The mean cross entropy of each next letter, in nats."""
    scores = model(windows[:, :-1])
    return F.cross_entropy(scores.flatten(0, 1), windows[:, 1:].flatten())


@torch.no_grad()
def evaluate(model, numbers, context):
    """The loss of a whole text, in windows side by side."""
    model.eval()
    windows = numbers.unfold(0, context + 1, context)
    parts = [loss_of(model, part).item() * len(part) for part in windows.split(64)]
    model.train()
    return sum(parts) / len(windows)


def arguments():
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    text = Path(__file__).with_name("sonnets.txt")
    parser.add_argument("--data", type=Path, default=text, help="a text file")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch-size", type=int, default=12)
    parser.add_argument("--context", type=int, default=64, help="letters that are looked back")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--weight-decay", type=float, default=0.1)
    parser.add_argument("--clip", type=float, default=1.0, help="the longest gradient")
    parser.add_argument("--log-interval", type=int, default=50)
    parser.add_argument("--save-interval", type=int, default=200)
    parser.add_argument("--max-steps", type=int, help="stop here, to be resumed later")
    parser.add_argument("--prompt", help="how the sample begins; the text's first letter")
    parser.add_argument("--length", type=int, default=400, help="of the sample")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--top", type=int, default=20, help="letters that are drawn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on from OUT/model.pt")
    parser.add_argument("--out", type=Path, default=Path("outputs/char_gpt"))
    return parser.parse_args()


def main():
    """Train on nine tenths of a text, measure on the last one, and write."""
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    text = args.data.read_text(encoding="utf-8")
    alphabet = sorted(set(text))
    number = {letter: i for i, letter in enumerate(alphabet)}
    numbers = torch.tensor([number[letter] for letter in text])
    prompt = args.prompt or text[0]
    if unknown := set(prompt) - set(alphabet):
        raise SystemExit(f"--prompt has letters that the text has not: {unknown}")
    split = len(numbers) * 9 // 10
    train, held_out = numbers[:split], numbers[split:]
    if len(held_out) <= args.context:
        raise SystemExit(f"a tenth of the text has no more than {args.context} letters (--context)")
    shape = (args.context, args.width, args.layers, args.heads, args.dropout)
    model = GPT(len(alphabet), *shape)
    optimizer = make_optimizer(model, args.lr, args.weight_decay)
    warmup = max(1, args.steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: rate(s, warmup, args.steps))
    count = sum(p.numel() for p in model.parameters())
    print(f"{len(train)} letters to learn from, {len(alphabet)} different, {count} parameters")

    first, checkpoint = 1, args.out / "model.pt"
    if args.resume:
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])
        first = state["step"] + 1

    windows = train.unfold(0, args.context + 1, 1)  # (places, T + 1), a view
    last = min(args.steps, args.max_steps or args.steps)
    for step in range(first, last + 1):
        starts = torch.randint(len(windows), (args.batch_size,))
        loss = loss_of(model, windows[starts])
        optimizer.zero_grad()
        loss.backward()
        length = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        schedule.step()
        if step == 1 or step % args.log_interval == 0:
            print(f"step {step}  loss {loss.item():.4f}  gradient {length.item():.4f}")
        if step % args.save_interval == 0 or step == last:
            state = {
                "step": step,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(),
                "random": torch.get_rng_state(),
            }
            torch.save(state, checkpoint)
    if last < args.steps:
        return

    # What is measured and what writes is the file, not what happens to be in memory.
    reader = GPT(len(alphabet), *shape)
    reader.load_state_dict(torch.load(checkpoint)["model"])
    learned, fresh = (evaluate(reader, part, args.context) for part in (train, held_out))
    uniform = math.log(len(alphabet))
    reader.eval()
    torch.manual_seed(args.seed)
    start = torch.tensor([[number[letter] for letter in prompt]])
    wrote = reader.write(start, args.length, args.temperature, args.top)[0].tolist()
    sample = "".join(alphabet[i] for i in wrote)
    (args.out / "sample.txt").write_text(sample, encoding="utf-8")
    print(f"--- sample\n{sample.strip()}\n---")
    print(f"nats a letter: learned {learned:.3f}, held out {fresh:.3f}, uniform {uniform:.3f}")
    assert learned < 0.7 * uniform, "hardly anything was learned"
    assert fresh < 0.7 * uniform, "what was learned does not hold for a new text"


if __name__ == "__main__":
    main()
