// A canvas that writes down what is drawn on it, for painters that are no browsers: see painted.py.
"use strict";
globalThis.window = globalThis;
globalThis.chetaevRecord = function (scene, view, i, f, width, height, look) {
  const orders = [], kept = [];
  let path = [], state = { fillStyle: "#000", strokeStyle: "#000", globalAlpha: 1, lineWidth: 1, font: "14px", textAlign: "left" };
  const ink = (style) => style.stops || style;
  const g = {
    save() { kept.push({ ...state }); orders.push(["save"]); },
    restore() { state = kept.pop(); orders.push(["restore"]); },
    beginPath() { path = []; },
    moveTo(x, y) { path.push([x, y]); },
    lineTo(x, y) { if (path.length) path[path.length - 1].push(x, y); else path.push([x, y]); },
    closePath() { const last = path[path.length - 1]; if (last) last.push(last[0], last[1]); },
    arc(x, y, r) { path.push({ x, y, r }); },
    fill() { for (const part of path) orders.push(part.r === undefined ? ["fill", ink(state.fillStyle), state.globalAlpha, part] : ["ball", ink(state.fillStyle), state.globalAlpha, part]); },
    stroke() { for (const part of path) orders.push(["stroke", ink(state.strokeStyle), state.globalAlpha, part, state.lineWidth]); },
    clip() { orders.push(["clip", path[0] || []]); },
    fillRect(x, y, w, h) { orders.push(["fill", ink(state.fillStyle), state.globalAlpha, [x, y, x + w, y, x + w, y + h, x, y + h]]); },
    fillText(text, x, y) { orders.push(["text", ink(state.fillStyle), state.globalAlpha, [x, y], text, parseFloat(state.font), state.textAlign]); },
    createRadialGradient(x0, y0, r0, x1, y1, r1) {
      const stops = [];
      return { stops: { circles: [x0, y0, r0, x1, y1, r1], stops }, addColorStop(at, color) { stops.push([at, color]); } };
    },
  };
  for (const name of Object.keys(state)) Object.defineProperty(g, name, { get: () => state[name], set: (x) => { state[name] = x; } });
  g.lineJoin = g.lineCap = "";
  globalThis.chetaevDraw(g, scene, view, i, f, width, height, look);
  return JSON.stringify(orders);
};
