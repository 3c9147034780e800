"""Public modules that hold nothing of their own: names for what is declared elsewhere, and names of
PyTorch that only say what is not there.

`rushlight/__init__.py` adds this folder to where the package's modules are looked for, so that
`namespaces/fft.py` is `rushlight.fft` and nothing else; hence imports by whole names here.
"""

# Nothing is found as `rushlight.namespaces.fft`: a module under two names would be two modules, and
# each of its classes two classes.
globals()["__path__"] = []
