"""Errors of `torch.compile`, as PyTorch's classes."""

from __future__ import annotations

from enum import Enum

__all__ = [
    "BackendCompilerFailed",
    "FailOnRecompileLimitHit",
    "InternalTorchDynamoError",
    "InvalidBackend",
    "RecompileError",
    "ResetRequired",
    "SkipFrame",
    "TorchDynamoException",
    "TorchRuntimeError",
    "Unsupported",
    "UserError",
    "UserErrorType",
]


class TorchDynamoException(RuntimeError):
    """What all errors of the capture are."""


class InternalTorchDynamoError(TorchDynamoException):
    """A mistake of the compiler's own."""


class Unsupported(TorchDynamoException):
    """`fullgraph=True`, and something cannot be replayed. `msg` is the text."""

    def __init__(self, msg: str, gb_type: str = "") -> None:
        super().__init__(msg)
        self.msg, self.gb_type = msg, gb_type


class TorchRuntimeError(TorchDynamoException):
    """PyTorch's class of errors inside captured code; ours keep the class that eager gives them."""


class InvalidBackend(TorchDynamoException):
    """`torch.compile(backend=...)` with a name that nobody knows."""


class ResetRequired(TorchDynamoException):
    """Never raised here."""


class BackendCompilerFailed(TorchDynamoException):
    """Never raised here: what cannot become machine code runs on arrays."""


class SkipFrame(TorchDynamoException):
    """Never raised here."""


class RecompileError(TorchDynamoException):
    """A plan is needed for another case, and `torch._dynamo.config.error_on_recompile` is set."""


class FailOnRecompileLimitHit(Exception):
    """More plans are needed than `recompile_limit` allows, and `fullgraph=True`."""


class UserErrorType(Enum):
    """What a UserError is about."""

    DYNAMIC_CONTROL_FLOW = 1
    ANTI_PATTERN = 2
    STANDARD_LIBRARY = 3
    CONSTRAINT_VIOLATION = 4
    DYNAMIC_DIM = 5
    INVALID_INPUT = 6
    INVALID_OUTPUT = 7


class UserError(Unsupported):
    """A program asked for what it does not allow, such as a size that it marked as free and
    then fixed."""

    def __init__(self, error_type: UserErrorType, msg: str, case_name: str | None = None) -> None:
        super().__init__(msg)
        self.error_type, self.message = error_type, msg
