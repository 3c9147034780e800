"""`torch._refs.nn`: what is in `functional.py`."""
