"""`torch.onnx`: nothing is exported; programs that only import it, or ask whether an export is
running, go on."""

from __future__ import annotations

import enum

from rushlight import unsupported

FEATURE = "export to ONNX"
HINT = (
    "torch.save(model.state_dict(), path): PyTorch loads the file, and its torch.onnx.export\n"
    "writes the ONNX file"
)


def is_in_onnx_export() -> bool:
    """False: no export is running."""
    return False


class TrainingMode(enum.IntEnum):
    """How a model would be exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.IntEnum):
    """How operators would be exported."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


__getattr__, __dir__ = unsupported.module(
    __name__,
    "ExportOptions InputObserver ONNXProgram OnnxExporterError dynamo_export export "
    "register_custom_op_symbolic select_model_mode_for_export unregister_custom_op_symbolic",
    FEATURE,
    HINT,
)
