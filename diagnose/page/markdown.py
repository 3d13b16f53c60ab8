"""A playbook as HTML, without the blocks that only our tests run."""

import re

from markupsafe import Markup

EXECUTED = ("Broken", "Fixed")  # examples for the tests; a person reads Why, Fix and In your code


def to_html(markdown: str) -> Markup:
    """Headings begin at the third level, as they stand inside a finding. Raw HTML is escaped."""
    from markdown_it import MarkdownIt

    sections = re.split(r"(?m)^(?=## )", markdown)
    kept = "".join(part for part in sections if not part.startswith(tuple(f"## {name}" for name in EXECUTED)))
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(kept)
    return Markup(re.sub(r"<(/?)h([12])>", lambda found: f"<{found[1]}h{int(found[2]) + 2}>", html))
