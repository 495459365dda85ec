// The player: a canvas, a bar of controls, the clock. One call of chetaevMount for each scene of a page.
"use strict";
window.chetaevPlayers = window.chetaevPlayers || {};
window.chetaevMount = function (id, options) {
  const root = document.getElementById(id), scene = JSON.parse(document.getElementById(id + "-scene").textContent);
  let times, first, last, length;
  const rewind = () => { times = scene.times; first = times[0]; last = times[times.length - 1]; length = last - first; };
  rewind();
  const make = (tag, attributes, text) => {
    const element = document.createElement(tag);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text) element.textContent = text;
    return element;
  };
  root.textContent = "";
  const canvas = make("canvas", { tabindex: "0", role: "img",
    "aria-label": scene.title + ". Drag or use the arrow keys to turn, plus and minus to zoom, space to play." });
  const bar = make("div", { class: "chetaev-bar", role: "toolbar", "aria-label": "Animation controls" });
  const play = make("button", { type: "button", class: "chetaev-play" }, "Play");
  const slider = make("input", { type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": "Time" });
  const clock = make("output", { "aria-live": "off" });
  const speed = make("select", { "aria-label": "Speed" });
  for (const s of [0.1, 0.2, 0.5, 1, 2, 5, 10]) speed.append(make("option", { value: String(s) }, s + "×"));
  speed.value = "1";
  const loop = make("button", { type: "button", "aria-pressed": "true", title: "Start again at the end" }, "Loop");
  const reset = make("button", { type: "button", title: "Back to the first view" }, "Reset");
  const picture = make("button", { type: "button", title: "Save this picture as PNG" }, "Picture");
  const wide = make("button", { type: "button", title: "Full screen (f)" }, "Full");
  bar.append(play, slider, clock, speed, loop, reset, picture);
  if (document.fullscreenEnabled) bar.append(wide);
  root.append(canvas, bar);
  const named = scene.bodies.filter((b) => (b.kind === "arrow" && b.name !== "vector") || (b.kind === "trace" && b.name !== "trace"));
  if (named.length) {
    const legend = make("ul", { class: "chetaev-legend" });
    for (const body of named) {
      const item = make("li", {}, body.name), mark = make("span", { "aria-hidden": "true" });
      mark.style.background = body.color === "ink" ? "currentColor" : body.color;
      item.prepend(mark);
      legend.append(item);
    }
    root.append(legend);
  }

  const fresh = () => ({ azimuth: scene.camera.azimuth, elevation: scene.camera.elevation, zoom: scene.camera.zoom, x: 0, y: 0 });
  const state = { time: first, playing: false, loop: true, rate: 1, view: fresh(), stamp: 0, seen: true };
  const g = canvas.getContext("2d");
  const watchers = [];
  let width = 0, height = 0, printing = false;
  const PAPER = { paper: "#fff", ink: "#000", grid: "#c3cad3", plane: "#f4f6f8", shadow: "rgba(20,30,45,.16)" };

  function place(t) { // the frame before t, and how far t is from it towards the next
    let a = 0, b = times.length - 1;
    if (b < 1) return [0, 0];
    const forward = length >= 0;
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (forward ? times[m] <= t : times[m] >= t) a = m; else b = m;
    }
    const step = times[a + 1] - times[a];
    return [a, step ? Math.min(1, Math.max(0, (t - times[a]) / step)) : 0];
  }
  function look() {
    if (printing) return PAPER;
    const style = getComputedStyle(root), get = (name) => style.getPropertyValue(name).trim();
    const dark = parseInt(get("--paper").slice(1, 3), 16) < 100;
    return { paper: get("--paper"), ink: get("--ink"), grid: get("--grid"), plane: get("--plane"), dark,
             shadow: dark ? "rgba(0,0,0,.38)" : "rgba(20,30,45,.16)" };
  }
  function size() {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    width = canvas.clientWidth; height = canvas.clientHeight;
    const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  function render() {
    if (!width || !height) size();
    const colors = look(), [i, f] = place(state.time);
    g.globalAlpha = 1; g.fillStyle = colors.paper; g.fillRect(0, 0, width, height);
    window.chetaevDraw(g, scene, state.view, i, f, width, height, colors);
    slider.value = length ? (state.time - first) / length : 0;
    clock.textContent = scene.time + " = " + state.time.toFixed(Math.abs(length) < 5 ? 3 : 2);
    slider.setAttribute("aria-valuetext", clock.textContent);
    for (const told of watchers) told(state.time);
  }
  function seek(t) {
    state.time = Math.min(Math.max(t, Math.min(first, last)), Math.max(first, last));
    render();
  }
  function run(on) {
    if (on && Math.abs(last - state.time) < 1e-9 * Math.abs(length)) state.time = first;
    state.playing = on; state.stamp = 0;
    play.textContent = on ? "Pause" : "Play";
    if (on) requestAnimationFrame(tick);
  }
  function tick(now) {
    if (!state.playing) return;
    if (state.stamp) {
      const step = Math.min(0.1, (now - state.stamp) / 1000) * state.rate * scene.speed;
      state.time += length < 0 ? -step : step;
      if ((state.time - last) * Math.sign(length || 1) >= 0) {
        if (state.loop && length) state.time = first;
        else { state.time = last; run(false); }
      }
    }
    state.stamp = now;
    if (state.seen) render();
    if (state.playing) requestAnimationFrame(tick);
  }
  const redraw = () => { if (!state.playing) render(); };

  play.addEventListener("click", () => run(!state.playing));
  slider.addEventListener("input", () => seek(first + length * Number(slider.value)));
  speed.addEventListener("change", () => { state.rate = Number(speed.value); });
  loop.addEventListener("click", () => { state.loop = !state.loop; loop.setAttribute("aria-pressed", String(state.loop)); });
  reset.addEventListener("click", () => { state.view = fresh(); redraw(); });

  picture.addEventListener("click", () => canvas.toBlob((blob) => {
    const link = make("a", { download: scene.title.replace(/[^\w-]+/g, "-") + ".png" });
    link.href = URL.createObjectURL(blob); link.click(); URL.revokeObjectURL(link.href);
  }));
  const full = () => { if (document.fullscreenElement) document.exitFullscreen(); else if (root.requestFullscreen) root.requestFullscreen(); };
  wide.addEventListener("click", full);
  function step(count) { // so many frames on
    run(false);
    const [i, f] = place(state.time);
    seek(times[Math.min(times.length - 1, Math.max(0, count > 0 ? i + count : f > 1e-6 ? i : i + count))]);
  }

  // One finger scrolls the page until the picture is tapped; the wheel zooms with Ctrl only.
  const fingers = new Map();
  const scrolls = (e) => e.pointerType === "touch" && !canvas.classList.contains("chetaev-tapped"); // it may be the page's
  let grip = null; // what a pointer has hold of, if not of the view: {move(x, y), drop()}
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, e);
    const at = canvas.getBoundingClientRect();
    grip = fingers.size === 1 && !e.shiftKey && player.grasp && !scrolls(e) ? player.grasp(e.clientX - at.left, e.clientY - at.top) : null;
  });
  const lift = (e) => {
    const tapped = fingers.get(e.pointerId);
    if (tapped && e.type === "pointerup" && e.pointerType === "touch") canvas.classList.add("chetaev-tapped");
    fingers.delete(e.pointerId);
    if (grip) { grip.drop(); grip = null; }
  };
  document.addEventListener("pointerdown", (e) => { if (e.target !== canvas) canvas.classList.remove("chetaev-tapped"); });
  canvas.addEventListener("pointerup", lift); canvas.addEventListener("pointercancel", lift);
  function rotate(dx, dy) {
    state.view.azimuth -= dx * 0.4;
    state.view.elevation = Math.max(-90, Math.min(90, state.view.elevation + dy * 0.4));
    redraw();
  }
  function zoom(k) { state.view.zoom = Math.max(0.1, Math.min(40, state.view.zoom * k)); redraw(); }
  canvas.addEventListener("pointermove", (e) => {
    const old = fingers.get(e.pointerId);
    if (!old) return;
    const dx = e.clientX - old.clientX, dy = e.clientY - old.clientY;
    if (grip) {
      const at = canvas.getBoundingClientRect();
      grip.move(e.clientX - at.left, e.clientY - at.top);
    } else if (fingers.size === 1) {
      if (e.shiftKey || e.buttons === 2) { state.view.x += dx; state.view.y += dy; redraw(); } else rotate(dx, scrolls(e) ? 0 : dy);
    } else {
      const other = [...fingers.values()].find((p) => p.pointerId !== e.pointerId);
      const span = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
      state.view.x += dx / 2; state.view.y += dy / 2;
      zoom(span(e) / span(old));
    }
    fingers.set(e.pointerId, e);
  });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoom(Math.exp(-e.deltaY * 0.0015)); }
  }, { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const keys = { ArrowLeft: () => rotate(-12, 0), ArrowRight: () => rotate(12, 0), ArrowUp: () => rotate(0, -12),
      ArrowDown: () => rotate(0, 12), "+": () => zoom(1.15), "=": () => zoom(1.15), "-": () => zoom(1 / 1.15),
      " ": () => run(!state.playing), Home: () => seek(first), End: () => seek(last), "0": () => reset.click(),
      ".": () => step(1), ",": () => step(-1), f: full };
    if (keys[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); keys[e.key](); }
  });
  if (window.ResizeObserver) new ResizeObserver(() => { size(); render(); }).observe(canvas);
  if (window.IntersectionObserver) { // a player out of sight keeps its time but does not paint
    new IntersectionObserver((entries) => { state.seen = entries[entries.length - 1].isIntersecting; }).observe(root);
  }
  const dark = window.matchMedia && matchMedia("(prefers-color-scheme: dark)");
  if (dark && dark.addEventListener) dark.addEventListener("change", redraw);
  let kept = null; // on paper, a film that runs or has not begun shows its end, with the whole trace
  window.addEventListener("beforeprint", () => {
    kept = state.time; printing = true;
    if (state.playing || state.time === first) state.time = last;
    size(); render();
  });
  window.addEventListener("afterprint", () => { state.time = kept; printing = false; size(); render(); });

  const player = window.chetaevPlayers[id] = {
    play: () => run(true), pause: () => run(false), seek, scene, canvas, root,
    refresh: () => { // the scene has other times
      const part = length ? (state.time - first) / length : 0, before = [first, last];
      rewind();
      if (before[0] !== first || before[1] !== last) state.time = first + Math.min(1, Math.max(0, part)) * length;
      if (!state.playing || !state.seen) render();
    },
    watch: (told) => watchers.push(told),
    grasp: null,
    get size() { return [width, height]; },
    look: (view) => { Object.assign(state.view, view); redraw(); },
    get time() { return state.time; }, get playing() { return state.playing; },
    get view() { return { ...state.view }; },
  };
  size(); render();
  const calm = window.matchMedia && matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (options && options.autoplay && !calm && times.length > 1) run(true);
  return window.chetaevPlayers[id];
};
