"""Small made-up folders in the layouts of the data sets. Not a test file: `test_files.py` reads it.

`LAYOUTS` has, for each class of `rushlight.vision.datasets`, a function that writes its files below
a folder, and the arguments with which the class is made.
"""

from __future__ import annotations

import bz2
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from .test_others import mat


def picture(path: Path, number: int = 0, mode: str = "RGB", size: tuple[int, int] = (6, 4)) -> None:
    """An image whose pixels say which one it is."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (size[1], size[0], 3) if mode == "RGB" else (size[1], size[0])
    pixels = (np.arange(np.prod(shape)).reshape(shape) % 7 + 20 * number).astype(np.uint8)
    image = Image.fromarray(pixels)
    if mode == "P":
        image.putpalette(list(range(256)) * 3)
    image.save(path, **({"quality": 100} if path.suffix == ".jpg" else {}))


def text(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def numbers(path: Path, **arrays: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(mat({k: np.asarray(v, np.uint8) for k, v in arrays.items()}, packed=True))


def food101(root: Path) -> None:
    base = root / "food-101"
    text(base / "meta" / "train.json", json.dumps({"b_cake": ["b_cake/7"], "a_pie": ["a_pie/3"]}))
    text(base / "meta" / "test.json", json.dumps({"b_cake": [], "a_pie": ["a_pie/4"]}))
    for i, name in enumerate(("b_cake/7", "a_pie/3", "a_pie/4")):
        picture(base / "images" / f"{name}.jpg", i)


def dtd(root: Path) -> None:
    base = root / "dtd" / "dtd"
    text(base / "labels" / "val2.txt", "dotted/x.jpg\nbanded/y.jpg\n")
    picture(base / "images" / "dotted" / "x.jpg", 1)
    picture(base / "images" / "banded" / "y.jpg", 2)


def aircraft(root: Path) -> None:
    data = root / "fgvc-aircraft-2013b" / "data"
    text(data / "families.txt", "A300\nBoeing 707\n")
    text(data / "images_family_test.txt", "0000001 Boeing 707\n0000002 A300\n")
    picture(data / "images" / "0000001.jpg", 1)
    picture(data / "images" / "0000002.jpg", 2)


def sun397(root: Path) -> None:
    text(root / "SUN397" / "ClassName.txt", "/a/abbey\n/a/apse/indoor\n")
    picture(root / "SUN397" / "a" / "abbey" / "sun_1.jpg", 1)
    picture(root / "SUN397" / "a" / "apse" / "indoor" / "sun_2.jpg", 2)


def clevr(root: Path) -> None:
    base = root / "clevr" / "CLEVR_v1.0"
    scenes = [{"image_filename": f"CLEVR_val_{i}.png", "objects": [0] * (i + 3)} for i in (0, 1)]
    text(base / "scenes" / "CLEVR_val_scenes.json", json.dumps({"scenes": scenes}))
    for i in (0, 1):
        picture(base / "images" / "val" / f"CLEVR_val_{i}.png", i)
    picture(base / "images" / "test" / "CLEVR_test_0.png", 5)


def classes_of(*folders: str, ending: str = "png") -> Any:
    """A builder: an image in each of these folders."""

    def build(root: Path) -> None:
        for i, folder in enumerate(folders):
            picture(root / folder / f"{i}.{ending}", i)

    return build


def gtsrb(root: Path) -> None:
    base = root / "gtsrb" / "GTSRB"
    picture(base / "Training" / "00000" / "00000_00000.ppm", 1)
    picture(base / "Training" / "00001" / "00000_00001.ppm", 2)
    picture(base / "Final_Test" / "Images" / "00000.ppm", 3)
    head = "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\n"
    text(root / "gtsrb" / "GT-final_test.csv", head + "00000.ppm;6;4;0;0;5;3;16\n")


def flowers(root: Path) -> None:
    base = root / "flowers-102"
    numbers(base / "imagelabels.mat", labels=[[77, 1, 102]])
    numbers(base / "setid.mat", trnid=[[2, 3]], valid=[[3, 1]], tstid=[[1]])
    for i in (1, 2, 3):
        picture(base / "jpg" / f"image_{i:05d}.jpg", i)


def caltech101(root: Path) -> None:
    base = root / "caltech101"
    for i, name in enumerate(("BACKGROUND_Google", "Faces", "ant")):
        picture(base / "101_ObjectCategories" / name / "image_0001.jpg", i)
    picture(base / "101_ObjectCategories" / "ant" / "image_0002.jpg", 3)
    for name in ("Faces_2/annotation_0001", "ant/annotation_0001", "ant/annotation_0002"):
        numbers(base / "Annotations" / f"{name}.mat", obj_contour=[[1, 2, 3], [4, 5, 6]])


def caltech256(root: Path) -> None:
    base = root / "caltech256" / "256_ObjectCategories"
    picture(base / "001.ak47" / "001_0001.jpg", 1)
    picture(base / "002.flag" / "002_0001.jpg", 2)
    text(base / "002.flag" / "RENAME2", "")


def celeba(root: Path) -> None:
    base = root / "celeba"
    names = ["000001.jpg", "000002.jpg", "000003.jpg"]
    text(base / "list_eval_partition.txt", "".join(f"{n} {i % 2}\n" for i, n in enumerate(names)))
    text(base / "identity_CelebA.txt", "".join(f"{n} {i + 9}\n" for i, n in enumerate(names)))
    text(
        base / "list_bbox_celeba.txt",
        "3\nimage_id x_1 y_1 width height\n"
        + "".join(f"{n}    {i}  1 {i + 2} 3\n" for i, n in enumerate(names)),
    )
    text(
        base / "list_landmarks_align_celeba.txt",
        "3\nlefteye_x lefteye_y\n" + "".join(f"{n} {i}  {i + 1}\n" for i, n in enumerate(names)),
    )
    rows = "".join(f"{n} -1  1 {1 - 2 * (i % 2)}\n" for i, n in enumerate(names))
    text(base / "list_attr_celeba.txt", "3\nBald Bangs Young\n" + rows)
    for i, name in enumerate(names):
        picture(base / "img_align_celeba" / name, i)


ANNOTATION = """<annotation><folder>VOC2012</folder><size><width>6</width><height>4</height></size>
<object><name>cat</name><bndbox><xmin>1</xmin><ymin>0</ymin><xmax>5</xmax><ymax>3</ymax></bndbox>
</object>{}<segmented>0</segmented></annotation>"""
SECOND = """<object><name>dog</name><part><name>head</name></part><bndbox><xmin>2</xmin>
<ymin>1</ymin><xmax>4</xmax><ymax>2</ymax></bndbox></object>"""


def voc(root: Path) -> None:
    base = root / "VOCdevkit" / "VOC2012"
    for folder in ("Main", "Segmentation"):
        text(base / "ImageSets" / folder / "train.txt", "2007_01\n2007_02\n")
    for i, name in enumerate(("2007_01", "2007_02")):
        picture(base / "JPEGImages" / f"{name}.jpg", i)
        picture(base / "SegmentationClass" / f"{name}.png", i, "P")
        text(base / "Annotations" / f"{name}.xml", ANNOTATION.format(SECOND * i))


def coco(root: Path) -> None:
    images = [{"id": i, "file_name": f"{i}.jpg", "height": 4, "width": 6} for i in (9, 4, 6)]
    polygon = [[1, 1, 5, 1, 5, 3, 1, 3]]
    things = [
        {"id": 1, "image_id": 9, "category_id": 3, "bbox": [1, 1, 4, 2], "area": 8.0,
         "iscrowd": 0, "segmentation": polygon, "caption": "a box"},
        {"id": 2, "image_id": 4, "category_id": 1, "bbox": [0, 0, 2, 2], "area": 4.0,
         "iscrowd": 1, "segmentation": {"counts": [0, 2, 2, 2, 18], "size": [4, 6]},
         "caption": "a corner"},
        {"id": 3, "image_id": 9, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1.0,
         "iscrowd": 0, "segmentation": [[0, 0, 1, 0, 1, 1]], "caption": "another"},
    ]  # fmt: skip
    kinds = [{"id": i, "name": n, "supercategory": "x"} for i, n in ((1, "cat"), (3, "box"))]
    content = {"images": images, "annotations": things, "categories": kinds}
    text(root / "instances.json", json.dumps(content))
    for i in (9, 4, 6):
        picture(root / "images" / f"{i}.jpg", i)


def cityscapes(root: Path) -> None:
    for i, stem in enumerate(("aachen/aachen_000000_000019", "bonn/bonn_000001_000019")):
        picture(root / "leftImg8bit" / "train" / f"{stem}_leftImg8bit.png", i)
        target = root / "gtFine" / "train"
        picture(target / f"{stem}_gtFine_instanceIds.png", i, "L")
        picture(target / f"{stem}_gtFine_labelIds.png", i + 1, "L")
        picture(target / f"{stem}_gtFine_color.png", i + 2)
        text(target / f"{stem}_gtFine_polygons.json", json.dumps({"imgHeight": i}))


def kitti(root: Path) -> None:
    base = root / "Kitti" / "raw"
    picture(base / "training" / "image_2" / "000001.png", 1)
    picture(base / "testing" / "image_2" / "000002.png", 2)
    line = "Car 0.00 1 -1.57 1.0 0.5 5.0 3.5 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n"
    text(base / "training" / "label_2" / "000001.txt", line * 2)


def fer2013(root: Path) -> None:
    faces = [" ".join(str((i + j) % 256) for j in range(2304)) for i in range(3)]
    uses = ("Training", "PublicTest", "PrivateTest")
    rows = "".join(f"{i},{faces[i]},{use}\n" for i, use in enumerate(uses))
    text(root / "fer2013" / "fer2013.csv", "emotion,pixels,Usage\n" + rows)


def fer2013_other(root: Path) -> None:
    face = " ".join("7" for _ in range(2304))
    text(root / "fer2013" / "test.csv", f"pixels\n{face}\n")


def flickr8k(root: Path) -> None:
    one = '<tr><td><a href="#">http://flickr.com/me/{0}/</a><ul><li>A {0}.</li><li>B </li></ul>'
    text(root / "page.html", f"<table>{one.format(12)}{one.format(5)}</table>")
    picture(root / "12_ab.jpg", 1)
    picture(root / "5_cd.jpg", 2)


def flickr30k(root: Path) -> None:
    text(root / "captions.token", "b.jpg#0\tTwo men.\na.jpg#0\tA dog.\nb.jpg#1\tMen.\n")
    picture(root / "a.jpg", 1)
    picture(root / "b.jpg", 2)


def inaturalist(root: Path) -> None:
    for i, name in enumerate(("Annelida_Clitellata_A_B_C", "Arthropoda_Insecta_D_E_F")):
        picture(root / "2021_valid" / f"{i:05d}_Animalia_{name}_x" / "1.jpg", i)
    for i, name in enumerate(("Aves/1", "Aves/0", "Fungi/2")):
        picture(root / "2018" / name / "2.jpg", i)
    for i, name in enumerate(("Aves/owl", "Fungi/amanita")):
        picture(root / "2017" / name / "3.jpg", i)


def lfw(root: Path) -> None:
    base = root / "lfw-py"
    text(base / "lfw-funneled.tgz", "")
    text(base / "lfw-names.txt", "Ann_Bee\t2\nCy_Dee\t1\n")
    text(base / "people.txt", "2\n1\nCy_Dee\t1\n1\nAnn_Bee\t2\n")
    text(base / "peopleDevTrain.txt", "1\nAnn_Bee\t2\n")
    text(base / "pairs.txt", "2\t1\n" + "Ann_Bee\t1\t2\nAnn_Bee\t1\tCy_Dee\t1\n" * 2)
    text(base / "pairsDevTest.txt", "1\nAnn_Bee\t2\t1\nCy_Dee\t1\tAnn_Bee\t2\n")
    for i, name in enumerate(("Ann_Bee_0001", "Ann_Bee_0002", "Cy_Dee_0001")):
        picture(base / "lfw_funneled" / name[:-5] / f"{name}.jpg", i)


def moving_mnist(root: Path) -> None:
    (root / "MovingMNIST").mkdir()
    frames = np.arange(20 * 2 * 9, dtype=np.uint32).astype(np.uint8).reshape(20, 2, 3, 3)
    np.save(root / "MovingMNIST" / "mnist_test_seq.npy", frames)


def omniglot(root: Path) -> None:
    base = root / "omniglot-py"
    text(base / "images_background.zip", "")
    for i, name in enumerate(("Greek/character01", "Greek/character02", "Latin/character01")):
        picture(base / "images_background" / name / "01.png", i, "L")


def pets(root: Path) -> None:
    base = root / "oxford-iiit-pet"
    text(base / "annotations" / "trainval.txt", "great_dane_2 2 2 1\nAbyssinian_7 1 1 1\n")
    for i, name in enumerate(("great_dane_2", "Abyssinian_7")):
        picture(base / "images" / f"{name}.jpg", i)
        picture(base / "annotations" / "trimaps" / f"{name}.png", i, "L")


def phototour(root: Path) -> None:
    base = root / "liberty"
    picture(base / "patches0000.bmp", 1, "L", (128, 128))
    text(base / "info.txt", "0 0\n0 0\n1 0\n2 0\n")
    text(base / "m50_100000_100000_0.txt", "0 0 0 1 0 0 0\n1 0 0 3 2 0 0\n")


def places365(root: Path) -> None:
    text(root / "categories_places365.txt", "/a/airfield 0\n/a/alley 1\n")
    text(root / "places365_train_standard.txt", "/a/alley/1.png 1\n/a/airfield/2.png 0\n")
    text(root / "places365_test.txt", "Places365_test_1.png\n")
    picture(root / "data_256_standard" / "a" / "alley" / "1.png", 1)
    picture(root / "data_256_standard" / "a" / "airfield" / "2.png", 2)
    picture(root / "test_large" / "Places365_test_1.png", 3)


def sbu(root: Path) -> None:
    text(root / "SBUCaptionedPhotoDataset.tar.gz", "")
    stem = root / "dataset" / "SBU_captioned_photo_dataset_"
    text(Path(f"{stem}urls.txt"), "http://x/1.jpg\nhttp://x/gone.jpg\nhttp://x/3.jpg\n")
    text(Path(f"{stem}captions.txt"), "One. \nGone.\nThree.\n")
    picture(root / "dataset" / "1.jpg", 1)
    picture(root / "dataset" / "3.jpg", 3)


def semeion(root: Path) -> None:
    pixels = (np.arange(2 * 256).reshape(2, 256) % 3 == 0).astype(int)
    labels = np.eye(10, dtype=int)[[4, 0]]
    np.savetxt(root / "semeion.data", np.hstack([pixels, labels]), fmt="%.4f")


def usps(root: Path) -> None:
    rows = [f"{n} " + " ".join(f"{i}:{(i % 5 - 2) / 2}" for i in range(1, 257)) for n in (3, 10)]
    (root / "usps.t.bz2").write_bytes(bz2.compress("\n".join(rows).encode()))


def widerface(root: Path) -> None:
    base = root / "widerface"
    for part in ("train", "val", "test"):
        picture(base / f"WIDER_{part}" / "images" / "0--Parade" / "1.jpg", 1)
    picture(base / "WIDER_val" / "images" / "0--Parade" / "2.jpg", 2)
    one, none = "1 2 3 4 0 1 0 1 0 0 \n", "0 0 0 0 0 0 0 0 0 0 \n"
    content = f"0--Parade/1.jpg\n2\n{one}{one}0--Parade/2.jpg\n0\n{none}"
    text(base / "wider_face_split" / "wider_face_val_bbx_gt.txt", content)
    text(base / "wider_face_split" / "wider_face_test_filelist.txt", "0--Parade/1.jpg\n")


def _rows(**columns: Any) -> np.ndarray:
    """An array of structures, as MATLAB writes them."""
    length = len(next(iter(columns.values())))
    out = np.zeros((1, length), dtype=[(name, object) for name in columns])
    for name, values in columns.items():
        for i, value in enumerate(values):
            out[name][0, i] = value
    return out


def stanford_cars(root: Path) -> None:
    from scipy.io import savemat

    base = root / "stanford_cars"
    (base / "devkit").mkdir(parents=True)
    names = np.array(["AM General Hummer", "Acura RL"], object)
    savemat(base / "devkit" / "cars_meta.mat", {"class_names": names})
    rows = _rows(**{"fname": ["1.jpg", "2.jpg"], "class": [2, 1]})
    savemat(base / "devkit" / "cars_train_annos.mat", {"annotations": rows})
    picture(base / "cars_train" / "1.jpg", 1)
    picture(base / "cars_train" / "2.jpg", 2)


def sbd(root: Path) -> None:
    from scipy.io import savemat
    from scipy.sparse import csc_matrix

    text(root / "train.txt", "2008_1\n")
    picture(root / "img" / "2008_1.jpg", 1)
    borders = np.zeros((20, 1), object)
    for i in range(20):
        borders[i, 0] = csc_matrix(np.eye(4, 6, dtype=np.uint8) * (i == 3))
    labels = np.arange(24, dtype=np.uint8).reshape(4, 6)
    (root / "cls").mkdir()
    truth = {"Segmentation": labels, "Boundaries": borders}
    savemat(root / "cls" / "2008_1.mat", {"GTcls": truth})


def _tar(path: Path, files: dict[str, bytes], mode: str = "w") -> None:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def imagenet(root: Path) -> None:
    from scipy.io import savemat

    rows = _rows(
        ILSVRC2012_ID=[1, 2, 3],
        WNID=["n02", "n01", "n00"],
        words=["cat, house cat", "dog", "animal"],
        gloss=["", "", ""],
        num_children=[0, 0, 2],
    )
    held = io.BytesIO()
    savemat(held, {"synsets": rows.T})
    base = "ILSVRC2012_devkit_t12/data/"
    files = {
        base + "meta.mat": held.getvalue(),
        base + "ILSVRC2012_validation_ground_truth.txt": b"2\n1\n2\n",
    }
    _tar(root / "ILSVRC2012_devkit_t12.tar.gz", files, "w:gz")
    images = []
    for i in range(3):
        picture(root / "made.png", i)
        images.append((root / "made.png").read_bytes())
    (root / "made.png").unlink()
    valid = {f"ILSVRC2012_val_0000000{i}.JPEG": image for i, image in enumerate(images)}
    _tar(root / "ILSVRC2012_img_val.tar", valid)
    for i, wnid in enumerate(("n01", "n02")):
        _tar(root / f"{wnid}.tar", {f"{wnid}_1.JPEG": images[i]})
    inner = {f"{wnid}.tar": (root / f"{wnid}.tar").read_bytes() for wnid in ("n01", "n02")}
    _tar(root / "ILSVRC2012_img_train.tar", inner)


# Class -> builder and the arguments of each data set to be made of it; "@" is the folder.
LAYOUTS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "Food101": (food101, [{}, {"split": "test"}]),
    "DTD": (dtd, [{"split": "val", "partition": 2}]),
    "FGVCAircraft": (aircraft, [{"split": "test", "annotation_level": "family"}]),
    "SUN397": (sun397, [{}]),
    "CLEVRClassification": (clevr, [{"split": "val"}, {"split": "test"}]),
    "RenderedSST2": (
        classes_of("rendered-sst2/valid/negative", "rendered-sst2/valid/positive"),
        [{"split": "val"}],
    ),
    "Country211": (
        classes_of("country211/valid/AD", "country211/valid/ZW", ending="jpg"),
        [{"split": "valid"}],
    ),
    "EuroSAT": (classes_of("eurosat/2750/Forest", "eurosat/2750/River", ending="jpg"), [{}]),
    "Imagenette": (
        classes_of(
            "imagenette2-160/val/n02102040", "imagenette2-160/val/n03028079", ending="JPEG"
        ),
        [{"split": "val", "size": "160px"}],
    ),
    "GTSRB": (gtsrb, [{}, {"split": "test"}]),
    "Flowers102": (flowers, [{}, {"split": "val"}]),
    "Caltech101": (caltech101, [{}, {"target_type": ["category", "annotation"]}]),
    "Caltech256": (caltech256, [{}]),
    "CelebA": (
        celeba,
        [{}, {"split": "all", "target_type": ["attr", "identity", "bbox", "landmarks"]},
         {"split": "valid", "target_type": []}],
    ),
    "VOCSegmentation": (voc, [{}]),
    "VOCDetection": (voc, [{}]),
    "CocoDetection": (coco, [{"root": "@/images", "annFile": "@/instances.json"}]),
    "CocoCaptions": (coco, [{"root": "@/images", "annFile": "@/instances.json"}]),
    "Cityscapes": (
        cityscapes,
        [{}, {"target_type": ["semantic", "polygon", "color"]}],
    ),
    "Kitti": (kitti, [{}, {"train": False}]),
    "FER2013": (fer2013, [{}, {"split": "test"}]),
    "Flickr8k": (flickr8k, [{"ann_file": "@/page.html"}]),
    "Flickr30k": (flickr30k, [{"ann_file": "@/captions.token"}]),
    "INaturalist": (
        inaturalist,
        [{"version": "2021_valid", "target_type": ["full", "phylum", "genus"]},
         {"version": "2018", "target_type": "super"}, {"version": "2017"}],
    ),
    "LFWPeople": (lfw, [{}, {"split": "train"}]),
    "LFWPairs": (lfw, [{}, {"split": "test"}]),
    "MovingMNIST": (moving_mnist, [{}, {"split": "train", "split_ratio": 4}, {"split": "test"}]),
    "Omniglot": (omniglot, [{}]),
    "OxfordIIITPet": (
        pets,
        [{}, {"target_types": ["category", "binary-category", "segmentation"]},
         {"target_types": []}],
    ),
    "PhotoTour": (phototour, [{"name": "liberty"}, {"name": "liberty", "train": False}]),
    "Places365": (places365, [{"small": True}, {"split": "test"}]),
    "SBU": (sbu, [{"download": False}]),
    "SEMEION": (semeion, [{"download": False}]),
    "USPS": (usps, [{"train": False}]),
    "WIDERFace": (widerface, [{"split": "val"}, {"split": "test"}]),
    "StanfordCars": (stanford_cars, [{}]),
    "SBDataset": (sbd, [{}, {"mode": "segmentation"}]),
    "ImageNet": (imagenet, [{}, {"split": "val"}]),
}  # fmt: skip


def made(module: Any, name: str, folder: Path, arguments: dict[str, Any]) -> Any:
    """The data set of a class, of what its builder wrote below `folder`."""
    given = {
        k: v.replace("@", str(folder)) if isinstance(v, str) else v for k, v in arguments.items()
    }
    return getattr(module, name)(given.pop("root", str(folder)), **given)


def plain(value: Any, folder: Path) -> Any:
    """A sample as plain data that can be compared and printed."""
    if hasattr(value, "getpixel"):
        pixels = np.asarray(value)
        return [value.mode, list(value.size), int(pixels.sum()), pixels.ravel()[:3].tolist()]
    if hasattr(value, "tolist"):
        array = np.asarray(value)
        return [str(array.dtype), list(array.shape), array.astype(np.float64).sum().item()]
    if isinstance(value, dict):
        return {k: plain(v, folder) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(plain(v, folder) for v in value)]
    return value.replace(str(folder), "@") if isinstance(value, str) else value


def told(data: Any, folder: Path) -> dict[str, Any]:
    """What a data set says of itself, and all of its samples."""
    names = ("classes", "class_to_idx", "categories", "attr_names", "wnids", "bin_classes")
    out = {name: plain(getattr(data, name), folder) for name in names if hasattr(data, name)}
    out["samples"] = [plain(data[i], folder) for i in range(len(data))]
    out["repr"] = repr(data).replace(str(folder), "@").splitlines()
    return out
