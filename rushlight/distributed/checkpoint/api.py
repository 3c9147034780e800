"""`CheckpointException`: what went wrong on which rank."""

from __future__ import annotations

import pickle
import traceback

WRAPPED_EXCEPTION = tuple[BaseException, traceback.StackSummary]


def _wrap_exception(error: BaseException) -> WRAPPED_EXCEPTION:
    """An error and where it was raised, in a form that can be sent to another rank."""
    summary = traceback.extract_tb(error.__traceback__)
    for frame in summary:
        if hasattr(frame, "_code"):  # since Python 3.13; it cannot be pickled
            object.__setattr__(frame, "_code", None)
    plain = error.with_traceback(None)
    try:
        pickle.loads(pickle.dumps(plain))
    except Exception:  # a class that is not made of its arguments
        plain = RuntimeError(f"{type(error).__name__}: {error}")
    return plain, summary


class CheckpointException(BaseException):
    """A save or load failed on some ranks; all ranks raise it. As in PyTorch, it is no `Exception`.

    Attributes:
        failures: rank -> (its error, the lines where it was raised).
    """

    def __init__(self, msg: str, failures: dict[int, WRAPPED_EXCEPTION]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, WRAPPED_EXCEPTION]:
        """Each rank that failed, with its error and the lines where it was raised."""
        return self._failures

    def __str__(self) -> str:
        text = f"CheckpointException ranks:{self._failures.keys()} in step {self.args[0]}\n"
        for rank, (error, lines) in self._failures.items():
            text += f"Traceback (most recent call last): (RANK {rank})\n"
            text += "".join(traceback.format_list(lines)) if lines is not None else ""
            text += "".join(traceback.format_exception_only(type(error), error))
        return text
