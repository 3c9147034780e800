"""Programs that say `import torch` run on Rushlight: each test starts a Python of its own."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rushlight import dropin
from rushlight.dropin import missing
from rushlight.torch_version import TorchVersion

ROOT = Path(__file__).parent.parent
Result = subprocess.CompletedProcess[str]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    """Run Python in a folder of its own; the arguments are those after `python`."""

    def start(*args: str, code: int = 0, **env: str) -> Result:
        own = {k: v for k, v in os.environ.items() if not k.startswith(("RUSHLIGHT_", "PYTEST_"))}
        own |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **env}
        done = subprocess.run(
            [sys.executable, *args],
            cwd=tmp_path,
            env=own,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return start


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


# -- imports ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_way_to_import(run, tmp_path: Path) -> None:
    write(
        tmp_path,
        "p.py",
        """
        import sys
        import torch
        import torch.nn as nn
        import torch.nn.functional as F
        import torch.autograd.variable
        import torchvision
        import torchvision.transforms.functional
        from torch import optim, Tensor
        from torch.autograd import Variable
        from torch.cuda.amp import GradScaler
        from torch.nn.modules.loss import CrossEntropyLoss
        from torch.optim.lr_scheduler import StepLR
        from torch.utils.data import DataLoader, Dataset
        from torchvision import datasets, transforms
        import rushlight

        for name in ("", ".nn", ".nn.functional", ".autograd.variable", ".utils.data"):
            assert sys.modules["torch" + name] is sys.modules["rushlight" + name], name
        assert sys.modules["torchvision.transforms"] is sys.modules["rushlight.vision.transforms"]
        assert nn.Linear is rushlight.nn.Linear and Tensor is rushlight.Tensor
        assert nn.__name__ == "torch.nn" and nn.__spec__.name == "rushlight.nn"
        import importlib.util, inspect
        assert "class Linear" in inspect.getsource(nn.Linear)
        assert importlib.util.find_spec("torch.nn") is not None
        assert importlib.util.find_spec("torch.no_such") is None
        print(F.relu(torch.ones(2)).sum().item())
        """,
    )
    assert run("-W", "error", "-m", "rushlight", "p.py").stdout == "2.0\n"


@pytest.mark.slow
def test_versions_that_programs_compare(run) -> None:
    code = """
import importlib.metadata, torch, torchvision, rushlight
major, minor = torch.__version__.split('.')[:2]
assert (int(major), int(minor)) >= (2, 0)
assert torch.__version__ >= '1.9' and torch.__version__ >= (2, 9) and torch.__version__ < '3'
assert isinstance(torch.__version__, str) and torch.__version__.endswith('+rushlight')
assert torch.version.cuda is None and torch.version.hip is None
assert torch.version.__version__ == torch.__version__
assert torchvision.__version__.startswith('0.')
assert importlib.metadata.version('torch') == torch.__version__
assert importlib.metadata.version('torchvision') == torchvision.__version__
print(torch.__version__, torch.version.rushlight)
"""
    import rushlight

    told = run("-m", "rushlight", "-c", code).stdout
    assert told == f"{dropin.API}+rushlight {rushlight.__version__}\n"


def test_version_objects() -> None:
    version = TorchVersion("2.13.0+rushlight")
    packaging = pytest.importorskip("packaging.version")
    assert packaging.parse(version) >= packaging.parse("2.13")
    assert version > "2.9.1"
    assert version >= (2, 13)
    assert version != "2.13"  # the local part counts, as in packaging
    assert version < "2.13.1"
    assert version > "2.13.0rc1"
    assert version == "2.13.0+rushlight"
    assert version != "no version"
    assert {version: 1}["2.13.0+rushlight"] == 1


LACKING = {
    "torch.no_such_thing": ("AttributeError", "torch.no_such_thing"),
    "torch.nn.Linaer": ("AttributeError", "try     torch.nn.Linear"),
    "torch.nn.functional.reluu": ("AttributeError", "torch.nn.functional.relu"),
    "from torch.nn import Linaer": ("ImportError", "try     torch.nn.Linear"),
    "from torch.nn.functional import reluu": ("ImportError", "torch.nn.functional.relu"),
    "from torch.nn.no_such import x": ("ModuleNotFoundError", "No module named 'torch.nn.no_such'"),
    "import torch.no_such.thing": ("ModuleNotFoundError", "torch.no_such"),
    "import torch.utils.mobile_optimizer": ("ModuleNotFoundError", "to do without it"),
    "from torch._C import _VariableFunctions": ("ImportError", "no compiled core"),
    "import torchvision.no_such": ("ModuleNotFoundError", "torchvision.no_such"),
    "torchvision.datasets.MNISTT": ("AttributeError", "try     torchvision.datasets.MNIST"),
}


@pytest.mark.slow
def test_missing_names_are_named(run) -> None:
    code = f"""
