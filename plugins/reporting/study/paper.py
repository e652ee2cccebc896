"""What the papers show and print, read from the files beside this one."""

from importlib import resources
from typing import ClassVar, Self

import msgspec
from msgspec import Struct


class Paper(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every paper has."""

    file: ClassVar[str]
    not_from_runs: dict[str, str]
    """Why no run can show a part of the paper, by its number."""
    runs: dict[str, str]
    """Options of ``pytest benchmarks`` for the runs that the study needs of each model, by name."""

    @classmethod
    def read(cls) -> Self:
        """Return what the paper shows and prints."""
        content = resources.files(__package__).joinpath(cls.file).read_bytes()
        return msgspec.yaml.decode(content, type=cls)


class Caption(Struct, frozen=True, forbid_unknown_fields=True):
    """What a part is called, and what its readers need to know."""

    file: str
    """Name of its files, without an ending and the model."""
    number: str
    """As the paper names it."""
    title: str
    note: str = ""


class BoxPlots(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of box plots."""

    number: str
    title: str
    tasks: list[str]
    rows: list[list[str]]
    """The scores in each row of panels of a task."""
    shots: list[str]

    @property
    def metrics(self) -> list[str]:
        """All scores."""
        return [metric for row in self.rows for metric in row]


class Correction(Struct, frozen=True, forbid_unknown_fields=True):
    """The cells of the figure on correction."""

    loop: str
    prompts: list[str]
    shots: list[str]


class Printed(Struct, frozen=True, forbid_unknown_fields=True):
    """A number in the text of the paper: the fall of a label's count, or a rate where there is none."""

    printed: str
    label: str = ""
    prompt: str = ""
    shot: str = ""


class ReactionPaper(Paper, frozen=True):
    """The reaction Text2Cypher paper."""

    file = "reaction.yaml"
    tasks: dict[str, str]
    """Names of the tasks in the paper, by ours."""
    samples: dict[str, int]
    """Number of questions by task, or by task and part of it, such as ``multi_product, n = 2``."""
    captions: dict[str, Caption]
    """By part."""
    box_note: str
    """The note of the box plots."""
    boxes: list[BoxPlots]
    prompts: dict[str, list[str]]
    """By setting."""
    categories: dict[str, list[str]]
    """Error labels that the paper names, by part."""
    correction: Correction
    stages: dict[str, str]
    """The paper's stage of key matching, by ours."""
    columns: dict[str, list[str]]
    """Names of columns that the paper matched, by gold key."""
    variations: dict[str, dict[str, list[float]]]
    """By name and shot, the per cents of the five prompts."""
    text: list[Printed]

    def columns_of(self, key: str) -> list[str]:
        """Return the names that figure A3 has for one of our keys; its `product` is our `products`."""
        both = ("products", "product") if key == "products" else (key,)
        return list(dict.fromkeys(name for each in both for name in self.columns.get(each, ())))

    def variation(self, name: str, prompt: str, shot: str) -> float | None:
        """Return the per cent that figure A4 prints; None where it prints none."""
        of_shot = self.variations[name].get(shot)
        prompts = self.prompts["single_step"]
        return of_shot[prompts.index(prompt)] if of_shot and prompt in prompts else None


class Arm(Struct, frozen=True, forbid_unknown_fields=True):
    """One arm of the self-review paper's experiment."""

    number: str
    title: str
    loops: list[str]
    """Names of the loop, the present one first."""
    mean: float
    """Mean score that the paper prints."""


class SelfReviewPaper(Paper, frozen=True):
    """The self-review paper."""

    file = "self_review.yaml"
    arms: list[Arm]
    arm_note: str
    relative_gain_percent: float
    results: Caption
