"""The door's text, read from its source and pruned by what a record says.

`read` gives the statements of a function of `door.py`; `pruned` decides the tests of the record
among them and writes words and pieces otherwise, as `call_text.py` and `change_text.py` ask.
"""

from __future__ import annotations

import functools
import linecache
import re
from types import CodeType
from typing import Any

Lines = list[tuple[str, Any]]  # (line, the lines below it)


@functools.cache
def read(fn: Any) -> Lines:
    """The statements of a function of `door.py`, without signature, documentation and types."""
    text = source_of(fn).rpartition('"""')[2]
    # (a line that is a comment alone becomes an empty one, as it is indented)
    lines = [line.partition("  # ")[0].rstrip() for line in text.splitlines()]
    return nested([line.replace(": Any = ", " = ") for line in lines if line])


def source_of(fn: Any) -> str:
    """The text of a function of a module. (`inspect.getsource` takes each line apart to find its
    end: 6 ms for the door's, before the first operation.)"""
    code = fn.__code__
    lines = linecache.getlines(code.co_filename, fn.__globals__)
    end = code.co_firstlineno
    while end < len(lines) and lines[end][0] in " \n)":  # ")" closes the signature
        end += 1
    return "".join(lines[code.co_firstlineno - 1 : end]).rstrip() + "\n"


def nested(lines: list[str]) -> Lines:
    """Lines with those that are indented below each."""
    found: Lines = []
    while lines:
        indent = len(lines[0]) - len(lines[0].lstrip())
        n = 1
        while n < len(lines) and len(lines[n]) - len(lines[n].lstrip()) > indent:
            n += 1
        found.append((lines[0].strip(), nested(lines[1:n])))
        lines = lines[n:]
    return found


NAMES = {"op": "_op", "kw": "_kw", "out": "_r", "y": "_t", "dtype": "_d", "node": "_n"}
NAMES |= {n: "_" + n for n in ("ndarray", "state", "tick", "Tensor", "LEAF")}
NAMES |= {"as_array": "_asarray", "inputs": "_inputs"}
# The functions that stand for a word each in that text, where a record has any number of operands.
WORDS = ("taken", "computed", "several", "tracked", "handed_on", "own", "attach_view", "first_cut",
         "viewed_cut", "of_inference", "refuse_inference", "apart",
         "finish")  # fmt: skip


def pruned(lines: Lines, op: Any, words: dict[str, Any], parts: dict[str, str]) -> list[str]:
    """The text of a call for one record: `words` are lines written out otherwise (None: none),
    `parts` pieces of lines."""
    out: list[str] = []
    texts = list(parts.values())
    decided: Any = None  # what the test of the record on the line before came to
    for line, below in lines:
        if line in words:
            word = words[line]
            if word is not None:
                nest = bool(word) and word[0].__class__ is tuple
                out += pruned(word, op, words, parts) if nest else word
        elif line.startswith(("if op.", "if not op.")):
            decided = eval(test(line), {"op": op})  # in the door's own text
            if decided:
                out += pruned(below, op, words, parts)
        elif line == "else:" and decided is not None:
            if not decided:
                out += pruned(below, op, words, parts)
        else:
            decided = None
            first, *others = marked(line, tuple(parts))
            line = first
            for number, more in zip(others[::2], others[1::2], strict=True):
                line += texts[int(number)] + more
            inner = pruned(below, op, words, parts)
            out += [line, *("    " + text for text in inner)]
        # what stands behind a `return` is never reached, and may ask what this record lacks
        asked = line.startswith(("if op.", "if not op."))
        if out and out[-1].startswith("return ") and (asked or not below):
            break
    return out


@functools.cache
def marked(line: str, pieces: tuple[str, ...]) -> list[str]:
    """A line of the door in parts: text, the number of a piece that stands there, text, and so on.

    The operands and parameters of a record, which are put in for the pieces, keep their names; so
    the pieces are marked first, then the door's own names changed. All records have these lines.
    """
    for i, piece in enumerate(pieces):
        line = line.replace(piece, f"<{i}>")
    return MARK.split(NAME.sub(lambda m: NAMES.get(m[0], m[0]), line))


@functools.cache
def test(line: str) -> CodeType:
    """The question that a line `if ...:` asks of a record."""
    return compile(line[3:-1], "<test>", "eval")


MARK = re.compile(r"<(\d+)>")
NAME = re.compile(r"(?<![\w.\"'])[A-Za-z]\w*")
