"""A corpus: train.txt, valid.txt and test.txt of a folder as one long line of word numbers each."""

import os

import torch


class Dictionary:
    def __init__(self):
        self.word2idx = {}
        self.idx2word = []

    def add_word(self, word):
        if word not in self.word2idx:
            self.word2idx[word] = len(self.idx2word)
            self.idx2word.append(word)
        return self.word2idx[word]

    def __len__(self):
        return len(self.idx2word)


class Corpus:
    def __init__(self, path):
        self.dictionary = Dictionary()
        self.train = self.tokenize(os.path.join(path, "train.txt"))
        self.valid = self.tokenize(os.path.join(path, "valid.txt"))
        self.test = self.tokenize(os.path.join(path, "test.txt"))

    def tokenize(self, path):
        lines = []
        with open(path, encoding="utf8") as f:
            for line in f:
                words = [*line.split(), "<eos>"]
                numbers = [self.dictionary.add_word(word) for word in words]
                lines.append(torch.tensor(numbers, dtype=torch.int64))
        return torch.cat(lines)
