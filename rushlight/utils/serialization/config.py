"""Settings of `load` and `save`: the objects are those of `rushlight/serialization/options.py`."""

from ...serialization.options import config as _config

load = _config.load
save = _config.save
