"""Pages as HTML files that a browser opens from the disk: no script, nothing from elsewhere."""

from __future__ import annotations

from html import escape

from lorebank.exchange.pages import INDEX, Link, Page, Row, Section

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "li{margin:.6rem 0}small{color:#666;display:block}"
    "@media(prefers-color-scheme:dark){body{background:#16181d;color:#ddd}a{color:#8ab4f8}"
    "small{color:#999}}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page_html(page: Page) -> str:
    """The text of `<page.path>.html`."""
    title = escape(page.title)
    home = "" if page.path == INDEX else f"<p>{_shown(Link('Memory', INDEX), page)}</p>\n"
    body = "\n".join(_section(section, page) for section in page.sections)
    return (
        '<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{home}<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def _section(section: Section, page: Page) -> str:
    heading = f"<h2>{escape(section.heading)}</h2>\n" if section.heading else ""
    rows = "\n".join(_row(row, page) for row in section.rows)
    return f"{heading}<ul>\n{rows}\n</ul>"


def _row(row: Row, page: Page) -> str:
    about = " · ".join(_shown(each, page) for each in row.about)
    return f"<li>{_shown(row.text, page)}{f'<small>{about}</small>' if about else ''}</li>"


def _shown(said: str | Link, page: Page) -> str:
    if isinstance(said, str):
        return escape(said)
    return f'<a href="{escape(page.way_to(said, ".html"))}">{escape(said.label)}</a>'
