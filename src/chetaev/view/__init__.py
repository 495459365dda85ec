"""Plots and moving pictures of motions.

A scene is made from a system's `[view]` table and a motion, and is shown by the player in a page or exported:

>>> import chetaev as ch
>>> from chetaev.view import scene, standalone_html
>>> disc = ch.load("rolling-disc")
>>> page = standalone_html(scene(disc, ch.simulate(disc, until=1.0, at=31)))

Plots are functions of a motion: :mod:`chetaev.view.plots` (matplotlib) and :func:`figures` (plotly). The
libraries are imported when a plot is drawn, not before.
"""

from chetaev.view import plots
from chetaev.view.export import save_frames, save_gif, save_html, save_mp4, save_png
from chetaev.view.interactive import figures
from chetaev.view.player import library_html, player_html, standalone_html
from chetaev.view.scenes import Scene, scene

__all__ = [
    "Scene",
    "figures",
    "library_html",
    "player_html",
    "plots",
    "save_frames",
    "save_gif",
    "save_html",
    "save_mp4",
    "save_png",
    "scene",
    "standalone_html",
]
