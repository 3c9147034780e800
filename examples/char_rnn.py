"""Invent first names, one character at a time: a recurrent network.

    python -m rushlight examples/char_rnn.py    (on PyTorch: python examples/char_rnn.py)
    python -m rushlight examples/char_rnn.py --data names.txt --model GRU    a list, one name a line

A plain, gated or long short-term memory network reads the beginning of a name and guesses the next
letter. Names are of different lengths: a batch is padded, and packed so that the network does no
work on what was only filled in. OUT gets model.pt and, as they are printed, the names it invents.
"""

import argparse
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, random_split

NAMES = """
ada adam adele adrian agnes alan albert alexander alice alma amanda amelia amy andrea andrew angela
anita ann anna anne annie anthony antonia arnold arthur astrid audrey aurora barbara beatrice
belinda benjamin bernard bertha betty beverly brenda brian bridget bruce camilla carl carla carmen
carol caroline catherine cecilia celia charles charlotte christian christina christopher clara
clarence claudia clement clifford colin conrad constance cora cordelia cornelia curtis cynthia daisy
daniel daphne david dean deborah delia dennis diana donald dora doris dorothy douglas earl edgar
edith edmund edward edwin eileen elaine eleanor elena elizabeth ella ellen elsa elsie emily emma
eric erica ernest estelle esther ethan ethel eugene eva evelyn felicia felix fiona flora florence
frances francis frank frederick gabriel gail george georgia gerald gertrude gilbert gladys gloria
grace gregory greta gwendolyn hannah harold harriet harry harvey hazel heather helen helena
henrietta henry herbert herman hilda howard hubert hugh ian ida imogen ingrid irene iris irma isaac
isabel ivan ivy jack jacob james jane janet janice jasmine jason jean jeffrey jennifer jeremy jerome
jessica joan joanna joel john jonathan joseph josephine joyce judith julia julian juliet june justin
karen karl katherine keith kenneth kevin kirsten larry laura lauren laurence leah lena leo leonard
leslie lewis lilian lillian lily linda lisa lois lola louis louise lucas lucille lucy luther lydia
mabel madeline malcolm marcus margaret maria marian marie marilyn marina marion marjorie mark
marlene martha martin mary matilda matthew maud maureen maurice max maxine melanie melissa melvin
mercedes michael mildred milton minnie miranda miriam molly monica morris muriel myra nadia nancy
naomi natalie nathan nathaniel neil nelson nicholas nicole nina noah nora norma norman octavia olga
olive oliver olivia oscar owen pamela patricia patrick paul paula pauline pearl peggy penelope peter
philip phoebe phyllis priscilla rachel ralph ramona raymond rebecca regina renee rhoda richard rita
robert roberta robin roderick roger roland ronald rosa rosalind rose rosemary roy ruby rudolph rufus
russell ruth sabrina sally samantha samuel sandra sarah sebastian selma serena sharon sheila shirley
sidney silvia simon sonia sophia stanley stella stephanie stephen stuart susan sylvia tamara teresa
thelma theodora theodore theresa thomas timothy tobias ulrich ursula valerie vanessa vera verna
veronica victor victoria vincent viola violet virginia vivian walter wanda warren wendy wilfred
wilhelmina willard william wilma winifred winston yolanda yvette yvonne zachary zelda zoe
"""


class Network(nn.Module):
    """Letters, a recurrent network of some kind, and scores of the letter that comes next."""

    def __init__(self, kind, letters, embedding, width, layers, dropout):
        super().__init__()
        recurrent = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}[kind]
        self.embedding = nn.Embedding(letters, embedding)
        between = dropout if layers > 1 else 0.0
        self.recurrent = recurrent(embedding, width, layers, batch_first=True, dropout=between)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(width, letters)

    def forward(self, x, lengths):  # (B, T) and (B,)
        """Scores of the next letters, still packed: one row for each letter that is there."""
        packed = pack_padded_sequence(
            self.embedding(x), lengths, batch_first=True, enforce_sorted=False
        )
        y, _ = self.recurrent(packed)
        return y._replace(data=self.head(self.drop(y.data)))

    def step(self, x, state=None):  # (B,)
        """Scores (B, letters) after one more letter, and the state to go on from."""
        y, state = self.recurrent(self.embedding(x[:, None]), state)
        return self.head(y[:, 0]), state


