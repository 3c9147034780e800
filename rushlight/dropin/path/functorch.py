"""`import functorch` in a child of a program that runs under the drop-in (see ../children.py)."""

from _rushlight_child import take  # type: ignore[import-not-found]

take(__name__)
