"""Writes a study: a page that opens without a network, figures as SVG and PNG, tables as CSV and LaTeX."""

import base64
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.study import Study, WordsOf, read_study
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.figure_tables import cell_text, columns_of, same_in_all, write_tables
from retrocypher.plugins.reporting.html.rendering import page
from retrocypher.plugins.reporting.study.parts import Missing, Part, together

_UNFIT = re.compile(r"[^A-Za-z0-9-]+")
_LONG = 40
"""Characters of a text that is too long to stand like a number."""

PartsOf = Callable[[Study], Iterable[Part | Missing]]


class WrittenStudy(Struct, frozen=True):
    """What was written."""

    page: str
    files: list[str]
    """Figures and tables."""
    cases: int
    differing: Sequence[str]
    """In what the runs differ, in words."""
    missing: list[Missing]


class ShownPart(Struct, frozen=True, kw_only=True):
    """A part as the page shows it."""

    part: Part
    anchor: str
    files: list[str]
    image: str
    """The drawing as a data URL; empty without one."""
    width: int
    """Its width on a screen, in pixels."""
    columns: list[str]
    cells: list[list[str]]
    wordy: list[bool]
    """Of each column, whether it has long texts, which begin at the left."""
    note: str


def write_study(
    paths: Sequence[Path], out: Path, title: str, parts_of: PartsOf, words_of: WordsOf
) -> WrittenStudy:
    """Read runs and write all parts; raise InputError if a run cannot be read or the folder be written."""
    study = read_study(paths, words_of)
    made = list(parts_of(study))
    missing = together([each for each in made if isinstance(each, Missing)])
    parts = [each for each in made if isinstance(each, Part)]
    try:
        out.mkdir(parents=True, exist_ok=True)
        shown = [_write(part, out, len(study.models) > 1) for part in parts]
        index = out / "index.html"
        index.write_text(_page(study, title, shown, missing), "utf-8")
    except OSError as error:
        raise InputError(
            f"--out {out}: cannot be written to ({error.strerror}); name a writable folder"
        ) from error
    files = [str(out / name) for each in shown for name in each.files]
    return WrittenStudy(str(index), files, len(study.table), study.differing, missing)


def _write(part: Part, out: Path, several_models: bool) -> ShownPart:
    anchor = part.caption.file
    if part.model and several_models:
        anchor += f"-{part.model}"
    name = _UNFIT.sub("-", anchor).strip("-")
    files, image, width = list[Path](), "", 0
    if part.draw is not None:
        # Imported late: drawing takes a second to load.
        from retrocypher.plugins.reporting.figures import save, styled

        with styled():
            files += save(part.draw(), out, name)
        # Not the SVG: hundreds of box plots are half as large as PNG, and shown sooner.
        png = files[1].read_bytes()
        image = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        # A PNG has its width here; at half of it the letters are as large as those of the page.
        width = int.from_bytes(png[16:20]) // 2
    files += write_tables(out, name, part.rows, part.shown)
    columns = columns_of(part.shown)
    cells = [[cell_text(row, column) or "\N{EN DASH}" for column in columns] for row in part.shown]
    return ShownPart(
        part=part,
        anchor=anchor,
        files=[file.name for file in files],
        image=image,
        width=width,
        columns=[column.replace("_", " ") for column in columns],
        cells=cells,
        wordy=[any(len(row[place]) > _LONG for row in cells) for place in range(len(columns))],
        note=" ".join(filter(None, (part.caption.note, part.remark, same_in_all(part.shown)))),
    )


def _page(study: Study, title: str, parts: Sequence[ShownPart], missing: Sequence[Missing]) -> str:
    return page(
        "study.html",
        title,
        runs=[
            (str(log), log.facts.lacks(log.summary.cases) if log.has_summary else "") for log in study.logs
        ],
        models=list(study.models),
        differing=study.differing,
        cases=counted(len(study.table), "case"),
        parts=parts,
        missing=missing,
    )
