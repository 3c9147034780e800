"""What all models share: trained weights and where they are, and a register of builders by name.

A builder is a function such as `resnet18(*, weights=None, progress=True, **kwargs)`. `builder`
registers it, checks its weights and accepts the calls of older programs. The networks are in the
files next to this one, one file a family.

Read next: `resnet.py`.
"""

from __future__ import annotations

import fnmatch
import functools
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any, TypeVar, get_args, get_type_hints

from ...errors import message
from ...nn import Module
from ..transforms._presets import ImageClassification
from ..transforms.functional import InterpolationMode
from ._meta import _IMAGENET_CATEGORIES

__all__ = [
    "Weights",
    "WeightsEnum",
    "get_model",
    "get_model_builder",
    "get_model_weights",
    "get_weight",
    "list_models",
]

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M", bound=Module)

BUILTIN_MODELS: dict[str, Callable[..., Any]] = {}
_WEIGHTS: dict[str, type[WeightsEnum]] = {}
# Packages below this one, loaded when they are asked for.
PARTS = ("detection", "optical_flow", "quantization", "segmentation", "video")
_FILES = "https://download.pytorch.org/models/"
_PAGES = "https://github.com/pytorch/vision/"
_RECIPES = _PAGES + "tree/main/references/classification"


@dataclass(eq=False)
class Weights:
    """One set of trained values: its address, the transforms it was trained with, facts on it."""

    url: str
    transforms: Callable[..., Any]
    meta: dict[str, Any]

    def __eq__(self, other: object) -> bool:
        # Copies and pickles of an enum member are looked up by value, and two partial objects
        # are never equal.
        if not isinstance(other, Weights):
            return NotImplemented
        mine, theirs = self.transforms, other.transforms
        if isinstance(mine, functools.partial) and isinstance(theirs, functools.partial):
            same = (mine.func, mine.args, mine.keywords) == (
                theirs.func,
                theirs.args,
                theirs.keywords,
            )
        else:
            same = mine == theirs
        return same and (self.url, self.meta) == (other.url, other.meta)

    __hash__ = None  # type: ignore[assignment]


