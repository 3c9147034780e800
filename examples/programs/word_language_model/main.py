"""Train a word-level language model, keep the best one, and test it.

    python main.py --data DIR --model LSTM|GRU|RNN_TANH|RNN_RELU|Transformer [--dry-run]

The whole module is saved; loading it names the classes that the file may hold.
"""

import argparse
import math
import time

import data
import torch
from model import SAFE_CLASSES, RNNModel, TransformerModel
from torch import nn


def arguments():
    parser = argparse.ArgumentParser(description="Word-level language model")
    parser.add_argument("--data", default="./data/wikitext-2", help="folder of the corpus")
    parser.add_argument(
        "--model", default="LSTM", help="RNN_TANH, RNN_RELU, LSTM, GRU or Transformer"
    )
    parser.add_argument("--emsize", type=int, default=200, help="size of word embeddings")
    parser.add_argument("--nhid", type=int, default=200, help="hidden units a layer")
    parser.add_argument("--nlayers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=20)
    parser.add_argument("--clip", type=float, default=0.25, help="norm of gradients at most")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch_size", type=int, default=20, metavar="N")
    parser.add_argument("--bptt", type=int, default=35, help="length of a sequence")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--tied", action="store_true", help="one matrix for words in and out")
    parser.add_argument("--seed", type=int, default=1111)
    parser.add_argument("--accel", action="store_true", help="use an accelerator")
    parser.add_argument("--log-interval", type=int, default=200, metavar="N")
    parser.add_argument("--save", default="model.pt", help="where the best model goes")
    parser.add_argument("--nhead", type=int, default=2, help="heads of the transformer")
    parser.add_argument("--dry-run", action="store_true", help="one batch an epoch")
    return parser.parse_args()


def batchify(data, bsz, device):
    """(length,) -> (length // bsz, bsz): columns are read side by side, none knows the others."""
    nbatch = data.size(0) // bsz
    return data.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous().to(device)


def repackage_hidden(h):
    """The same values without their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


def get_batch(source, i, bptt):
    """Words from place i on, and the word that follows each."""
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].view(-1)


def evaluate(args, model, source, ntokens, criterion, eval_batch_size):
    model.eval()
    total = 0.0
    recurrent = args.model != "Transformer"
    hidden = model.init_hidden(eval_batch_size) if recurrent else None
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, args.bptt):
            words, targets = get_batch(source, i, args.bptt)
            if recurrent:
                output, hidden = model(words, hidden)
                hidden = repackage_hidden(hidden)
            else:
                output = model(words).view(-1, ntokens)
            total += len(words) * criterion(output, targets).item()
    return total / (len(source) - 1)


def train(args, model, source, ntokens, criterion, lr, epoch):
    model.train()
    total, start = 0.0, time.time()
    recurrent = args.model != "Transformer"
    hidden = model.init_hidden(args.batch_size) if recurrent else None
    for batch, i in enumerate(range(0, source.size(0) - 1, args.bptt)):
        words, targets = get_batch(source, i, args.bptt)
        model.zero_grad()
        if recurrent:
            hidden = repackage_hidden(hidden)  # else backward would go to the first word
            output, hidden = model(words, hidden)
        else:
            output = model(words).view(-1, ntokens)
        loss = criterion(output, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        for p in model.parameters():
            if p.grad is not None:
                p.data.add_(p.grad, alpha=-lr)
        total += loss.item()
        if (batch % args.log_interval == 0 and batch > 0) or args.dry_run:
            count = 1 if args.dry_run else args.log_interval
            cur = total / count
            ms = (time.time() - start) * 1000 / count
            print(
                f"| epoch {epoch:3d} | {batch:5d}/{len(source) // args.bptt:5d} batches "
                f"| lr {lr:02.2f} | ms/batch {ms:5.2f} | loss {cur:5.2f} | ppl {math.exp(cur):8.2f}"
            )
            total, start = 0.0, time.time()
        if args.dry_run:
            break


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    use_accel = args.accel and torch.accelerator.is_available()
    device = torch.accelerator.current_accelerator() if use_accel else torch.device("cpu")
    print("Using device:", device)

    corpus = data.Corpus(args.data)
    eval_batch_size = 10
    train_data = batchify(corpus.train, args.batch_size, device)
    val_data = batchify(corpus.valid, eval_batch_size, device)
    test_data = batchify(corpus.test, eval_batch_size, device)

    ntokens = len(corpus.dictionary)
    if args.model == "Transformer":
        model = TransformerModel(
            ntokens, args.emsize, args.nhead, args.nhid, args.nlayers, args.dropout
        )
    else:
        sizes = (args.emsize, args.nhid, args.nlayers)
        model = RNNModel(args.model, ntokens, *sizes, args.dropout, args.tied)
    model = model.to(device)
    criterion = nn.NLLLoss()

    lr, best = args.lr, None
    try:  # Ctrl-C ends the training and goes on to the test
        for epoch in range(1, args.epochs + 1):
            start = time.time()
            train(args, model, train_data, ntokens, criterion, lr, epoch)
            loss = evaluate(args, model, val_data, ntokens, criterion, eval_batch_size)
            print("-" * 89)
            print(
                f"| end of epoch {epoch:3d} | time: {time.time() - start:5.2f}s "
                f"| valid loss {loss:5.2f} | valid ppl {math.exp(loss):8.2f}"
            )
            print("-" * 89)
            if best is None or loss < best:
                with open(args.save, "wb") as f:
                    torch.save(model, f)
                best = loss
            else:
                lr /= 4.0
    except KeyboardInterrupt:
        print("-" * 89)
        print("Exiting from training early")

    with open(args.save, "rb") as f, torch.serialization.safe_globals(SAFE_CLASSES):
        model = torch.load(f)
    if args.model != "Transformer":
        model.rnn.flatten_parameters()
    loss = evaluate(args, model, test_data, ntokens, criterion, eval_batch_size)
    print("=" * 89)
    print(f"| End of training | test loss {loss:5.2f} | test ppl {math.exp(loss):8.2f}")
    print("=" * 89)


if __name__ == "__main__":
    main()
