"""Names that programs import only to test for them or to annotate with: they exist, and are honest.

A package says `from torch.distributed.device_mesh import DeviceMesh` to ask
`isinstance(x, DeviceMesh)`, and runs without one. Such modules and names stand in two tables; they
are made when they are imported. A class of them has no instances, a function raises, naming what is
missing (`rushlight/unsupported.py`). What can be done is not here, but a module of its own.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .. import torch_names, unsupported

DATASET = "that data set"
GRAPHS = "graphs captured from programs (torch.fx, torch.export)"
SYMBOLS = "sizes that are not known while a program runs"
FAKE = "tensors without data that a capture runs on"
MESH = "tensors distributed over several processes (torch.distributed.tensor)"
DISPATCHER = "PyTorch's dispatcher"
INDUCTOR = "PyTorch's code generator"
META = "device='meta', on which nothing is computed"
PIPES = "data pipes, which PyTorch has given up"
WORKERS = "the insides of PyTorch's loader processes"
OVERLAP = "optimisers that step while gradients of other layers are reduced"
STEP = "optimizer.step() after backward()"
HUB = "distributed checkpoints in safetensors files"
FOLDER = "torch.distributed.checkpoint.save and load, whose folders PyTorch reads as well"
SHARDED = "ShardedTensor, the forerunner of DTensor"
PIPELINES = "models that are cut into stages (torch.distributed.pipelining)"
CONTEXT = "attention over sequences that are spread over ranks"
AGENTS = "agents, as PyTorch's launcher has them"
LAUNCHER = "torch.distributed.run, or torch.distributed.launcher.api.elastic_launch"

# module -> (names, what they need, what to do instead); a module without names is one that is
# asked for others below it. What ends in "?" asks whether there is such a thing: the answer is no.
MODULES: dict[str, tuple[str, str, str | None]] = {
    "torch._export": ("", GRAPHS, None),
    "torch._functorch.aot_autograd": ("aot_function aot_module_simplified", GRAPHS, None),
    "torch._guards": ("active_fake_mode? detect_fake_mode? TracingContext Source", FAKE, META),
    "torch._higher_order_ops.flex_attention": ("flex_attention", GRAPHS, None),
    "torch._higher_order_ops.triton_kernel_wrap": ("", "Triton", None),
    "torch._inductor.codecache": ("PyCodeCache", INDUCTOR, None),
    "torch._logging": ("trace_structured warning_once set_logs", GRAPHS, None),
    "torch._C._nvtx": ("", "CUDA's tools", None),
    "torch._functorch.deprecated": (
        "combine_state_for_ensemble functionalize make_functional make_functional_with_buffers "
        "grad grad_and_value hessian jacfwd jacrev jvp vjp vmap",
        DISPATCHER, "torch.func, which has these functions"),
    "torch._subclasses.meta_utils": ("MetaConverter", FAKE, META),
    "torch.nn.utils._named_member_accessor": (
        "NamedMemberAccessor swap_tensor", DISPATCHER, "torch.func.functional_call"),
    "torch._subclasses.functional_tensor": ("FunctionalTensor FunctionalTensorMode", FAKE, META),
    "torch.distributed._shard": ("", MESH, None),
    "torch.distributed._shard.sharded_tensor": ("ShardedTensor Shard", MESH, None),
    "torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook": (
        "hook_with_zero_step hook_with_zero_step_interleaved", OVERLAP, STEP),
    "torch.distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks": (
        "_apply_optim_in_backward_hook _hook_then_optimizer _OptimizerHookState", OVERLAP, STEP),
    "torch.distributed.checkpoint._consolidate_hf_safetensors": (
        "consolidate_safetensors_files consolidate_safetensors_files_on_every_rank", HUB, FOLDER),
    "torch.distributed.checkpoint.hf_storage": (
        "HuggingFaceStorageReader HuggingFaceStorageWriter", HUB, FOLDER),
    "torch.distributed.checkpoint.optimizer": (
        "load_sharded_optimizer_state_dict", SHARDED,
        "torch.distributed.checkpoint.state_dict.set_optimizer_state_dict"),
    "torch.distributed.elastic.agent": ("", AGENTS, LAUNCHER),
    "torch.distributed.elastic.agent.server": (
        "ElasticAgent RunResult SimpleElasticAgent Worker WorkerGroup WorkerSpec WorkerState",
        AGENTS, LAUNCHER),
    "torch.distributed.elastic.agent.server.api": (
        "RunResult SimpleElasticAgent WorkerGroup WorkerSpec WorkerState", AGENTS, LAUNCHER),
    "torch.distributed.elastic.agent.server.local_elastic_agent": (
        "LocalElasticAgent", AGENTS, LAUNCHER),
    "torch.distributed.elastic.events": ("Event EventSource record", AGENTS, None),
    "torch.distributed.elastic.metrics": ("configure put_metric prof", AGENTS, None),
    "torch.distributed.elastic.timer": (
        "LocalTimerClient LocalTimerServer TimerClient TimerServer configure expires", AGENTS,
        "the timeout of init_process_group"),
    "torch.distributed.pipelining": (
        "PipelineStage pipeline SplitPoint ScheduleGPipe Schedule1F1B pipe_split", PIPELINES, None),
    "torch.distributed.tensor.experimental._attention": (
        "context_parallel context_parallel_unshard set_rotate_method", CONTEXT, None),
    "torch.export": ("Dim ExportedProgram export", GRAPHS, None),
    "torch.fx.passes": ("", GRAPHS, None),
    "torch.fx.passes.shape_prop": ("ShapeProp", GRAPHS, None),
    "torch.utils.data.graph_settings": (
        "apply_random_seed apply_sharding apply_shuffle_settings", PIPES,
        "DataLoader(shuffle=True)"),
    "torch.utils.data.datapipes": ("", PIPES, None),
    "torch.utils.data.datapipes.datapipe": (
        "DataChunk IterDataPipe MapDataPipe _IterDataPipeSerializationWrapper "
        "_MapDataPipeSerializationWrapper", PIPES, "Dataset or IterableDataset"),
    "torch.utils.data._utils.signal_handling": (
        "_set_worker_signal_handlers _set_worker_pids _remove_worker_pids "
        "_error_if_any_worker_fails", WORKERS, "torch.utils.data.DataLoader"),
}  # fmt: skip

NAMES: dict[str, tuple[str, str, str | None]] = {
    "torch": (
        "SymInt SymFloat SymBool Stream Event ScriptObject", SYMBOLS + " or such objects", None),
    "torchvision.datasets": (
        "HMDB51 Kinetics UCF101 KittiFlow Sintel FlyingChairs FlyingThings3D HD1K "
        "Kitti2012Stereo Kitti2015Stereo CarlaStereo Middlebury2014Stereo CREStereo "
        "FallingThingsStereo SceneFlowStereo SintelStereo InStereo2k ETH3DStereo",
        DATASET,
        "ImageFolder, for images in folders",
    ),
    "torch.distributed.distributed_c10d": (
        "_new_process_group_helper", "PyTorch's own classes of process groups", "new_group"),
    "torch.distributed.tensor.experimental": ("context_parallel", CONTEXT, None),
    "torch.utils.data": ("IterDataPipe MapDataPipe", PIPES, "Dataset or IterableDataset"),
    "torch.utils.data.dataloader": (
        "_InfiniteConstantSampler _sharding_worker_init_fn", WORKERS, "DataLoader"),
    "torch.utils.data._utils.worker": (
        "_generate_state _IterableDatasetStopIteration _ResumeIteration ManagerWatchdog",
        WORKERS, "DataLoader"),
}


def named(full: str, told: tuple[str, str, str | None]) -> Any:
    """The class or function that stands for a name."""
    name = full.rpartition(".")[2].lstrip("_")
    if full.endswith("?"):
        return lambda *args, **kw: None
    make = unsupported.absent_class if name[0].isupper() else unsupported.function
    return make(full, told[1], told[2])


def ask(module: ModuleType, name: str) -> Any:
    """A name of the tables, now in its module, or a module of them; None for others."""
    where = torch_names.shown(module.__name__)
    made = make(f"{where}.{name}")  # PyTorch imports its parts itself, so programs need not
    if made is not None:
        return sys.modules.setdefault(made.__name__, made)
    told = NAMES.get(where)
    if told is None or name not in told[0].split():
        return None
    found = named(f"{where}.{name}", told)
    setattr(module, name, found)
    return found


def make(full: str) -> ModuleType | None:
    """The module of the tables that is called so; None if there is none."""
    told = MODULES.get(full)
    if told is None:
        return None
    module: Any = ModuleType(full, f"Names of PyTorch's {full}, which need {told[1]}.")
    module.__path__ = []
    module.__package__ = full
    module.__spec__ = ModuleSpec(full, None, is_package=True)
    for name in told[0].split():
        setattr(module, name.rstrip("?"), named(f"{full}.{name}", told))
    parent = sys.modules.get(full.rpartition(".")[0])
    if parent is not None:
        setattr(parent, full.rpartition(".")[2], module)
    return module  # type: ignore[no-any-return]
