"""Templates to text. Everything from data is escaped by jinja2; the style sheet and the drawings are ours."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from diagnose.page.axes import number
from diagnose.page.svg import svg


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("diagnose.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"sort_keys": False}
    made.filters["number"] = lambda value: number(value) if isinstance(value, float) else str(value)
    made.filters["svg"] = lambda chart: Markup(svg(chart))
    return made


def render(template: str, **values: Any) -> str:
    style = Markup((files("diagnose.page") / "templates" / "page.css").read_text(encoding="utf-8"))
    return environment().get_template(template).render(style=style, **values)
