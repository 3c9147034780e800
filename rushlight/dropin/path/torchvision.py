"""`import torchvision` in a child of a program that runs under the drop-in (see ../children.py)."""

from _rushlight_child import take

take(__name__)
