"""Files: `save` and `load` in PyTorch's format, without ever executing what a file says.

The modules in the order in which a file is read: `archive` (the zip container), `unpickler` (a
pickle reader with closed instructions), `names` (what a file may mention), `blocks` (storages and
the tensors over them), `loading`, `legacy` (the format before PyTorch 1.6). Writing: `saving`,
`atomic`.
"""

from .allowed import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .errors import CheckpointError
from .loading import MapLocation as MAP_LOCATION
from .loading import get_unsafe_globals_in_checkpoint, load
from .saving import save

__all__ = [
    "MAP_LOCATION",
    "CheckpointError",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
]