import torch, torchvision
for text in {list(LACKING)!r}:
    try:
        exec(text)
    except (AttributeError, ImportError) as error:
        kind = next(k for k in (AttributeError, ModuleNotFoundError, ImportError)
                    if isinstance(error, k))
        print(text, '|', kind.__name__, '|', str(error).replace(chr(10), ' '))
    else:
        print(text, '| nothing was raised')
assert not hasattr(torch, 'no_such_thing') and hasattr(torch, 'nn')
assert getattr(torch.nn, 'NoSuch', None) is None
"""
    lines = run("-m", "rushlight", "-c", code).stdout.splitlines()
    assert len(lines) == len(LACKING)
    for line, (text, (kind, words)) in zip(lines, LACKING.items(), strict=True):
        assert line.startswith(f"{text} | {kind} | "), line
        assert words in line
        assert "rushlight" not in line  # the names are the program's


def test_an_import_of_ours_that_fails_inside_says_what_is_missing(run) -> None:
    code = """
import sys
sys.modules['PIL'] = None
try:
    import torchvision.no_such
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert run("-m", "rushlight", "-c", code).stdout == "torchvision.no_such\n"


@pytest.mark.slow
def test_safetensors(run, tmp_path: Path) -> None:
    code = """
from safetensors.torch import load_file, save_file
from safetensors import safe_open
import safetensors, sys, torch
save_file({'w': torch.arange(3.0)}, 'x.safetensors')
print(load_file('x.safetensors')['w'])
with safe_open('x.safetensors', framework='pt', device='cpu') as file:
    print(file.get_tensor('w').sum().item())
assert sys.modules['safetensors.torch'] is torch.serialization.safetensors
assert safetensors.safe_open is safe_open is torch.serialization.safetensors.safe_open
try:
    from safetensors import no_such_name
except ImportError as error:
    assert "from 'safetensors'" in str(error), error
"""
    assert run("-m", "rushlight", "-c", code).stdout == "tensor([0., 1., 2.])\n3.0\n"
    write(tmp_path, "p.py", code)
    child = "import subprocess, sys; subprocess.run([sys.executable, 'p.py'], check=True)"
    assert run("-m", "rushlight", "-c", child).stdout == "tensor([0., 1., 2.])\n3.0\n"


def test_other_modules_of_safetensors_are_the_packages(run) -> None:
    pytest.importorskip("safetensors")
    code = """
import numpy, safetensors.numpy
file = safetensors.numpy.save({'w': numpy.arange(3)})
print(safetensors.numpy.load(file)['w'].tolist())
"""
    assert run("-m", "rushlight", "-c", code).stdout == "[0, 1, 2]\n"


# -- install and uninstall ----------------------------------------------------------------------


def test_install_and_uninstall(run) -> None:
    code = """
import os, sys, rushlight
before = rushlight.__version__, list(sys.path), dict(os.environ), list(sys.meta_path)
assert not rushlight.dropin.is_installed()
rushlight.dropin.install()
rushlight.dropin.install()
assert rushlight.dropin.is_installed()
import torch, torch.nn, torchvision
assert torch is rushlight and torch.__version__ != before[0]
rushlight.dropin.uninstall()
assert not rushlight.dropin.is_installed()
assert (rushlight.__version__, list(sys.path), dict(os.environ), list(sys.meta_path)) == before
assert not [n for n in sys.modules if n.partition('.')[0] in ('torch', 'torchvision')]
assert '__getattr__' not in vars(rushlight.nn.modules.linear)
"""
    run("-c", code)


def test_a_torch_that_is_there_already_is_an_error(run, tmp_path: Path) -> None:
    write(tmp_path, "torch.py", "x = 1")
    code = "import torch, rushlight; rushlight.dropin.install()"
    told = run("-c", code, code=1).stderr
    assert "the drop-in cannot take the name 'torch'" in told
    assert "before the first import of torch" in told


