"""Add sample-questions.html to the site: ten questions of each task, with their gold answers drawn.

A hook of MkDocs. The questions are those that ``--task TASK --sample 10`` asks.
"""

from jinja2 import Template
from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from retrocypher.kg.questions.question import TASKS, Question, select
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.reporting.html.difference import Reactions
from retrocypher.plugins.reporting.html.drawing import Depictions, draw_route
from retrocypher.plugins.reporting.html.rendering import asset, policy
from retrocypher.plugins.scoring.single_step import focus_key

_NAME = "sample-questions.html"
_COUNT, _DRAWN = 10, 4
_WHOLE = Markup(".route { max-width: 100%; height: auto; }")
_PAGE = Template(
    """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Ten questions of each task</title>
<style>{{ style }}</style>
</head>
<body>
<svg class="symbols" aria-hidden="true" width="0" height="0">{{ symbols }}</svg>
<header><p><a href="questions.html">← Questions and graphs</a></p>
<h1>Ten questions of each task</h1>
<ul class="tags">{% for task in tasks %}<li><a href="#{{ task }}">{{ task }}</a></li>{% endfor %}</ul>
</header>
<main>
{% for task, questions in tasks.items() %}
<section id="{{ task }}"><h2>{{ task }}</h2>
{% for question in questions %}
<h3>{{ question.id }}</h3>
<p>{{ question.text }}</p>
<p class="note">{{ question.note }}</p>
{% for picture in question.pictures %}<div class="scroll" tabindex="0">{{ picture }}</div>{% endfor %}
{% endfor %}
</section>
{% endfor %}
</main>
</body>
</html>
""",
    autoescape=True,
)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Link to the page, which is in the site alone."""
    return markdown.replace(f"`site/{_NAME}`", f"[{_NAME}]({_NAME})")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page, which the pages link to."""
    files.append(File.generated(config, _NAME, content=page()))
    return files


def page() -> str:
    """Return the page as HTML that loads nothing."""
    found, depictions = load_questions(), Depictions()
    reactions = Reactions(found.fingerprint)
    style = Markup("\n").join([asset("base.css"), asset("case.css"), _WHOLE])
    tasks = {
        task: [
            _shown(each, reactions, depictions)
            for each in select(found.questions, tasks=[task], sample=_COUNT)
        ]
        for task in TASKS
    }
    symbols = Markup("").join(depictions.symbols())
    return str(_PAGE.render(tasks=tasks, symbols=symbols, style=style, policy=policy([], [style])))


def _shown(question: Question, reactions: Reactions, depictions: Depictions) -> dict[str, object]:
    if question.setting == "multi_step":
        parts = [reactions.steps(row["route"], row["route"], "") for row in question.gold]
        share = "all of it" if question.carried_share == 1 else f"{question.carried_share:.0%} or more"
        note = f"Routes: {len(parts)}. Of the precursor's carbon, each carries {share}."
    else:
        parts = [[step] for step in reactions.gold(question, {}, len(question.gold))]
        key = focus_key(question)
        note = f"Answer ({key}): " + "; ".join(_text(row.get(str(key))) for row in question.gold)
    drawn = [
        draw_route(part, depictions, f"{question.id}, answer {number}")
        for number, part in enumerate(parts[:_DRAWN], 1)
    ]
    more = f" {_DRAWN} of {len(parts)} are drawn." if len(parts) > _DRAWN else ""
    return {"id": question.id, "text": question.text, "note": note + more, "pictures": drawn}


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
