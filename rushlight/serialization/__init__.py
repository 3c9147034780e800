"""Files: `save` and `load` in PyTorch's format, without ever executing what a file says.

The modules in the order in which a file is read: `archive` (the zip container), `unpickler` (a
pickle reader with closed instructions), `names` (what a file may mention; what the names do is in
`values`, `rebuild`, `standard`, `classes` and `allowed`), `blocks` (storages and the tensors over
them), `places` (`map_location`), `loading`; `legacy` and `tar` are the formats before PyTorch 1.6
and 0.2. Writing: `saving`, `atomic`. The other format is in `safetensors`; settings in `options`.
"""

from .allowed import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .errors import CheckpointError, SourceChangeWarning
from .legacy import MAGIC_NUMBER, PROTOCOL_VERSION
from .loading import FileLike, load
from .options import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from .options import _serialization_tls as _serialization_tls
from .places import (
    MapLocation as MAP_LOCATION,
)
from .places import (
    default_restore_location,
    location_tag,
    normalize_storage_type,
    register_package,
    validate_cuda_device,
)
from .saving import save
from .scan import get_unsafe_globals_in_checkpoint
from .zipfiles import _is_zipfile as _is_zipfile
from .zipfiles import _open_zipfile_reader as _open_zipfile_reader
from .zipfiles import _open_zipfile_writer as _open_zipfile_writer

DEFAULT_PROTOCOL = 2

__all__ = [
    "DEFAULT_PROTOCOL",
    "MAGIC_NUMBER",
    "MAP_LOCATION",
    "PROTOCOL_VERSION",
    "CheckpointError",
    "FileLike",
    "LoadEndianness",
    "SourceChangeWarning",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "normalize_storage_type",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "validate_cuda_device",
]