@pytest.mark.slow
def test_install_beside_a_torch_on_disk(run, tmp_path: Path) -> None:
    write(tmp_path, "torch/__init__.py", "raise SystemExit('the other torch was imported')")
    run("-m", "rushlight", "-c", "import torch, torch.nn; torch.nn.Linear(1, 1)")


# -- scripts, modules, code ---------------------------------------------------------------------

ABOUT = """
import os, sys
print(__name__, sys.argv, os.path.basename(globals().get('__file__', '-')), __package__)
print(os.path.basename(sys.path[0]), __spec__ is None)
print(sys.modules['__main__'].__dict__ is globals())
"""


@pytest.mark.parametrize("how", ["file", "module", "package", "code", "folder", "zip", "pyc"])
def test_a_program_finds_what_python_gives_it(run, tmp_path: Path, how: str) -> None:
    write(tmp_path, "folder/p.py", ABOUT)
    write(tmp_path, "folder/__main__.py", ABOUT)
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("__main__.py", ABOUT)
    import py_compile

    py_compile.compile(str(tmp_path / "folder" / "p.py"), str(tmp_path / "folder" / "c.pyc"))
    args = {
        "file": ["folder/p.py"],
        "module": ["-m", "folder.p"],
        "package": ["-m", "folder"],
        "code": ["-c", ABOUT],
        "folder": ["folder"],
        "zip": ["p.zip"],
        "pyc": ["folder/c.pyc"],
    }[how]
    args += ["--first", "-m", "x"]
    assert run("-m", "rushlight", *args).stdout == run(*args).stdout


@pytest.mark.slow
def test_tracebacks_hold_the_programs_lines_only(run, tmp_path: Path) -> None:
    write(
        tmp_path,
        "p.py",
        """
        import torch

        def fail():
            torch.ones(2) @ torch.ones(3)

        fail()
        """,
    )
    told = run("-m", "rushlight", "p.py", code=1).stderr
    assert told.startswith(f'Traceback (most recent call last):\n  File "{tmp_path}/p.py", line 7')
    assert "dropin" not in told
    assert "runpy" not in told
    for bad in ("x = (", "def f():\nreturn 1"):
        write(tmp_path, "bad.py", bad)
        assert run("-m", "rushlight", "bad.py", code=1).stderr == run("bad.py", code=1).stderr
    hooked = "import sys\nsys.excepthook = lambda t, v, tb: print('mine', tb.tb_lineno)\n1 / 0"
    write(tmp_path, "hook.py", hooked)
    assert run("-m", "rushlight", "hook.py", code=1).stdout == "mine 3\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "rc"),
    [("import sys; sys.exit(7)", 7), ("raise SystemExit('why')", 1), ("1/0", 1), ("pass", 0)],
)
def test_exit_codes(run, code: str, rc: int) -> None:
    run("-m", "rushlight", "-c", code, code=rc)


@pytest.mark.slow
def test_what_a_program_leaves_open_is_written_at_its_end(run, tmp_path: Path) -> None:
    """As Python does it, though the file hangs in a cycle, and from something of the package."""
    write(tmp_path, "leave.py", """
        import torch

        class Log:
            def __init__(self, path):
                self.file, self.me = open(path, "w"), self
                self.file.write("words")

        log = Log("mine.txt")
        torch.Tensor.log = Log("hung.txt")
        """)  # fmt: skip
    run("-m", "rushlight", "leave.py")
    assert [(tmp_path / f"{k}.txt").read_text() for k in ("mine", "hung")] == ["words"] * 2


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_ends_as_python_does(run) -> None:
    import signal

    told = run("-m", "rushlight", "-c", "raise KeyboardInterrupt", code=-signal.SIGINT)
    assert "KeyboardInterrupt" in told.stderr


@pytest.mark.slow
def test_a_script_that_is_not_there(run) -> None:
    assert "can't open file" in run("-m", "rushlight", "none.py", code=2).stderr
    assert "No module named none" in run("-m", "rushlight", "-m", "none", code=1).stderr
    assert "Argument expected" in run("-m", "rushlight", "-m", code=2).stderr
    assert "unknown option" in run("-m", "rushlight", "--nothing", code=2).stderr