class WeightsEnum(Enum):
    """The trained weights of one builder, by name; `DEFAULT` is the best of them."""

    @classmethod
    def verify(cls, obj: Any) -> Any:
        """A member of this enum from a member, its name (with or without the class), or None."""
        if isinstance(obj, str):
            name = obj.removeprefix(cls.__name__ + ".")
            try:
                return cls[name]
            except KeyError:
                raise KeyError(
                    f"{cls.__name__} has no {name!r}; it has {', '.join(cls.__members__)}"
                ) from None
        if obj is not None and not isinstance(obj, cls):
            raise TypeError(
                message(
                    "Invalid Weight class provided",
                    got=f"{obj!r} of {type(obj).__name__}",
                    wanted=f"expected {cls.__name__}, one of {', '.join(cls.__members__)}",
                )
            )
        return obj

    def get_state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The values, downloaded once (`rushlight.hub.load_state_dict_from_url`)."""
        from ...hub import load_state_dict_from_url

        return load_state_dict_from_url(self.url, *args, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self._name_}"

    @property
    def url(self) -> str:
        return self.value.url

    @property
    def transforms(self) -> Callable[..., Any]:
        """Call it for the preprocessing of one image."""
        return self.value.transforms

    @property
    def meta(self) -> dict[str, Any]:
        """ "categories" (class names), "num_params", "min_size", "recipe", metrics."""
        return self.value.meta


def imagenet(
    file: str,
    params: int,
    top1: float,
    top5: float,
    gflops: float,
    megabytes: float,
    recipe: str,
    *,
    min_size: tuple[int, int] = (1, 1),
    crop: int = 224,
    bicubic: bool = False,
    classes: bool = True,
    **preset: Any,
) -> Weights:
    """Weights of PyTorch's server trained on ImageNet-1K, and how images are prepared for them.

    `recipe` is an address, whole, below torchvision's pages, or "#part" of its page of recipes.
    """
    base = {"h": "", "#": _RECIPES}.get(recipe[0], _PAGES)
    preset["crop_size"] = crop
    if bicubic:
        preset["interpolation"] = InterpolationMode.BICUBIC
    meta = {
        "categories": _IMAGENET_CATEGORIES if classes else None,
        "num_params": params,
        "min_size": min_size,
        "recipe": base + recipe,
        "_metrics": {"ImageNet-1K": {"acc@1": top1, "acc@5": top5}},
        "_ops": gflops,
        "_file_size": megabytes,
    }
    if "_swag-" in file:
        meta["license"] = "https://github.com/facebookresearch/SWAG/blob/main/LICENSE"
    return Weights(_FILES + file, functools.partial(ImageClassification, **preset), meta)


# -- building ----------------------------------------------------------------------------------


def register_model(name: str | None = None) -> Callable[[F], F]:
    """Make a function known to `get_model` under its own name, or under `name`."""

    def decorate(function: F) -> F:
        key = function.__name__ if name is None else name
        if key in BUILTIN_MODELS:
            raise ValueError(f"An entry is already registered under the name '{key}'.")
        BUILTIN_MODELS[key] = function
        return function

    return decorate


def builder(
    weights: type[WeightsEnum],
    pretrained: str = "IMAGENET1K_V1",
    backbone: WeightsEnum | None = None,
) -> Callable[[F], F]:
    """Register a builder, check its weights, and accept `pretrained=` and positional calls.

    Args:
        pretrained: the member that `pretrained=True` of older programs means.
        backbone: what `pretrained_backbone=True` means, where there is a `weights_backbone`.
    """
    kinds = {"weights": ("pretrained", weights, weights.__members__.get(pretrained))}
    if backbone is not None:
        kinds["weights_backbone"] = ("pretrained_backbone", type(backbone), backbone)

    def decorate(build: F) -> F:
        @functools.wraps(build)
        def call(*args: Any, **kwargs: Any) -> Any:
            if args:
                kwargs = _named(build, args, kwargs)
            for name, (old, kind, chosen) in kinds.items():
                given = kwargs.get(name)
                if old in kwargs or not (given is None or isinstance(given, (str, Enum))):
                    kwargs = _modern(kind, chosen, name, old, build.__name__, kwargs)
                if name in kwargs:
                    kwargs = {**kwargs, name: kind.verify(kwargs[name])}
            return build(**kwargs)

        call.weights_enum = weights  # type: ignore[attr-defined]
        _WEIGHTS[weights.__name__] = weights
        return register_model()(call)  # type: ignore[return-value]

    return decorate


def _named(
    build: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Arguments given by position, as torchvision took them before 0.13."""
    name = build.__name__
    order = [
        p.name for p in inspect.signature(build).parameters.values() if p.kind is p.KEYWORD_ONLY
    ]
    if len(args) > len(order):
        raise TypeError(
            f"{name}() takes at most {len(order)} arguments by position but got {len(args)}"
        )
    found = dict(zip(order, args, strict=False))
    if twice := found.keys() & kwargs.keys():
        raise TypeError(f"{name}() got multiple values for argument '{twice.pop()}'")
    warnings.warn(
        f"Using {' and '.join(repr(n) for n in found)} as positional parameter(s) is deprecated "
        "since 0.13 and may be removed in the future. Please use keyword parameter(s) instead.",
        stacklevel=3,
    )
    return {**kwargs, **found}


def _modern(
    kind: type[WeightsEnum],
    member: WeightsEnum | None,
    name: str,
    old: str,
    model: str,
    kwargs: dict[str, Any],
) -> dict[str, Any]:
    """`pretrained=True`, or a bool where `weights` is wanted, in the words of today."""
    kwargs = dict(kwargs)
    if name in kwargs:
        wanted = kwargs.pop(name)
        kwargs.pop(old, None)
    else:
        wanted = kwargs.pop(old)
        warnings.warn(
            f"The parameter '{old}' is deprecated since 0.13 and may be removed in the "
            f"future, please use '{name}' instead.",
            stacklevel=3,
        )
    chosen = member if wanted else None
    if wanted and chosen is None:
        raise ValueError(f"No weights available for model {model}")
    text = (
        f"Arguments other than a weight enum or `None` for '{name}' are deprecated since 0.13 and "
        f"may be removed in the future. The current behavior is equivalent to passing "
        f"`{name}={chosen!r}`."
    )
    if chosen is not None:
        text += f" You can also use `{name}={kind.__name__}.DEFAULT` for the best there are."
    warnings.warn(text, stacklevel=3)
    return {**kwargs, name: chosen}


