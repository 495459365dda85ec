// A model to play with: sliders for parameters and initial data, motions computed here, a second motion beside the first.
"use strict";
window.chetaevPlay = function (id, programs, dop853) {
  const told = JSON.parse(document.getElementById(id + "-play").textContent), root = document.getElementById(id);
  const player = window.chetaevPlayers[id], scene = player.scene, FRAMES = told.frames, COARSE = 1e-6;
  const make = (tag, attributes, text) => {
    const element = document.createElement(tag);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const main = told.systems[0], names = main.data.coordinates, n = names.length;
  const mechanics = (k) => window.chetaevMechanics(told.systems[k].data, programs[k], dop853);
  const system = mechanics(0);
  const sliders = new Map(told.sliders.map((s) => [s.name, { ...s }]));
  const base = told.parameters.slice(), status = document.getElementById(id + "-status");
  let until = told.until, beside = "", rival = null, pending = false, refined = null, motion = null, seen = null, kept = null, start = main.data.start;
  const watchers = [], option = { step: told.until / 200, multipliers: {} };

  // The values of the sliders: parameters, and initial data that were set by hand.
  function chosen() {
    const parameters = base.slice(), positions = new Map(), velocities = new Map();
    for (const s of sliders.values()) {
      if (s.kind === "parameter") parameters[s.index] = s.value;
      else if (s.touched) (s.kind === "position" ? positions : velocities).set(s.index, s.value);
    }
    return { parameters, positions, velocities };
  }
  // A start on the constraints from the model's own initial data, with what was chosen laid over them.
  function started(mech, k, now) {
    const data = told.systems[k].data, [q, v] = data.given, values = new Float64Array(1 + q.length + v.length);
    mech.parameters = now.parameters;
    programs[k].initial(mech.parameters, values);
    const positions = new Map(q.map((name, i) => [data.coordinates.indexOf(name), values[1 + i]]));
    const velocities = new Map(v.map((name, i) => [data.coordinates.indexOf(name), values[1 + q.length + i]]));
    now.positions.forEach((x, i) => positions.set(i, x)); now.velocities.forEach((x, i) => velocities.set(i, x));
    return mech.start({ ...data.start, t: values[0] }, positions, velocities);
  }
  const grid = (m) => Float64Array.from({ length: FRAMES }, (_, i) => (i === FRAMES - 1 ? m.end : m.start + (m.end - m.start) * i / (FRAMES - 1)));
  function compute(tolerance) {
    const now = chosen(), first = started(system, 0, now);
    if (first.misses) return say(`No ${first.misses} with these values satisfy the constraints; the last motion that did is shown.`, true);
    start = first;
    motion = system.run(first, first.t + until, { tolerance, most: tolerance === COARSE ? 1500 : 20000 });
    if (motion.reason && motion.steps < 1) return say(`No motion from here: ${motion.reason}.`, true);
    for (const s of sliders.values()) if (s.kind !== "parameter" && !s.touched) show(s, (s.kind === "position" ? first.q : first.v)[s.index]);
    scene.times = grid(motion);
    seen = system.look(motion, scene.times, told.width);
    return true;
  }
  // The motion linearised in its start about the kept one, or about the model's own: y + (y(+ε) − y(−ε)) / 2ε.
  function linearised() {
    const mech = mechanics(0), now = chosen(), own = started(mech, 0, { ...now, positions: new Map(), velocities: new Map() });
    const about = kept ? { ...own, ...kept.start } : own, h = 1e-4, size = mech.d, y = [0, 0, 0].map(() => new Float64Array(size));
    const toward = (s) => mech.start({ ...about, q: about.q.map((x, i) => x + s * (start.q[i] - x)), v: about.v.map((x, i) => x + s * (start.v[i] - x)) }, [], []);
    const runs = [0, h, -h].map((s) => mech.run(toward(s), start.t + until, { tolerance: 1e-12 })), whole = runs[0];
    const last = runs.find((m) => m.reason) || whole;
    const at = (t, out) => { runs.forEach((m, k) => m.at(t, y[k])); return out.map((_, i) => { out[i] = y[0][i] + (y[1][i] - y[2][i]) / (2 * h); }), out; };
    return { mech, motion: { ...whole, end: last.end, reason: last.reason, at, last: at(last.end, new Float64Array(size)) }, width: told.width };
  }
  function second(tolerance) {
    if (!beside) { rival = null; return; }
    if (beside === "linear") rival = linearised();
    else if (beside === "kept") { if (kept) rival = { ...kept }; } else {
      const k = beside === "vakonomic" ? 1 : 0, mech = mechanics(k), now = chosen();
      mech.parameters = now.parameters;
      const q = Float64Array.from([...start.q, ...told.systems[k].data.start.q.slice(n)]), v = Float64Array.from([...start.v, ...told.systems[k].data.start.v.slice(n)]);
      Object.values(option.multipliers).forEach((x, i) => { if (k) v[n + i] = x; });
      const scheme = k ? "" : beside;
      const m = mech.run({ t: start.t, q, v }, start.t + until, { tolerance, scheme, step: option.step });
      rival = { mech, motion: m, width: told.systems[k].width };
    }
    if (!rival) return;
    const inside = Float64Array.from(scene.times, (t) => (rival.motion.end >= rival.motion.start ? Math.min(t, rival.motion.end) : Math.max(t, rival.motion.end)));
    rival.seen = rival.mech.look(rival.motion, inside, rival.width || told.width);
    rival.times = inside;
  }
  function ghosts() {
    scene.bodies = scene.bodies.filter((b) => !b.ghost);
    if (!rival) return;
    const copies = scene.bodies.filter((b) => b.recipe && !b.floor && b.kind !== "plane").map((b) => ({ ...b, ghost: true, shadow: false, color: b.color[0] === "#" ? "#8c939c" : b.color,
      colors: b.colors && b.colors.map((c) => (c[0] === "#" ? gray(c) : c)), opacity: 0.55 * (b.opacity ?? 1), text: "" }));
    window.chetaevTracks(scene, rival.seen, { sheets: programs[0].sheets, parameters: rival.mech.parameters, bodies: copies });
    scene.bodies = [...scene.bodies, ...copies];
  }
  const gray = (c) => { const k = [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)), m = Math.round((k[0] + k[1] + k[2]) / 3).toString(16).padStart(2, "0"); return `#${m}${m}${m}`; };

  // Columns of the plots: places among the states, or among what is seen.
  function columns(of, at) {
    const take = (values, width, place) => Float64Array.from({ length: at.length }, (_, i) => values[i * width + place]);
    const one = (c) => (c.state !== undefined ? take(of.states, of.d, c.state >= n ? c.state - n + of.half : c.state) : take(of.values, of.width, c.seen));
    return told.panels.map((panel) => (panel.choices || panel.curves).map(one));
  }
  const half = (data) => data.coordinates.length;
  function paint(whole) {
    window.chetaevTracks(scene, seen, { sheets: programs[0].sheets, parameters: system.parameters, whole });
    second(refined ? told.tolerance : COARSE);
    ghosts();
    player.refresh();
    seen.half = n;
    if (rival) rival.seen.half = rival.mech.n;
    plots.update(scene.times, columns(seen, scene.times), rival && rival.times, rival && columns(rival.seen, rival.times));
    plots.cursor(player.time);
    place();
    said();
  }
  function say(text, wrong) { status.textContent = text; status.classList.toggle("chetaev-wrong", Boolean(wrong)); return false; }
  function said() {
    const parts = [];
    if (motion.reason) parts.push(`The motion ends at ${told.time} = ${motion.end.toPrecision(6)}: ${motion.reason}.`);
    for (const law of told.laws) {
      const at = Array.from({ length: FRAMES }, (_, i) => seen.values[i * seen.width + law.seen]).filter(Number.isFinite);
      const low = Math.min(...at), high = Math.max(...at);
      if (at.length) parts.push(`${law.label} = ${at[0].toPrecision(6)} (${law.known}; varies by ${(high - low).toExponential(0)})`);
    }
    if (rival && rival.motion.reason) parts.push(`The motion beside it ends at ${rival.motion.end.toPrecision(6)}: ${rival.motion.reason}.`);
    say(parts.join(" "));
  }
  // While a slider moves: a coarse motion once a frame. When it rests: the fine one.
  function change() {
    refined = null;
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; if (compute(COARSE)) paint(false); });
  }
  function settle() {
    if (compute(told.tolerance)) { refined = motion; paint(true); for (const see of watchers) see(played.values); }
    share();
  }
  function fine() { // the motion at the tolerance that is promised
    if (!refined) settle();
    return motion;
  }

  // --- sliders ---
  const panel = document.getElementById(id + "-panel");
  const text = (x) => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(3) : String(Number(x.toPrecision(6))));
  function show(s, value) {
    s.value = value;
    if (!s.input) return;
    if (value < Number(s.input.min)) s.input.min = String(value);
    if (value > Number(s.input.max)) s.input.max = String(value);
    s.input.value = String(value);
    if (document.activeElement !== s.box) s.box.value = text(value);
  }
  function set(s, value) {
    if (!Number.isFinite(value)) return;
    show(s, value);
    s.touched = true;
    change();
  }
  const heads = { parameter: "Parameters", position: "Start", velocity: "Start" };
  let head = "";
  for (const s of sliders.values()) {
    if (heads[s.kind] !== head) { head = heads[s.kind]; panel.append(make("h2", {}, head)); }
    const row = make("label", { class: "chetaev-slider" }), word = make("span", {});
    word.textContent = s.label;
    if (s.unit) word.append(make("small", {}, " " + s.unit));
    s.input = make("input", { type: "range", name: s.name, "data-name": s.name, min: String(s.low), max: String(s.high), step: "any", "aria-label": s.label });
    s.box = make("input", { type: "number", step: "any", "aria-label": s.label + ", as a number" });
    s.input.value = String(s.value); s.box.value = text(s.value);
    s.input.addEventListener("input", () => set(s, Number(s.input.value)));
    s.input.addEventListener("change", settle);
    s.box.addEventListener("change", () => { if (s.box.value.trim() === "" || !Number.isFinite(Number(s.box.value))) { s.box.value = text(s.value); return; } set(s, Number(s.box.value)); settle(); });
    row.append(word, s.input, s.box);
    panel.append(row);
  }
  panel.append(make("h2", {}, "Beside it"));
  const besides = make("select", { "aria-label": "A second motion" }), more = make("div", { class: "chetaev-more" });
  const offers = [["", "nothing"], ["kept", "the motion that was kept"], ["linear", "linearised about the kept or the model's motion"], ["rk4", "Runge–Kutta of order 4, fixed steps"], ["euler", "Euler's polygon, fixed steps"]];
  if (told.systems.length > 1) offers.splice(2, 0, ["vakonomic", "the vakonomic motion"]);
  for (const [value, label] of offers) besides.append(make("option", { value }, label));
  const number = (label, value, put) => {
    const row = make("label", { class: "chetaev-slider" }), box = make("input", { type: "number", step: "any" });
    box.value = text(value);
    box.addEventListener("change", () => { const x = Number(box.value); if (Number.isFinite(x)) { put(x); paint(false); } });
    row.append(make("span", {}, label), box);
    return row;
  };
  function choose(value) {
    beside = besides.value = value; more.textContent = "";
    if (value === "vakonomic") told.multipliers.forEach((name) => { option.multipliers[name] = option.multipliers[name] || 0; more.append(number(`${name} at the start`, option.multipliers[name], (x) => { option.multipliers[name] = x; })); });
    if (value === "rk4" || value === "euler") more.append(number("step", option.step, (x) => { option.step = Math.max(Math.abs(x), until / 20000); }));
  }
  besides.addEventListener("change", () => { choose(besides.value); if (seen) paint(false); });
  const buttons = make("div", { class: "chetaev-buttons" });
  const button = (label, title, act) => { const b = make("button", { type: "button", title }, label); b.addEventListener("click", act); buttons.append(b); return b; };
  const keep = () => {
    const mech = mechanics(0);
    mech.parameters = chosen().parameters;
    kept = { mech, motion: fine(), start: { q: start.q, v: start.v } };
    choose("kept"); paint(true);
  };
  button("Keep", "Keep this motion beside the next ones (k)", keep);
  button("Back", "All values as the model has them", () => {
    for (const s of sliders.values()) { s.touched = false; show(s, s.own); }
    until = told.until; settle();
  });
  button("Link", "Copy a link to this state", () => { share(); if (navigator.clipboard) navigator.clipboard.writeText(location.href).catch(() => {}); });
  panel.append(besides, more, number(`until ${told.time} =`, until, (x) => { if (x !== start.t) { until = x - start.t; settle(); } }), buttons);

  // --- a link to a state: #theta=0.41&t=1.3 ---
  function share() {
    const parts = [...sliders.values()].filter((s) => s.touched).map((s) => `${encodeURIComponent(s.name)}=${Number(s.value.toPrecision(10))}`);
    try { history.replaceState(null, "", "#" + [...parts, `t=${Number(player.time.toPrecision(6))}`].join("&")); } catch { /* a frame without an address */ }
  }
  function linked() {
    let t = null;
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
      const s = sliders.get(alias(name)), x = Number(value);
      if (s && Number.isFinite(x)) { s.touched = true; show(s, x); } else if (name === "t" && Number.isFinite(x)) t = x;
    }
    return t;
  }
  const alias = (name) => (sliders.has(name) ? name : name.endsWith("'") ? name.slice(0, -1) + "_dot" : name);

  // --- hands: a body is moved to a new start ---
  function places() { return scene.bodies.filter((b) => b.recipe && !b.ghost && !b.floor && (b.recipe.position || b.recipe.to || b.recipe.at) && b.kind !== "label" && b.kind !== "arrow"); }
  player.grasp = (x, y) => {
    const [width, height] = player.size, i = frame(), eye = () => window.chetaevLook(scene, player.view, i, 0, width, height);
    let best = 24, body = null;
    for (const b of places()) {
      const p = eye().project(eye().placed(b)), e = Math.hypot(p[0] - x, p[1] - y);
      if (e < best) { best = e; body = b; }
    }
    if (!body) return null;
    player.pause();
    const recipe = body.recipe.position || body.recipe.to || body.recipe.at;
    player.seek(motion.start);
    return {
      move(px, py) {
        const look = window.chetaevLook(scene, player.view, 0, 0, width, height), at = look.placed(body), p = look.project(at);
        const d = [(px - p[0]) / p[3], (p[1] - py) / p[3]], want = at.map((_, k) => d[0] * look.right[k] + d[1] * look.over[k]);
        pull(recipe, want, [look.right, look.over]);
      },
      drop() { settle(); },
    };
  };
  const frame = () => { let i = 0; while (i + 1 < scene.times.length && Math.abs(scene.times[i + 1] - motion.start) <= Math.abs(player.time - motion.start)) i++; return i; };
  // Positions at the start such that a point moves as wanted on the screen: J dq = wanted, dq as small as can be.
  function pull(recipe, want, directions) {
    const at = (q) => {
      const m = { start: start.t, end: start.t, at: (t, out) => { out.fill(0); out.set(q); out.set(start.v, n); return out; } };
      const row = system.look(m, [start.t], told.width).values;
      return recipe.map((p) => row[p]);
    };
    const q = Float64Array.from(start.q), here = at(q), J = [[], []], h = 1e-6;
    for (let j = 0; j < n; j++) {
      const moved = q.slice(), step = h * Math.max(1, Math.abs(q[j]));
      moved[j] += step;
      const there = at(moved);
      for (const r of [0, 1]) J[r][j] = there.reduce((s, x, k) => s + (x - here[k]) / step * directions[r][k], 0);
    }
    const w = directions.map((d) => d.reduce((s, x, k) => s + x * want[k], 0));
    const G = Float64Array.from([0, 1, 2, 3], (k) => J[k >> 1].reduce((s, x, j) => s + x * J[k & 1][j], 0)), y = new Float64Array(2);
    window.chetaevSolve(G, Float64Array.from(w), y, 2, 2, new Int32Array(2));
    for (let j = 0; j < n; j++) {
      const by = J[0][j] * y[0] + J[1][j] * y[1], s = sliders.get(names[j]);
      if (Math.abs(by) > 1e-12 && s) { show(s, q[j] + by); s.touched = true; }
    }
    change();
  }

  // --- a map of stability: how many eigenvalues lie on the right, and where the present values are ---
  const place = told.map ? mapped(told.map) : () => {};
  function mapped({ names: over, x, y, unstable, labels }) {
    const box = make("figure", { class: "chetaev-plot", id: id + "-map" }), canvas = make("canvas", { role: "img", "aria-label": "A map of stability; a click goes to those values" });
    const word = make("figcaption", {}, `Stability: ${labels[1]} over ${labels[0]}`), list = make("ul", {}), counts = [...new Set(unstable)].sort((a, b) => a - b);
    const tone = (k) => (k < 0 ? "#8c939c" : k === 0 ? "#56b4e9" : ["#fdd9c3", "#f3a77c", "#d55e00"][Math.min(k, 3) - 1]);
    for (const k of counts) { const item = make("li", {}), swatch = make("span", { class: "chetaev-swatch" }); swatch.style.background = tone(k); item.append(swatch, k < 0 ? "no steady motion" : `${k || "none"} on the right`); list.append(item); }
    box.append(word, canvas, list);
    document.getElementById(id + "-plots").append(box);
    const L = 52, B = 20, spot = ([a, b], w, h) => [L + (w - L - 8) * (a - x[0]) / (x[x.length - 1] - x[0]), h - B - (h - B - 6) * (b - y[0]) / (y[y.length - 1] - y[0])];
    canvas.addEventListener("click", (e) => {
      const r = canvas.getBoundingClientRect(), part = [(e.clientX - r.left - L) / (r.width - L - 8), (r.bottom - B - e.clientY) / (r.height - B - 6)].map((p) => Math.min(1, Math.max(0, p)));
      played.set({ [over[0]]: x[0] + part[0] * (x[x.length - 1] - x[0]), [over[1]]: y[0] + part[1] * (y[y.length - 1] - y[0]) });
    });
    return () => {
      const w = canvas.clientWidth, h = canvas.clientHeight, ratio = Math.min(3, window.devicePixelRatio || 1), g = canvas.getContext("2d"), ink = getComputedStyle(box).color;
      canvas.width = w * ratio; canvas.height = h * ratio;
      g.scale(ratio, ratio);
      const dx = (w - L - 8) / (x.length - 1), dy = (h - B - 6) / (y.length - 1);
      g.save(); g.beginPath(); g.rect(L, 6, w - L - 8, h - B - 6); g.clip();
      unstable.forEach((k, i) => { const [a, b] = spot([x[Math.floor(i / y.length)], y[i % y.length]], w, h); g.fillStyle = tone(k); g.fillRect(a - dx / 2 - 0.5, b - dy / 2 - 0.5, dx + 1, dy + 1); });
      g.restore();
      g.fillStyle = g.strokeStyle = ink; g.font = "11px system-ui,sans-serif"; g.textBaseline = "middle"; g.textAlign = "right";
      g.fillText(text(y[0]), L - 5, h - B - 4); g.fillText(text(y[y.length - 1]), L - 5, 12);
      g.textBaseline = "top"; g.textAlign = "left"; g.fillText(text(x[0]), L, h - B + 5); g.textAlign = "right"; g.fillText(text(x[x.length - 1]), w - 8, h - B + 5);
      const others = [...sliders.values()].some((s) => s.kind === "parameter" && !over.includes(s.name) && s.value !== s.own);
      word.textContent = `Stability: ${labels[1]} over ${labels[0]}` + (others ? ", other parameters as the model has them" : "");
      const [a, b] = spot(over.map((name) => sliders.get(name).value), w, h);
      g.beginPath(); g.arc(a, b, 5, 0, 7); g.fillStyle = "#fff"; g.fill(); g.lineWidth = 2; g.strokeStyle = "#000"; g.stroke();
    };
  }

  player.canvas.addEventListener("keydown", (e) => { if (e.key === "k") keep(); });
  const plots = window.chetaevPlots(document.getElementById(id + "-plots"), told.panels, (t) => { player.seek(t); share(); });
  player.watch((t) => plots.cursor(t));
  root.dataset.played = "true";
  const at = linked();
  if (compute(told.tolerance)) { refined = motion; paint(true); }
  const calm = window.matchMedia && matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (at !== null) player.seek(at);
  else if (told.autoplay && !calm && motion) player.play();
  const played = {
    set(values) { // {name: value}: parameters, coordinates, velocities as x_dot; "until" too
      for (const name in values) {
        const s = sliders.get(alias(name)), x = Number(values[name]);
        if (!Number.isFinite(x)) throw new Error(`${name} is not a finite number: ${values[name]}`);
        if (name === "until") until = x - start.t;
        else if (!s) throw new Error(`there is no ${name} to set: only ${[...sliders.keys()].join(", ")} and until`);
        else { s.touched = true; show(s, x); }
      }
      refined = null;
      settle();
      return !status.classList.contains("chetaev-wrong");
    },
    at(t) { // the state at a time: {coordinate: value, coordinate_dot: value}
      const m = fine(), out = new Float64Array(system.d);
      if ((t - m.start) * (t - m.end) > 0) return null;
      m.at(t, out);
      return Object.fromEntries([...names.map((c, i) => [c, out[i]]), ...names.map((c, i) => [c + "_dot", out[n + i]])]);
    },
    get until() { return fine().end; },
    get values() { return Object.fromEntries([...sliders.values()].map((s) => [s.name, s.value])); },
    watch: (see) => watchers.push(see),
    keep, beside: (value) => { choose(value); paint(true); },
    get motions() { return { main: motion, beside: rival && rival.motion }; },
    player,
  };
  window.chetaev = played;
  return played;
};