@pytest.mark.slow
def test_misspelt_commands_and_files(run, tmp_path: Path) -> None:
    write(tmp_path, "train.py", "")
    for wrong, near in (("explian", "explain"), ("train", "train.py"), ("trian.py", "train.py")):
        told = run("-m", "rushlight", wrong, code=2).stderr
        assert f"try     python -m rushlight {near}\n" in told
    assert "unknown option --inof: --info?" in run("-m", "rushlight", "--inof", code=2).stderr
    told = run("-m", "rushlight", "explain", "--txt", "train.py", code=2).stderr
    assert "unknown option --txt: --text?" in told
    told = run("-m", "rushlight", "explain", "none.py", code=2).stderr
    assert "can't open file" in told
    assert not (tmp_path / "explain.html").exists()  # there is nothing to tell


@pytest.mark.slow
def test_an_error_of_ours_shows_the_programs_lines(run, tmp_path: Path) -> None:
    write(
        tmp_path,
        "p.py",
        """
        import sys
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(4, 1))

            def forward(self, x):
                return self.layers(x)

        if "own" in sys.argv:
            torch.nn.Module.forward = lambda self, x: 1 / 0
            torch.nn.Module()(3)
        if "inside" in sys.argv:
            torch.nn.functional.linear = lambda *_: None + 1  # an error that nobody foresaw
        Net()(torch.ones(1, 2))
        """,
    )
    told = run("-m", "rushlight", "p.py", code=1).stderr
    assert "mat1 and mat2 shapes" in told
    assert "in module: layers.1" in told
    assert told.count("  File ") == told.count(f'  File "{tmp_path}/p.py"') == 2
    assert "lines of Rushlight's own are left out; RUSHLIGHT_TRACEBACK=1" in told
    whole = run("-m", "rushlight", "p.py", code=1, RUSHLIGHT_TRACEBACK="1").stderr
    assert "containers.py" in whole
    assert "left out" not in whole
    for how in ("own", "inside"):  # what we did not raise is shown as it came
        told = run("-m", "rushlight", "p.py", how, code=1).stderr
        assert "module.py" in told
        assert "left out" not in told


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("torch.rellu", "torch.relu or"),
        ("torch.Linear", "torch.nn.Linear"),
        ("torch.nn.Adam", "torch.optim.Adam"),
        ("torch.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.optim.StepLR", "torch.optim.lr_scheduler.StepLR"),
        ("torch.nn.MSE", "torch.nn.MSELoss"),
        ("torch.array", "torch.tensor"),
        ("torch.rfft", "torch.fft.rfft"),
        ("torch.gels", "torch.linalg.lstsq"),
    ],
)
def test_names_are_found_where_they_are(name: str, where: str) -> None:
    parent, _, last = name.rpartition(".")
    module = importlib.import_module("rushlight" + parent[5:])
    error = missing.NoAttribute(module, last)
    assert str(error).startswith(f"module '{parent}' has no attribute '{last}'")
    assert f"\n  try     {where}" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is AttributeError
    assert str(again) == str(error)


@pytest.mark.slow
def test_sources_declare_their_encoding(run, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_bytes("# coding: latin-1\nprint(ascii('é'))".encode("latin-1"))
    assert run("-m", "rushlight", "p.py").stdout == "'\\xe9'\n"


@pytest.mark.long
def test_pytest_pdb_and_profilers_run_under_it(run, tmp_path: Path) -> None:
    write(tmp_path, "test_p.py", "import torch\ndef test_p():\n    assert torch.ones(2).sum() == 2")
    assert "1 passed" in run("-m", "rushlight", "-m", "pytest", "-q", "test_p.py").stdout
    write(tmp_path, "p.py", "import torch\nprint(torch.ones(2).sum())")
    assert "tensor(2.)" in run("-m", "rushlight", "-m", "cProfile", "p.py").stdout
    assert "tensor(2.)" in run("-m", "rushlight", "-m", "pdb", "-c", "c", "-c", "q", "p.py").stdout
    assert "tensor(2.)" in run("-m", "cProfile", "-m", "rushlight", "p.py").stdout


# -- children -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
@pytest.mark.parametrize("how", ["file", pytest.param("module", marks=pytest.mark.slow)])
def test_children_of_multiprocessing(run, tmp_path: Path, method: str, how: str) -> None:
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"{method} is not on this platform")
    write(
        tmp_path,
        "p.py",
        f"""
        import multiprocessing
        import torch
        from torch import nn

        class Net(nn.Module):  # of __main__: a child must import this file to unpickle it
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 1)

        def work(queue, net):
            queue.put((type(net.layer).__module__, torch.__version__, __name__))

        if __name__ == "__main__":
            context = multiprocessing.get_context("{method}")
            queue = context.Queue()
            child = context.Process(target=work, args=(queue, Net()))
            child.start()
            print(queue.get())
            child.join()
        """,
    )
    told = run("-m", "rushlight", *(["p.py"] if how == "file" else ["-m", "p"])).stdout
    name = "__main__" if method == "fork" else "__mp_main__"
    assert told == f"{('torch.nn.modules.linear', f'{dropin.API}+rushlight', name)}\n"


