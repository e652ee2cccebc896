"""What the papers show and print, read from the files beside this one."""

from collections.abc import Mapping
from importlib import resources
from typing import Literal

import msgspec
import yaml
from msgspec import Struct

Percents = dict[str, list[float]]
"""By shot, the per cents of the five prompts."""


class Samples(Struct, frozen=True, forbid_unknown_fields=True):
    """How many questions the paper asks."""

    place: str
    samples: dict[str, int]
    """By task, or by task and part of it, such as ``multi_product, n = 2``."""


class BoxPlots(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of box plots."""

    number: str
    title: str
    tasks: list[str]
    metrics: list[str]
    shots: list[str]


class Correction(Struct, frozen=True, forbid_unknown_fields=True):
    """The cells of the figure on correction."""

    loop: str
    prompts: list[str]
    shots: list[str]


class Printed(Struct, frozen=True, forbid_unknown_fields=True):
    """A number in the text of the paper."""

    what: Literal["less", "non_detected_error_rate"]
    printed: str
    place: str
    label: str = ""
    prompt: str = ""
    shot: str = ""


class NotFromRuns(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the paper that no run can show."""

    number: str
    why: str


class StudyRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that a study needs, of each model."""

    name: str
    options: str
    """Options of ``pytest benchmarks``."""


class ReactionPaper(Struct, frozen=True, forbid_unknown_fields=True):
    """The reaction Text2Cypher paper."""

    tasks: Samples
    boxes: list[BoxPlots]
    prompts: dict[str, list[str]]
    """By setting."""
    correction: Correction
    columns: dict[str, list[str]]
    """Names of columns that the paper matched, by gold key."""
    variations: dict[str, Percents]
    text: list[Printed]
    not_from_runs: list[NotFromRuns]
    runs: list[StudyRun]

    def columns_of(self, key: str) -> list[str]:
        """Return the names that figure A3 has for one of our keys; its `product` is our `products`."""
        both = ("products", "product") if key == "products" else (key,)
        return list(dict.fromkeys(name for each in both for name in self.columns.get(each, ())))

    def variation(self, name: str, prompt: str, shot: str) -> float | None:
        """Return the per cent that figure A4 prints; None where it prints none."""
        of_shot = self.variations.get(name, {}).get(shot)
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


class PaperPrice(Struct, frozen=True, forbid_unknown_fields=True):
    """A model's price in the self-review paper, in USD per million tokens."""

    name: str
    prompt: float
    completion: float


class PaperPrices(Struct, frozen=True, forbid_unknown_fields=True):
    """The prices in the self-review paper."""

    place: str
    models: list[PaperPrice]


class SelfReviewPaper(Struct, frozen=True, forbid_unknown_fields=True):
    """The self-review paper."""

    arms: list[Arm]
    place: str
    relative_gain_percent: float
    prices: PaperPrices
    not_from_runs: list[NotFromRuns]
    runs: list[StudyRun]


def self_review_paper() -> SelfReviewPaper:
    """Return what the self-review paper shows and prints."""
    return msgspec.convert(_content("self_review.yaml"), SelfReviewPaper)


def reaction_paper() -> ReactionPaper:
    """Return what the reaction Text2Cypher paper shows and prints."""
    return msgspec.convert(_content("reaction.yaml"), ReactionPaper)


def _content(name: str) -> Mapping[str, object]:
    found: Mapping[str, object] = yaml.safe_load(
        resources.files(__package__).joinpath(name).read_text("utf-8")
    )
    return found
