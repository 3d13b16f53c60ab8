"""The page of `diagnose samples --html`."""

from typing import Any

from diagnose.page.render import render
from diagnose.page.row_views import row_views
from diagnose.render.samples import ending


def samples_page(samples: Any, title: str) -> str:
    """Every row with its sound and pictures, in the order in which they are trained."""
    about = {"title": title}
    return render("samples.html.j2", title=title, about=about, intro=ending(samples), rows=row_views(samples.rows))