def fix(kwargs: dict[str, Any], **wanted: Any) -> None:
    """Put `wanted` into `kwargs`; a user who asked for something else is told."""
    for name, value in wanted.items():
        if kwargs.setdefault(name, value) != value:
            raise ValueError(
                f"The parameter '{name}' expected value {value} but got {kwargs[name]} instead."
            )


def assemble(
    make: Callable[..., M], weights: WeightsEnum | None, progress: bool, *args: Any, **kwargs: Any
) -> M:
    """`make(*args, **kwargs)`, with the classes and the values of `weights` if there are any."""
    if weights is None:
        return make(*args, **kwargs)
    if weights.meta.get("categories") is not None:
        fix(kwargs, num_classes=len(weights.meta["categories"]))
    model = make(*args, **kwargs)
    model.load_state_dict(weights.get_state_dict(progress=progress, check_hash=True))
    return model


# -- looking up --------------------------------------------------------------------------------


def load_parts() -> None:
    """Let the builders of all packages below `models` be known."""
    for part in PARTS:
        importlib.import_module(f"{__package__}.{part}")


def list_models(
    module: ModuleType | None = None,
    include: Iterable[str] | str | None = None,
    exclude: Iterable[str] | str | None = None,
) -> list[str]:
    """Names of builders, sorted; `include` and `exclude` are patterns such as "resnet*".

    >>> rushlight.vision.models.list_models(include="vgg1[13]*", exclude="*_bn")
    ['vgg11', 'vgg13']
    """

    def matches(name: str, patterns: Iterable[str] | str) -> bool:
        several = [patterns] if isinstance(patterns, str) else patterns
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in several)

    load_parts()
    include = include if include is None or isinstance(include, str) else list(include)
    exclude = exclude if exclude is None or isinstance(exclude, str) else list(exclude)
    return sorted(
        name
        for name, function in BUILTIN_MODELS.items()
        if (module is None or function.__module__.rsplit(".", 1)[0] == module.__name__)
        and (not include or matches(name, include))
        and (not exclude or not matches(name, exclude))
    )


def get_model_builder(name: str) -> Callable[..., Any]:
    """The function that builds the model of this name."""
    if name.lower() not in BUILTIN_MODELS:
        load_parts()
    try:
        return BUILTIN_MODELS[name.lower()]
    except KeyError:
        near = ", ".join(list_models(include=f"{name.lower()[:4]}*")) or "see list_models()"
        raise ValueError(message(f"Unknown model {name}", wanted=near)) from None


def get_model(name: str, **config: Any) -> Any:
    """A model by name; `config` goes to its builder.

    >>> rushlight.vision.models.get_model("squeezenet1_1", num_classes=10).num_classes
    10
    """
    return get_model_builder(name)(**config)


def get_weight(name: str) -> WeightsEnum:
    """Weights by their full name.

    >>> rushlight.vision.models.get_weight("ResNet50_Weights.IMAGENET1K_V2")
    ResNet50_Weights.IMAGENET1K_V2
    """
    enum, _, member = name.partition(".")
    if not member or "." in member:
        raise ValueError(f"Invalid weight name provided: '{name}'.")
    if enum not in _WEIGHTS:
        load_parts()
    if enum not in _WEIGHTS:
        raise ValueError(f"The weight enum '{enum}' for the specific method couldn't be retrieved.")
    return _WEIGHTS[enum][member]


def get_model_weights(name: str | Callable[..., Any]) -> type[WeightsEnum]:
    """The enum of weights of a builder, or of the model of this name.

    >>> rushlight.vision.models.get_model_weights("alexnet").DEFAULT
    AlexNet_Weights.IMAGENET1K_V1
    """
    function = get_model_builder(name) if isinstance(name, str) else name
    if (known := getattr(function, "weights_enum", None)) is not None:
        return known
    if "weights" not in inspect.signature(function).parameters:
        raise ValueError("The method is missing the 'weights' argument.")
    hint = get_type_hints(function).get("weights")
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, WeightsEnum):
            return kind
    raise ValueError(
        "The WeightsEnum class for the specific method couldn't be retrieved. Make sure the typing "
        "info is correct."
    )
