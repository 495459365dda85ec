"""The animation and the plots of a report, as fragments of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.errors import ChetaevError
from chetaev.model.system import System

if TYPE_CHECKING:
    import xarray


def pictures(
    system: System, motion: xarray.Dataset, laws: list[dict[str, Any]]
) -> tuple[str, list[tuple[str, str]], str]:
    """The animation, titled plots, and the scripts they need in the head of the page."""
    from plotly.offline import get_plotlyjs

    from chetaev.view import figures, player_html, scene

    try:
        player = player_html(scene(system, motion), "scene")
    except ChetaevError as error:
        player = f'<p class="warning">There is no animation: {_escape(str(error))}</p>'
    plots = [
        (
            title,
            figure.to_html(
                full_html=False, include_plotlyjs=False, config={"displaylogo": False, "responsive": True}
            ),
        )
        for title, figure in figures(motion, system).items()
    ]
    return player, plots, f"<script>{get_plotlyjs()}</script>"


def _escape(text: str) -> str:
    from html import escape

    return escape(text)
