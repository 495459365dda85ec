// Draws the plots of a report; they have the clock of its animation. What is folded away is shown on paper.
"use strict";
(function () {
  const root = document.getElementById("plots"), closed = [];
  if (root) {
    const { panels, times, columns } = JSON.parse(document.getElementById("plots-data").textContent);
    const player = window.chetaevPlayers && window.chetaevPlayers.scene;
    const numbers = columns.map((panel) => panel.map((column) => column.map((x) => (x === null ? NaN : x))));
    const plots = window.chetaevPlots(root, panels, (t) => { if (player) player.seek(t); });
    plots.update(times, numbers);
    if (player) player.watch((t) => plots.cursor(t));
  }
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open]):not(.screen)")) { part.open = true; closed.push(part); }
  });
  window.addEventListener("afterprint", () => { closed.splice(0).forEach((part) => { part.open = false; }); });
})();
