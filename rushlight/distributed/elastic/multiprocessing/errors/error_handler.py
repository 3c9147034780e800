"""Writing what a process died of into the file that its launcher named."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import logging
import os
import time
import traceback
from typing import Any

__all__ = ["ErrorHandler"]

log = logging.getLogger(__name__)


class ErrorHandler:
    """Writes errors as JSON to the path in TORCHELASTIC_ERROR_FILE; without it, nowhere.

    Subclasses override `initialize` and `record_exception`.
    """

    def _get_error_file_path(self) -> str | None:
        return os.environ.get("TORCHELASTIC_ERROR_FILE") or None

    def initialize(self) -> None:
        """Called before the function: let crashes of native code print where they were."""
        with contextlib.suppress(Exception):  # standard error may be no file
            faulthandler.enable(all_threads=True)

    def record_exception(self, e: BaseException) -> None:
        """Write an error: its text, its traceback and the time."""
        path = self._get_error_file_path()
        if path is None:
            return
        stack = "".join(traceback.format_exception(e))
        told = {"py_callstack": stack, "timestamp": str(int(time.time()))}
        self._write(path, {"message": {"message": f"{type(e).__name__}: {e}", "extraInfo": told}})

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Write a child's error, with its exit status, as this process's own."""
        with open(rootcause_error_file, encoding="utf-8") as file:
            data = json.load(file)
        if error_code and isinstance(data.get("message"), dict):
            data["message"]["errorCode"] = error_code
        path = self._get_error_file_path()
        if path is None:
            log.info("no error file for this process, to copy %s to", rootcause_error_file)
        else:
            self._write(path, data)

    def _write(self, path: str, data: dict[str, Any]) -> None:
        """The whole file or none: the launcher may read it at any moment."""
        new = f"{path}.{os.getpid()}"
        try:
            with open(new, "w", encoding="utf-8") as file:
                json.dump(data, file)
            os.replace(new, path)
        except OSError as why:
            log.warning("the error could not be written to %s: %s", path, why)