@pytest.mark.slow
def test_children_started_as_commands(run, tmp_path: Path) -> None:
    write(tmp_path, "child.py", "import torchvision, torch.nn\nprint(torch.__version__)")
    code = """
import os, subprocess, sys
subprocess.run([sys.executable, 'child.py'], check=True)
os.chdir('/')
subprocess.run([sys.executable, '-c', 'import torch.nn.functional; print(torch.__name__)'])
"""
    told = run("-m", "rushlight", "-c", code).stdout
    assert told == f"{dropin.API}+rushlight\ntorch\n"


@pytest.mark.slow
def test_children_may_be_left_out(run, tmp_path: Path) -> None:
    write(tmp_path, "torch.py", "print('the other torch')")
    call = "subprocess.run([sys.executable, '-c', 'import torch'], check=True"
    code = f"""
import os, subprocess, sys
{call}, env=os.environ | {{'RUSHLIGHT_DROPIN': '0'}})
{call}, env=os.environ | {{'RUSHLIGHT_DROPIN': '/another/environment'}})
"""
    told = run("-m", "rushlight", "-c", code, PYTHONSAFEPATH="1", PYTHONPATH=f"{ROOT}:{tmp_path}")
    assert told.stdout == "the other torch\n" * 2


@pytest.mark.slow
def test_found_in_the_current_folder_only(run, tmp_path: Path) -> None:
    """`python -m rushlight` in a checkout, without an installation."""
    write(
        tmp_path, "p.py", "import subprocess, sys, torch\nsubprocess.run([sys.executable, 'q.py'])"
    )
    write(tmp_path, "q.py", "import torch\nprint(torch.ones(1).item())")
    (tmp_path / "rushlight").symlink_to(ROOT / "rushlight")
    assert run("-m", "rushlight", "p.py", PYTHONPATH="").stdout == "1.0\n"


# -- the command --------------------------------------------------------------------------------


@pytest.mark.slow
def test_info_version_help(run) -> None:
    import numpy

    told = run("-m", "rushlight", "--info").stdout
    for word in ("Rushlight", "PyTorch 2.", "Python", "CPU", "features", "threads", "caches"):
        assert word in told
    assert f"numpy {numpy.__version__}" in told
    assert dropin.API in run("-m", "rushlight", "--version").stdout
    assert "usage: python -m rushlight" in run("-m", "rushlight", "--help").stdout
    assert "usage:" in run("-m", "rushlight", code=2).stdout


@pytest.mark.slow
def test_the_cache_of_kernels(run, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    name = ["-m", "rushlight", "cache"]
    assert "0 compiled kernels" in run(*name, "info", RUSHLIGHT_CACHE=str(kept)).stdout
    (kept / "kernels").mkdir(parents=True)
    for file in ("silu-1.o", ".half-written.o.77.1", "somebody's notes.txt"):
        (kept / "kernels" / file).write_bytes(b"x")
    assert "2 compiled kernels" in run(*name, "info", RUSHLIGHT_CACHE=str(kept)).stdout
    assert "removed 2" in run(*name, "clear", RUSHLIGHT_CACHE=str(kept)).stdout
    assert [p.name for p in (kept / "kernels").iterdir()] == ["somebody's notes.txt"]
    assert "not kept" in run(*name, "info", RUSHLIGHT_CACHE="").stdout


def test_imports_of_other_names_pass_by_the_finder() -> None:
    """What the finder does for a foreign name is one look into a set."""
    from rushlight.dropin.finder import FINDER, SEEN

    assert FINDER.find_spec("json.decoder", None) is None
    assert {"torch", "torchvision", "functorch", "safetensors", "rushlight"} == SEEN
