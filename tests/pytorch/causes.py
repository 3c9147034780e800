"""The cause of a failure, in a few words: what tests that fail for one reason have in common."""

from __future__ import annotations

import re
from typing import Any

SAYS = [
    (r"has no attribute '([^']+)'", "missing name: {}"),
    (r"cannot import name '([^']+)'", "missing name: {}"),
    (r"No module named '([^']+)'", "missing module: {}"),
    (r"Rushlight has no (\S+)", "missing name: {}"),
    (r"name stands in for (\S+)", "missing name: {}"),
    (r"unexpected keyword argument '([^']+)'", "missing argument: {}"),
    (r"got an unexpected keyword (\S+)", "missing argument: {}"),
    (r"^AssertionError: (\w+) not raised", "nothing raised: {}"),
    (r"^AssertionError: (\w*Warning) not triggered", "no warning: {}"),
    (r'^AssertionError: "[^"]*" does not match', "message"),
    (r"^AssertionError: '.*' not found in", "message"),
    (r"Tensor-likes are not (close|equal)", "values differ"),
    (r"Scalars are not (close|equal)", "values differ"),
    (r"The values for attribute '(\S+)' do not match", "{} differs"),
    (r"GradcheckError: (.{40})", "gradcheck: {}"),
    (r"over the time limit", "over the time limit"),
    (r"^the process ended with (\S+)", "the process ended with {}"),
    (r"^hung", "hung"),
]


def cause(result: dict[str, Any]) -> str:
    text = result["text"]
    for pattern, told in SAYS:
        found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
        if found:
            return told.format(*found.groups())
    first = text.split("\n")[0]
    return re.sub(r"\d+", "N", first)[:90]
