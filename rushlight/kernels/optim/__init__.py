"""Optimiser steps: the formulas, by NumPy, and all parameters in one call."""
