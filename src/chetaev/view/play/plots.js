// Line plots of a motion: curves over time, paths in a plane, a phase portrait; one cursor, a click seeks.
// A panel has `curves`; or `choices`, of which two are drawn against each other; or `paths`, whose columns are pairs x, y.
"use strict";
window.chetaevPlots = function (root, panels, seek) {
  const make = (tag, attributes, text) => {
    const element = document.createElement(tag);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#a8568a", "#b07800", "#3a8fc2", "#3c434d", "#8a7d00"];
  const DARK = ["#56b4e9", "#ff8a3d", "#2fcf9f", "#e69ac4", "#e6b33d", "#9ad0f5", "#c4ccd6", "#f0e442"];
  const short = (x) => (!Number.isFinite(x) ? "—" : x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5) ? x.toExponential(2) : x.toPrecision(4).replace(/\.?0+$/, ""));
  let times = [], ghostTimes = [], time = 0, hover = null;
  const theme = () => getComputedStyle(root);
  const isDark = () => parseInt(theme().getPropertyValue("--paper").trim().slice(1, 3), 16) < 100;

  function scale(low, high) { // round numbers for about four ticks
    const span = high - low || 1, rough = span / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= rough * 0.999), ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) ticks.push(k * step);
    return { step, ticks };
  }
  const words = (x, step) => {
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return Math.abs(x) >= 1e5 || (x !== 0 && digits > 4) ? x.toExponential(1) : x.toFixed(digits);
  };
  const drawn = panels.map((panel) => {
    const box = make("figure", { class: "chetaev-plot", ...(panel.id ? { id: panel.id } : {}) }), canvas = make("canvas", { role: "img", tabindex: "0" });
    const caption = make("figcaption", {}, panel.title), legend = make("ul", {});
    const choices = [];
    if (panel.choices) {
      for (const which of [0, 1]) {
        const select = make("select", { "aria-label": which ? "vertical axis" : "horizontal axis" });
        panel.choices.forEach((c, k) => select.append(make("option", { value: String(k) }, c.label)));
        select.value = String(panel.first[which]);
        select.addEventListener("change", () => draw(one));
        choices.push(select);
      }
      caption.textContent = "";
      caption.append(choices[1], " over ", choices[0]);
    }
    canvas.setAttribute("aria-label", (panel.title || "Phase portrait") + "; a click goes to that time");
    box.append(caption, canvas, legend);
    root.append(box);
    const one = { panel, box, canvas, legend, choices, curves: [], ghosts: [] };
    const at = (e) => {
      const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
      return one.timeAt ? one.timeAt(x, y) : null;
    };
    canvas.addEventListener("pointermove", (e) => { hover = at(e); cursors(); });
    canvas.addEventListener("pointerleave", () => { hover = null; cursors(); });
    canvas.addEventListener("click", (e) => { const t = at(e); if (t !== null) seek(t); });
    canvas.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (by && times.length) { e.preventDefault(); seek(time + by * (times[times.length - 1] - times[0]) / 100); }
    });
    return one;
  });
  function range(lists, logarithmic) {
    let low = Infinity, high = -Infinity;
    if (logarithmic) { // whole powers of ten; what is zero lies below all
      for (const list of lists) for (const x of list) if (x > 0 && Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); }
      return high >= low ? [Math.floor(Math.log10(low)), Math.max(Math.ceil(Math.log10(high)), Math.floor(Math.log10(low)) + 1)] : [-17, -15];
    }
    for (const list of lists) for (const x of list) if (Number.isFinite(x)) { if (x < low) low = x; if (x > high) high = x; }
    if (!(high >= low)) return [-1, 1];
    const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high)) || 1e-9; // what only rounds is a flat line
    if (high - low < least) { const m = (high + low) / 2, h = Math.max(0.5 * Math.abs(m), least); return [m - h, m + h]; }
    const margin = 0.06 * (high - low);
    return [low - margin, high + margin];
  }
  function draw(one) {
    const { canvas, panel } = one, ratio = Math.min(3, window.devicePixelRatio || 1), width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height || !times.length) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) { canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio); }
    const g = canvas.getContext("2d", { willReadFrequently: true }), style = theme(), ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--grid").trim();
    const colors = isDark() ? DARK : LIGHT;
    let xs = times, gx = ghostTimes, ys = one.curves, gy = one.ghosts;
    if (panel.choices) {
      const [a, b] = one.choices.map((c) => Number(c.value));
      xs = one.curves[a]; ys = [one.curves[b]]; gx = one.ghosts[a] || []; gy = one.ghosts.length ? [one.ghosts[b]] : [];
    }
    const over = Boolean(panel.choices || panel.paths), many = (list, k) => (panel.paths ? list.filter((_, i) => i % 2 === k) : list);
    if (panel.paths) { xs = many(one.curves, 0); ys = many(one.curves, 1); gx = many(one.ghosts, 0); gy = many(one.ghosts, 1); }
    else { xs = ys.map(() => xs); gx = gy.map(() => gx); }
    let [x0, x1] = over ? range([...xs, ...gx]) : [times[0], times[times.length - 1]], [y0, y1] = range([...ys, ...gy], panel.logarithmic);
    const left = 52, right = width - 8, top = 6, bottom = height - 20;
    if (panel.paths) { // one scale for both axes
      const unit = Math.max((x1 - x0) / (right - left), (y1 - y0) / (bottom - top)), dx = (unit * (right - left) - (x1 - x0)) / 2, dy = (unit * (bottom - top) - (y1 - y0)) / 2;
      x0 -= dx; x1 += dx; y0 -= dy; y1 += dy;
    }
    const level = panel.logarithmic ? (y) => (y > 0 ? Math.max(Math.log10(y), y0) : y0) : (y) => y;
    const X = (x) => left + (right - left) * (x - x0) / (x1 - x0 || 1), Y = (y) => bottom - (bottom - top) * (level(y) - y0) / (y1 - y0 || 1);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "11px system-ui,sans-serif"; g.fillStyle = ink; g.strokeStyle = line; g.lineWidth = 0.7;
    const sx = scale(Math.min(x0, x1), Math.max(x0, x1)), sy = scale(y0, y1);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const y of sy.ticks) {
      if (panel.logarithmic && y % 1) continue;
      const at = bottom - (bottom - top) * (y - y0) / (y1 - y0 || 1);
      g.beginPath(); g.moveTo(left, at); g.lineTo(right, at); g.stroke(); g.fillText(panel.logarithmic ? `1e${y}` : words(y, sy.step), left - 5, at);
    }
    g.textAlign = "center"; g.textBaseline = "top";
    for (const x of sx.ticks) { g.beginPath(); g.moveTo(X(x), top); g.lineTo(X(x), bottom); g.stroke(); g.fillText(words(x, sx.step), X(x), bottom + 5); }
    g.save(); g.beginPath(); g.rect(left - 1, top - 1, right - left + 2, bottom - top + 2); g.clip();
    const path = (x, y) => {
      g.beginPath();
      let on = false;
      for (let i = 0; i < y.length; i++) {
        if (!Number.isFinite(y[i]) || !Number.isFinite(x[i])) { on = false; continue; }
        if (on) g.lineTo(X(x[i]), Y(y[i])); else g.moveTo(X(x[i]), Y(y[i]));
        on = true;
      }
      g.stroke();
    };
    g.setLineDash([4, 3]); g.lineWidth = 1.1; g.globalAlpha = 0.65;
    gy.forEach((y, k) => { g.strokeStyle = colors[k % 8]; path(gx[k], y); });
    g.setLineDash([]); g.lineWidth = 1.7; g.globalAlpha = 1; g.lineJoin = "round";
    ys.forEach((y, k) => { g.strokeStyle = colors[k % 8]; path(xs[k], y); });
    g.restore();
    one.kept = g.getImageData(0, 0, canvas.width, canvas.height);
    one.map = { X, Y, xs, ys, top, bottom, colors, over };
    one.timeAt = over
      ? (px, py) => { // the nearest point of the curve
          let best = Infinity, t = null;
          for (let i = 0; i < times.length; i++) { const e = (X(xs[0][i]) - px) ** 2 + (Y(ys[0][i]) - py) ** 2; if (e < best) { best = e; t = times[i]; } }
          return t;
        }
      : (px) => Math.min(Math.max(x0 + (x1 - x0) * (px - left) / (right - left), Math.min(x0, x1)), Math.max(x0, x1));
    mark(one);
  }
  function index(t) { // the frame before t
    let a = 0, b = times.length - 1;
    const up = times[b] >= times[0];
    while (b - a > 1) { const m = (a + b) >> 1; if (up ? times[m] <= t : times[m] >= t) a = m; else b = m; }
    return a;
  }
  function value(y, t) {
    const i = index(t), j = Math.min(i + 1, times.length - 1), f = times[j] === times[i] ? 0 : (t - times[i]) / (times[j] - times[i]);
    return y[i] + Math.min(1, Math.max(0, f)) * (y[j] - y[i]);
  }
  function mark(one) {
    if (!one.kept) return;
    const g = one.canvas.getContext("2d", { willReadFrequently: true }), { X, Y, xs, ys, top, bottom, colors, over } = one.map, ratio = Math.min(3, window.devicePixelRatio || 1);
    g.putImageData(one.kept, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const ink = theme().getPropertyValue("--ink").trim();
    for (const [t, alpha] of hover === null ? [[time, 0.75]] : [[time, 0.4], [hover, 0.75]]) {
      g.globalAlpha = alpha; g.strokeStyle = ink; g.lineWidth = 1;
      if (!over) { g.beginPath(); g.moveTo(X(t), top); g.lineTo(X(t), bottom); g.stroke(); }
      ys.forEach((y, k) => {
        const x = over ? X(value(xs[k], t)) : X(t);
        g.fillStyle = colors[k % 8]; g.beginPath(); g.arc(x, Y(value(y, t)), 3.2, 0, 7); g.fill();
      });
    }
    g.globalAlpha = 1;
    const t = hover === null ? time : hover;
    if (!one.panel.paths) [...one.legend.children].forEach((item, k) => { item.lastChild.textContent = " " + short(value(one.curves[k], t)); });
  }
  const cursors = () => drawn.forEach(mark);
  function legends(one) {
    one.legend.textContent = "";
    if (one.panel.choices) return;
    const colors = isDark() ? DARK : LIGHT;
    (one.panel.curves || one.panel.paths).forEach((curve, k) => {
      const item = make("li", {}), swatch = make("span", { "aria-hidden": "true", class: "chetaev-swatch" });
      swatch.style.background = colors[k % 8];
      item.append(swatch, curve.label);
      if (curve.note) item.append(" ", make("b", {}, curve.note));
      item.append(make("output", {}));
      one.legend.append(item);
    });
  }
  const redraw = () => drawn.forEach((one) => { legends(one); draw(one); });
  if (window.ResizeObserver) new ResizeObserver(redraw).observe(root);
  const dark = window.matchMedia && matchMedia("(prefers-color-scheme: dark)");
  if (dark && dark.addEventListener) dark.addEventListener("change", redraw);
  window.addEventListener("beforeprint", redraw); window.addEventListener("afterprint", redraw);
  drawn.forEach(legends);
  return {
    panels: drawn,
    // Columns by panel: a list of arrays for each; those of the ghost, or nothing.
    update(at, columns, ghostAt, ghosts) {
      times = at; ghostTimes = ghostAt || [];
      drawn.forEach((one, k) => { one.curves = columns[k]; one.ghosts = ghosts ? ghosts[k] : []; draw(one); });
    },
    cursor(t) { time = t; cursors(); },
  };
};
