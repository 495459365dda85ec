// Draws the plots of a report in the colours of the page; again when the colours change, and for paper.
"use strict";
(function () {
  const paper = window.matchMedia("print");
  const holders = [...document.querySelectorAll(".plot > div")];
  const figures = holders.map((holder) => JSON.parse(holder.nextElementSibling.textContent));

  function dressed(figure, holder, printing) {
    const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(name).trim();
    const ink = printing ? "#000" : get("--ink"), line = printing ? "#ccc" : get("--grid"), card = printing ? "#fff" : get("--card");
    const axis = (given) => ({ ...given, gridcolor: line, zerolinecolor: line, linecolor: line, tickcolor: line, automargin: true });
    const layout = { ...figure.layout, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { ...figure.layout.font, color: ink, size: printing ? 10 : 12 },
      hoverlabel: { bgcolor: card, bordercolor: line, font: { color: ink } } };
    for (const key of Object.keys(layout)) if (/^[xy]axis\d*$/.test(key)) layout[key] = axis(layout[key]);
    if (layout.scene) {
      layout.scene = { ...layout.scene };
      for (const key of ["xaxis", "yaxis", "zaxis"]) layout.scene[key] = { ...axis(layout.scene[key]), color: ink };
    }
    if (layout.updatemenus) layout.updatemenus = printing ? [] : layout.updatemenus.map((menu) =>
      ({ ...menu, bgcolor: card, bordercolor: line, font: { color: ink } }));
    if (printing) { layout.width = 330; layout.height = 230; layout.autosize = false; }
    else { layout.autosize = true; delete layout.width; delete layout.height; }
    return layout;
  }
  function draw(printing, drawn = Plotly.react) {
    const hover = window.matchMedia("(hover: hover)").matches;
    const config = { displaylogo: false, responsive: true, displayModeBar: hover ? "hover" : false,
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };
    holders.forEach((holder, i) => {
      if (printing) { holder.style.width = "330px"; holder.style.height = "230px"; }
      else { holder.style.width = ""; holder.style.height = ""; }
      drawn(holder, figures[i].data, dressed(figures[i], holder, printing), config);
    });
  }
  const closed = [];
  function open() { // what is folded away on the screen is shown on paper
    for (const part of document.querySelectorAll("details:not([open]):not(.screen)")) { part.open = true; closed.push(part); }
  }
  draw(false);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(false, Plotly.newPlot)); // react leaves the arrow of a menu as it was
  window.addEventListener("beforeprint", () => { open(); draw(true); });
  window.addEventListener("afterprint", () => { closed.splice(0).forEach((part) => { part.open = false; }); draw(false); });
  if (paper.matches) { open(); draw(true); }
})();
