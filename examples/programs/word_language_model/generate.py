"""Write words with a model that `main.py` saved.

python generate.py --data DIR --checkpoint model.pt --words 100 --outf generated.txt
"""

import argparse

import data
import torch
from model import SAFE_CLASSES


def main():
    parser = argparse.ArgumentParser(description="Generate text")
    parser.add_argument("--data", default="./data/wikitext-2", help="folder of the corpus")
    parser.add_argument("--checkpoint", default="./model.pt")
    parser.add_argument("--outf", default="generated.txt", help="where the text goes")
    parser.add_argument("--words", type=int, default=1000, help="how many words")
    parser.add_argument("--seed", type=int, default=1111)
    parser.add_argument("--temperature", type=float, default=1.0, help="higher is more diverse")
    parser.add_argument("--log-interval", type=int, default=100)
    args = parser.parse_args()
    if args.temperature < 1e-3:
        parser.error("--temperature has to be at least 1e-3")
    torch.manual_seed(args.seed)
    device = torch.device("cpu")

    with open(args.checkpoint, "rb") as f, torch.serialization.safe_globals(SAFE_CLASSES):
        model = torch.load(f, map_location=device)
    model.eval()

    corpus = data.Corpus(args.data)
    ntokens = len(corpus.dictionary)
    is_transformer = getattr(model, "model_type", None) == "Transformer"
    hidden = None if is_transformer else model.init_hidden(1)
    words = torch.randint(ntokens, (1, 1), dtype=torch.long).to(device)

    with open(args.outf, "w", encoding="utf8") as out, torch.no_grad():
        for i in range(args.words):
            if is_transformer:
                output = model(words, False)
                weights = output[-1].squeeze().div(args.temperature).exp().cpu()
                chosen = torch.multinomial(weights, 1)[0]
                words = torch.cat([words, chosen.view(1, 1).to(device)], 0)
            else:
                output, hidden = model(words, hidden)
                weights = output.squeeze().div(args.temperature).exp().cpu()
                chosen = torch.multinomial(weights, 1)[0]
                words.fill_(chosen)
            word = corpus.dictionary.idx2word[chosen]
            out.write(word + ("\n" if i % 20 == 19 else " "))
            if i % args.log_interval == 0:
                print(f"| Generated {i}/{args.words} words")


if __name__ == "__main__":
    main()
