"""FakeData: random images, for trying a program without any files."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from .._pillow import pillow
from .vision import Transform, VisionDataset


class FakeData(VisionDataset):
    """Random images and labels, the same for the same index, and torchvision's.

    Args:
        size: how many.
        image_size: channels, height and width.
        num_classes: labels lie below it.
        transform, target_transform: applied to each image (of Pillow's) and label (a tensor).
        random_offset: added to the index to make the seed of a sample.

    >>> image, label = FakeData(size=10, image_size=(3, 4, 5))[0]
    >>> image.size, image.mode, label
    ((5, 4), 'RGB', 9)
    """

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, int, int] = (3, 224, 224),
        num_classes: int = 10,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        random_offset: int = 0,
    ) -> None:
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        import rushlight

        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        # A generator of its own: the numbers of the program around are not disturbed.
        source = rushlight.Generator().manual_seed(index + self.random_offset)
        noise = rushlight.randn(*self.image_size, generator=source)
        target = rushlight.randint(0, self.num_classes, size=(1,), generator=source)[0]
        image, target = self._transformed(_as_image(noise), target)
        return image, target.item() if hasattr(target, "item") else target

    def __len__(self) -> int:
        return self.size


def _as_image(noise: Any) -> Any:
    """Numbers times 255, their last eight bits: what a conversion to bytes makes of negatives."""
    array = (noise * 255).to(dtypes.int32).numpy().astype("uint8").transpose(1, 2, 0)
    return pillow().fromarray(array[:, :, 0].copy() if array.shape[2] == 1 else array.copy())
