"""The player: an animation of a scene as HTML with its own small script; nothing is downloaded.

The script stands in ``draw.js`` (projection, shading, painting) and ``player.js`` (buttons, mouse, keys),
the looks in ``player.css``. A player is ``window.chetaevPlayers[id]`` with ``play()``, ``pause()``,
``seek(t)`` and ``time``.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from chetaev.errors import ModelError
from chetaev.view.scenes import Scene

_ID = re.compile(r"[A-Za-z][\w-]*")


@cache
def _text(name: str) -> str:
    return files("chetaev.view").joinpath(name).read_text(encoding="utf-8")


def library_html() -> str:
    """Script and style of the player, for a page that holds several: once, before the first."""
    return (
        own("style", _text("player.css"))
        + own("script", f"if(!window.chetaevMount){{{_text('draw.js')}\n{_text('player.js')}}}")
        + "\n"
    )


def player_html(
    scene: Scene,
    element_id: str = "chetaev-player",
    *,
    library: bool = True,
    autoplay: bool = True,
    data: dict[str, Any] | None = None,
    still: bool = True,
) -> str:
    """A fragment of a page: the animation of a scene.

    Parameters
    ----------
    scene
        What to show.
    element_id
        The id of the element, one for each player of a page.
    library
        Whether to bring script and style along; False if the page has :func:`library_html` already.
    data
        The scene as plain data, if it is not what the scene says of itself.
    still
        Whether to bring a picture for readers whose browser runs no scripts.
    autoplay
        Whether it starts by itself; for readers who asked their system for less motion it never does.

    Examples
    --------
    >>> import chetaev as ch
    >>> particle = ch.load("leibniz-particle")
    >>> from chetaev.view.scenes import scene
    >>> fragment = player_html(scene(particle, ch.simulate(particle, at=50)), "flight")
    >>> '<div id="flight"' in fragment, "http://" in fragment or "https://" in fragment
    (True, False)
    """
    if not _ID.fullmatch(element_id):
        raise ModelError(
            f"{element_id!r} cannot be the id of an element",
            expected="a letter, then letters, digits, '-' or '_'",
        )
    text = embedded(scene.data() if data is None else data)
    options = json.dumps({"autoplay": autoplay})
    title = html.escape(scene.title, quote=True)
    return (
        (library_html() if library else "")
        + f'<div id="{element_id}" class="chetaev-player" role="group" aria-label="Animation: {title}">'
        + f"<noscript><p>An animation of {title}; it needs JavaScript.{' This is its end.' * still}</p>"
        + (f'<img alt="{title}" src="{_end(scene)}">' if still else "")
        + "</noscript></div>\n"
        + f'<script type="application/json" id="{element_id}-scene">{text}</script>\n'
        + own("script", f"chetaevMount({json.dumps(element_id)},{options});")
        + "\n"
    )


def _end(scene: Scene) -> str:
    """The last picture, for pages whose scripts are not run."""
    from io import BytesIO

    from chetaev.view.painted import render

    file = BytesIO()
    render(scene, len(scene.times) - 1, (640, 360)).quantize(48, dither=0).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + b64encode(file.getvalue()).decode()


def embedded(data: Any) -> str:
    r"""JSON that a script element can hold: ``</`` would end the element, ``<!--`` would hide it.

    >>> print(embedded({"name": "</script>"}))
    {"name":"\u003c/script>"}
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


_OWN: set[str] = set()
"""Hashes of the scripts and styles that were made here."""


def own(tag: str, text: str) -> str:
    """A script or style element of our own."""
    _OWN.add(_hash(text))
    return f"<{tag}>{text}</{tag}>"


def secured(page: str) -> str:
    """The page with a policy: scripts and styles that were not made here are not run, nothing is fetched.

    Text that became markup by mistake stays harmless.

    >>> page = secured('<meta charset="utf-8">' + own("script", "1") + "<script>2</script>")
    >>> page.count("sha256-")
    1
    """

    def hashes(tag: str) -> str:
        found = dict.fromkeys(map(_hash, re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)))
        return " ".join(f"'sha256-{one}'" for one in found if one in _OWN) or "'none'"

    policy = (
        f"default-src 'none'; script-src {hashes('script')}; style-src {hashes('style')}; "
        "style-src-attr 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{meta}', 1)


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def standalone_html(scene: Scene, *, autoplay: bool = True) -> str:
    """A whole page with the animation and nothing else.

    >>> import chetaev as ch
    >>> from chetaev.view.scenes import scene
    >>> particle = ch.load("leibniz-particle")
    >>> standalone_html(scene(particle, ch.simulate(particle, at=50)))[:15]
    '<!DOCTYPE html>'
    """
    return page_html(scene, player_html(scene, autoplay=autoplay))


def page_html(scene: Scene, body: str, *, wide: bool = False) -> str:
    """A whole page around a player."""
    title = html.escape(scene.title)
    caption = f"<p>{html.escape(scene.caption)}</p>" if scene.caption else ""
    style = (
        ":root{color-scheme:light dark}body{margin:0;font:15px/1.5 system-ui,sans-serif;"
        "background:light-dark(#fff,#14171b);color:light-dark(#1d2329,#e6e9ed)}"
        f"main{{max-width:{1500 if wide else 1100}px;margin:0 auto;padding:1rem}}"
        "h1{font-size:1.3rem;margin:.2rem 0 .6rem}main>p{max-width:65rem;margin:.3rem 0 .7rem}"
        ".chetaev-player{height:min(70vh,620px)}"
    )
    return secured(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{title}</title>\n<link rel="icon" href="data:,">\n{own("style", style)}\n</head>\n<body>\n'
        f"<main>\n<h1>{title}</h1>\n{caption}\n{body}</main>\n</body>\n</html>\n"
    )
