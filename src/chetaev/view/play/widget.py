"""The page as a widget of a notebook: what its sliders say are traits, in both directions.

>>> import chetaev as ch
>>> shown = ch.play(ch.load("knife-edge"), laws=[]).widget
>>> shown.m = 3  # moves the slider; a slider that is moved sets the trait
>>> shown.system.parameter_values["m"]
3.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chetaev.errors import ModelError
from chetaev.model.system import System

if TYPE_CHECKING:
    from chetaev.view.play.play_page import Played

SCRIPT = """
export default { render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "chetaev";
  frame.style.cssText = "width:100%;height:860px;border:0";
  frame.addEventListener("load", () => {
    const page = frame.contentWindow.chetaev, names = model.get("names");
    if (!page) return;
    const bare = (name) => name.replace(/_$/, "");
    const set = (name) => page.set({ [bare(name)]: model.get(name) });
    let own = false; // whether the page itself is what changes a trait
    for (const name of names) {
      model.on("change:" + name, () => { if (!own) set(name); });
      if (model.get(name) !== page.values[bare(name)]) set(name);
    }
    page.watch((values) => {
      own = true;
      for (const name of names) model.set(name, values[bare(name)]);
      own = false;
      model.save_changes();
    });
  });
  frame.srcdoc = model.get("page");
  el.append(frame);
} };
"""
"""A trait has the name of what it varies, with an underscore where a widget has such an attribute."""


def widget(page: Played) -> Any:
    """The widget of a page; see :attr:`Played.widget`."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        remedy = "install it with: pip install 'chetaev[notebook]'"
        raise ModelError("a widget needs the package anywidget, which is not there", remedy=remedy) from None
    sliders = [] if page.missing else page.told["sliders"]
    taken = anywidget.AnyWidget(_esm=SCRIPT).trait_names()
    names = {
        s["name"] + "_" * (s["name"] in taken or hasattr(anywidget.AnyWidget, s["name"])): s for s in sliders
    }

    def system(self: Any) -> System:
        """The system with the values that the sliders have."""
        values: dict[bool, dict[str, float]] = {True: {}, False: {}}
        for name, slider in names.items():
            values[slider["kind"] == "parameter"][slider["name"]] = getattr(self, name)
        return page.system.with_data(values[True], values[False])

    traits = {name: traitlets.Float(s["value"]).tag(sync=True) for name, s in names.items()}
    fixed = {
        "_esm": SCRIPT,
        "page": traitlets.Unicode(page.html()).tag(sync=True),
        "names": traitlets.List(list(names)).tag(sync=True),
        "system": property(system),
        "__repr__": lambda self: repr(page),
    }
    return type("PlayWidget", (anywidget.AnyWidget,), {**traits, **fixed})()