def batch(names):
    """What is read and what is to be guessed: (B, T) each, padded, and the lengths (B,)."""
    x = pad_sequence([name[:-1] for name in names], batch_first=True)
    y = pad_sequence([name[1:] for name in names], batch_first=True)
    return x, y, torch.tensor([len(name) - 1 for name in names])


def losses(model, x, y, lengths):
    """The cross entropy of every letter, in nats, packed."""
    scores = model(x, lengths)
    wanted = pack_padded_sequence(y, lengths, batch_first=True, enforce_sorted=False)
    return scores._replace(data=F.cross_entropy(scores.data, wanted.data, reduction="none"))


@torch.no_grad()
def surprise(model, names):
    """The loss of each name, summed over its letters, and how many letters that are."""
    model.eval()
    x, y, lengths = batch(names)
    padded, lengths = pad_packed_sequence(losses(model, x, y, lengths), batch_first=True)
    return padded.sum(1), lengths  # the padding is zeros


@torch.no_grad()
def invent(model, count, temperature, longest=20):
    """Numbers (count, T): letters are drawn until every name has come to its end, 0."""
    model.eval()
    letter = torch.zeros(count, dtype=torch.long)
    done, state, drawn = letter.bool(), None, []
    while not done.all() and len(drawn) < longest:
        scores, state = model.step(letter, state)
        letter = torch.multinomial(F.softmax(scores / temperature, dim=1), 1)[:, 0]
        letter = letter.masked_fill(done, 0)
        done = done | (letter == 0)
        drawn.append(letter)
    return torch.stack(drawn, dim=1)


def arguments():
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--data", type=Path, help="a file with one name a line")
    parser.add_argument("--model", choices=["RNN", "LSTM", "GRU"], default="LSTM")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--embedding", type=int, default=16)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--clip", type=float, default=1.0, help="the longest gradient")
    parser.add_argument("--names", type=int, default=30, help="that are invented")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--log-interval", type=int, default=0, help="in batches; 0: an epoch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/char_rnn"))
    return parser.parse_args()


def main():
    """Train on nine tenths of the names, measure on the others, and invent some."""
    args = arguments()
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    text = args.data.read_text(encoding="utf-8") if args.data else NAMES
    known = sorted({name.lower() for name in text.split()})
    alphabet = [".", *sorted(set("".join(known)) - {"."})]  # 0 begins and ends every name
    number = {letter: i for i, letter in enumerate(alphabet)}
    numbers = [torch.tensor([0, *(number[c] for c in name), 0]) for name in known]
    held_out, train = random_split(numbers, [len(numbers) // 10, len(numbers) - len(numbers) // 10])
    loader = DataLoader(train, args.batch_size, shuffle=True, collate_fn=batch)
    shape = (len(alphabet), args.embedding, args.width, args.layers, args.dropout)
    model = Network(args.model, *shape)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs, args.lr / 20)
    print(f"{len(train)} names to learn from, {len(alphabet)} letters with the end, {args.model}")

    for epoch in range(1, args.epochs + 1):
        model.train()
        total = count = 0
        for i, (x, y, lengths) in enumerate(loader, 1):
            loss = losses(model, x, y, lengths).data.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            total, count = total + loss.item(), count + 1
            if args.log_interval and i % args.log_interval == 0:
                print(f"epoch {epoch}  batch {i}  loss {loss.item():.4f}")
        schedule.step()
        nats, letters = surprise(model, list(held_out))
        fresh = (nats.sum() / letters.sum()).item()
        print(f"epoch {epoch}  loss {total / count:.4f}  held out {fresh:.4f}")
    torch.save(model.state_dict(), args.out / "model.pt")

    nats, letters = surprise(model, list(held_out))
    order = [known[held_out.indices[i]] for i in (nats / letters).argsort().tolist()]
    print("least surprising:", " ".join(order[:5]))
    print("most surprising: ", " ".join(order[-5:]))
    rows = invent(model, args.names, args.temperature).tolist()
    invented = ["".join(alphabet[i] for i in row if i) for row in rows]
    (args.out / "names.txt").write_text("\n".join(invented) + "\n", encoding="utf-8")
    print("invented:", " ".join(name if name not in known else f"({name})" for name in invented))
    uniform = math.log(len(alphabet))
    print(f"nats a letter: held out {fresh:.3f}, uniform {uniform:.3f}")
    assert fresh < 0.8 * uniform, "hardly anything was learned"


if __name__ == "__main__":
    main()
