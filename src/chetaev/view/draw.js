// Painting a scene on a canvas: interpolation in time, projection, shading, painter's algorithm.
// Pictures in files are painted by it, too: painted.py.
"use strict";
window.chetaevDraw = (function () {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const add = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => { const n = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const rgb = (c) => [parseInt(c.slice(1, 3), 16), parseInt(c.slice(3, 5), 16), parseInt(c.slice(5, 7), 16)];
  // A colour as it is seen on this paper: the ink, or on a dark page a darker one lifted towards white.
  function seen(c, look) {
    if (c === "ink") return look.ink;
    if (!look.dark || c[0] !== "#") return c;
    const k = rgb(c), lift = 0.45 * Math.max(0, 1 - (0.3 * k[0] + 0.59 * k[1] + 0.11 * k[2]) / 150);
    return "#" + k.map((x) => Math.round(x + (255 - x) * lift).toString(16).padStart(2, "0")).join("");
  }

  // A row of k numbers of a track at frame i + f; a track of one row is constant.
  function row(track, k, i, f) {
    const n = track.length / k, a = Math.min(i, n - 1) * k, b = Math.min(i + 1, n - 1) * k, r = new Array(k);
    for (let j = 0; j < k; j++) r[j] = track[a + j] + f * (track[b + j] - track[a + j]);
    return r;
  }
  function turn(track, i, f) {
    const q = row(track, 4, i, f), n = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
    const w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    return [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)];
  }
  // The pose of a body: matrix (row by row) and origin.
  function pose(body, i, f) {
    if (!body.from) return [turn(body.rotation, i, f), row(body.position, 3, i, f)];
    const p = row(body.from, 3, i, f), d = sub(row(body.to, 3, i, f), p), z = unit(d);
    const m = Math.abs(z[0]), n = Math.abs(z[1]), k = Math.abs(z[2]);
    const x = unit(cross(m <= n && m <= k ? [1, 0, 0] : n <= k ? [0, 1, 0] : [0, 0, 1], z)), y = cross(z, x);
    return [[x[0], y[0], d[0], x[1], y[1], d[1], x[2], y[2], d[2]], p];
  }
  function placed(body, i, f) {
    const [m, p] = pose(body, i, f), v = body.vertices, points = new Array(v.length / 3);
    for (let j = 0; j < points.length; j++) {
      const a = v[3 * j], b = v[3 * j + 1], c = v[3 * j + 2];
      points[j] = [p[0] + m[0] * a + m[1] * b + m[2] * c, p[1] + m[3] * a + m[4] * b + m[5] * c,
                   p[2] + m[6] * a + m[7] * b + m[8] * c];
    }
    return points;
  }
  // The axes that belong to "up": to the right, away from the viewer, up.
  function axes(up) {
    const z = unit(up), x = Math.abs(z[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
    const right = unit(add(x, z, -dot(x, z)));
    return [right, cross(z, right), z];
  }
  function eye(scene, view) {
    const [r, g, u] = axes(scene.up), a = view.azimuth * Math.PI / 180, e = view.elevation * Math.PI / 180;
    const d = [0, 1, 2].map((k) => Math.cos(e) * (Math.sin(a) * r[k] - Math.cos(a) * g[k]) + Math.sin(e) * u[k]);
    const right = [0, 1, 2].map((k) => Math.cos(a) * r[k] + Math.sin(a) * g[k]);
    return { d, right, over: cross(d, right), up: u };
  }
  // A function from space to the screen: x, y, depth (towards the viewer), and the scale there.
  function projector(scene, view, target, width, height) {
    const c = eye(scene, view), lo = scene.box.slice(0, 3), hi = scene.box.slice(3);
    const middle = lo.map((x, k) => (x + hi[k]) / 2), radius = Math.hypot(...sub(hi, lo)) / 2 || 1;
    const far = scene.camera.flat ? Infinity : 4.2 * radius;
    const flatten = (p) => {
      const s = sub(p, middle), z = dot(s, c.d), k = far === Infinity ? 1 : far / Math.max(far - z, 0.02 * far);
      return [dot(s, c.right) * k, dot(s, c.over) * k];
    };
    let w = 0, h = 0, l = Infinity, t = Infinity;
    w = h = -Infinity;
    for (let k = 0; k < 8; k++) {
      const [x, y] = flatten([k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]]);
      w = Math.max(w, x); l = Math.min(l, x); h = Math.max(h, y); t = Math.min(t, y);
    }
    const fit = 0.92 * Math.min(width / Math.max(w - l, 0.35 * radius), height / Math.max(h - t, 0.35 * radius));
    const scale = fit * view.zoom, mx = (w + l) / 2, my = (h + t) / 2;
    const centre = [target[0] + middle[0], target[1] + middle[1], target[2] + middle[2]];
    const project = (p) => {
      const s = sub(p, centre), z = dot(s, c.d), k = far === Infinity ? 1 : far / (far - z);
      return [width / 2 + view.x + scale * (dot(s, c.right) * k - mx),
              height / 2 + view.y - scale * (dot(s, c.over) * k - my), z, scale * k];
    };
    return { project, near: far === Infinity ? Infinity : 0.96 * far, c, centre, radius: radius / Math.min(view.zoom, 1), scale };
  }
  // The part of a polygon in front of the viewer.
  function clipped(points, eye) {
    if (eye.near === Infinity) return points.map(eye.project);
    const depth = (p) => eye.near - dot(sub(p, eye.centre), eye.c.d), out = [];
    for (let i = 0; i < points.length; i++) {
      const a = points[i], b = points[(i + 1) % points.length], da = depth(a), db = depth(b);
      if (da > 0) out.push(a);
      if (da > 0 !== db > 0) out.push(add(a, sub(b, a), da / (da - db)));
    }
    return out.map(eye.project);
  }
  function trail(g, points) {
    g.beginPath();
    points.forEach((p, i) => (i ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
  }
  function shade(color, normal, light, toEye) {
    const l = Math.max(0, dot(normal, light)), half = unit(add(light, toEye, 1));
    const s = 0.12 * Math.pow(Math.max(0, dot(normal, half)), 24), k = 0.56 + 0.5 * l, c = rgb(color);
    return `rgb(${c.map((x) => Math.min(255, Math.round(x * k + 255 * s))).join(",")})`;
  }
  function hull(points) {
    const p = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]), out = [];
    for (const list of [p, p.slice().reverse()]) {
      const start = out.length;
      for (const q of list) {
        while (out.length - start > 1) {
          const [a, b] = [out[out.length - 2], out[out.length - 1]];
          if ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) > 0) break;
          out.pop();
        }
        out.push(q);
      }
      out.pop();
    }
    return out;
  }

  function plane(g, body, i, f, eye, look, target) {
    const [m, p0] = pose(body, i, f), e1 = [m[0], m[3], m[6]], e2 = [m[1], m[4], m[7]], n = [m[2], m[5], m[8]];
    let p = p0, hx = body.half_x, hy = body.half_y;
    const step = body.grid, origin = p0;
    if (body.endless) {
      p = add(target, n, -dot(sub(target, p0), n));
      hx = hy = 2.8 * eye.radius;
    }
    const at = (u, v) => add(add(origin, e1, u), e2, v);
    const cu = dot(sub(p, origin), e1), cv = dot(sub(p, origin), e2);
    const corners = [at(cu - hx, cv - hy), at(cu + hx, cv - hy), at(cu + hx, cv + hy), at(cu - hx, cv + hy)];
    g.globalAlpha = (eye.above ? 1 : 0.35) * (body.opacity ?? 1);
    g.fillStyle = look.plane;
    if (body.endless) { // no edge: it fades out
      const solid = g.globalAlpha;
      for (const s of [1, 0.9, 0.8, 0.7, 0.6]) {
        const ring = Array.from({ length: 48 }, (_, k) => at(cu + s * hx * Math.cos(k * Math.PI / 24), cv + s * hy * Math.sin(k * Math.PI / 24)));
        g.globalAlpha = 0.4 * solid;
        trail(g, clipped(ring, eye)); g.closePath(); g.fill();
      }
    } else { trail(g, clipped(corners, eye)); g.closePath(); g.fill(); }
    const edge = (u, v) => body.endless ? Math.max(0, 1 - Math.hypot((u - cu) / hx, (v - cv) / hy)) : 1;
    for (const [c, h, k, along] of [[cu, hx, hy, 0], [cv, hy, hx, 1]]) {
      const across = along ? cu : cv;
      for (let j = Math.ceil((c - h) / step - 1e-9); j * step <= c + h + 1e-9; j++) {
        const s = j * step, line = (t) => (along ? at(t, s) : at(s, t)), pieces = body.endless ? 12 : 1;
        g.strokeStyle = look.grid; g.lineWidth = j === 0 && !body.endless ? 1.6 : 0.8;
        for (let q = 0; q < pieces; q++) {
          const t0 = across - k + 2 * k * q / pieces, t1 = across - k + 2 * k * (q + 1) / pieces, tm = (t0 + t1) / 2;
          const a = along ? edge(tm, s) : edge(s, tm);
          if (a <= 0) continue;
          g.globalAlpha = a * (eye.above ? 1 : 0.5);
          const ends = clipped([line(t0), line(t1)], eye);
          if (ends.length > 1) { trail(g, ends.slice(0, 2)); g.stroke(); }
        }
      }
    }
    g.globalAlpha = 1;
  }
  function shadows(g, scene, floor, i, f, eye, look) {
    const [m, p] = pose(floor, i, f), n = [m[2], m[5], m[8]], e1 = [m[0], m[3], m[6]], e2 = [m[1], m[4], m[7]];
    const slope = dot(n, eye.c.up);
    if (Math.abs(slope) < 0.2) return;
    g.save();
    if (floor.kind === "plane" && !floor.endless) { // nothing falls beside the plane
      const x = floor.half_x, y = floor.half_y;
      trail(g, clipped([[-x, -y], [x, -y], [x, y], [-x, y]].map(([u, v]) => add(add(p, e1, u), e2, v)), eye));
      g.closePath(); g.clip();
    }
    g.fillStyle = look.shadow;
    for (const body of scene.bodies) {
      if (!body.shadow) continue;
      let points;
      if (body.kind === "dot") {
        const c = row(body.position, 3, i, f), r = body.radius;
        points = Array.from({ length: 20 }, (_, k) => add(add(c, e1, r * Math.cos(k * Math.PI / 10)), e2, r * Math.sin(k * Math.PI / 10)));
      } else if (body.kind === "mesh" && !body.floor) points = placed(body, i, f);
      else continue;
      const flat = points.map((q) => add(q, eye.c.up, -dot(sub(q, p), n) / slope));
      const screen = flat.map(eye.project).filter((q) => q[2] < eye.near);
      if (screen.length > 2) { trail(g, hull(screen)); g.closePath(); g.fill(); }
    }
    g.restore();
  }
  function faces(body, i, f, eye, look, items) {
    const world = placed(body, i, f), screen = world.map(eye.project), ink = (c) => seen(c, look);
    body.faces.forEach((face, j) => {
      const s = face.map((k) => screen[k]);
      if (s.some((q) => q[2] > eye.near)) return;
      let area = 0;
      for (let k = 0; k < s.length; k++) {
        const q = s[(k + 1) % s.length];
        area += s[k][0] * q[1] - q[0] * s[k][1];
      }
      if (area >= 0 && !body.hollow) return; // seen from behind (the y axis of the screen points down)
      const w = face.map((k) => world[k]);
      let n = unit(cross(sub(w[1], w[0]), sub(w[2], w[0])));
      if (w.length > 3 && !Number.isFinite(n[0] + n[1])) n = unit(cross(sub(w[2], w[0]), sub(w[3], w[0])));
      if (area > 0) n = [-n[0], -n[1], -n[2]];
      const style = shade(ink(body.colors[body.tints[j]]), n, look.light, eye.c.d);
      items.push({ z: s.reduce((t, q) => t + q[2], 0) / s.length, s, style, alpha: body.opacity ?? 1 });
    });
    for (const [a, b] of body.lines) {
      const s = [screen[a], screen[b]];
      if (s.some((q) => q[2] > eye.near)) continue;
      items.push({ z: (s[0][2] + s[1][2]) / 2, s, stroke: ink(body.colors[body.colors.length - 1]), width: body.width || 1.5, alpha: body.opacity ?? 1 });
    }
  }
  function path(body, scene, i, f, eye, look, items) {
    const n = body.points.length / 3, color = seen(body.color, look);
    const piece = (a, b, alpha) => {
      const s = [eye.project(a), eye.project(b)];
      if (s[0][2] > eye.near || s[1][2] > eye.near) return;
      items.push({ z: (s[0][2] + s[1][2]) / 2 - 1e-3 * eye.radius, s, stroke: color, width: body.width, alpha });
    };
    const now = scene.times[i] + f * ((scene.times[i + 1] ?? scene.times[i]) - scene.times[i]);
    for (let k = 0; k + 1 < n; k++) {
      if (k > i && !body.whole) break;
      const a = row(body.points, 3, k, 0), b = k === i && !body.whole ? row(body.points, 3, k, f) : row(body.points, 3, k + 1, 0);
      let alpha = 0.9 * (body.opacity ?? 1);
      if (k > i) alpha *= 0.25;
      else if (body.fade > 0) alpha *= Math.max(0, 1 - Math.abs(now - scene.times[k]) / body.fade);
      if (alpha > 0.01) piece(a, b, alpha);
    }
  }
  function paint(g, item) {
    g.globalAlpha = item.alpha;
    if (item.draw) item.draw();
    else if (item.stroke) {
      g.strokeStyle = item.stroke; g.lineWidth = item.width;
      g.lineCap = item.alpha < 1 ? "butt" : "round"; // overlapping ends would show as dots
      trail(g, item.s); g.stroke();
    } else {
      g.fillStyle = item.style; g.strokeStyle = item.style; g.lineWidth = 0.9;
      trail(g, item.s); g.closePath(); g.fill();
      if (item.alpha === 1) g.stroke(); // closes the seams
    }
  }
  function arrow(g, body, i, f, eye, look, items) {
    const a = eye.project(row(body.at, 3, i, f)), b = eye.project(row(body.tip, 3, i, f));
    const dx = b[0] - a[0], dy = b[1] - a[1], l = Math.hypot(dx, dy), color = seen(body.color, look);
    if (!(l > 2) || a[2] > eye.near || b[2] > eye.near) return;
    const h = Math.min(11, 0.5 * l), ux = dx / l, uy = dy / l;
    items.push({ z: Math.max(a[2], b[2]), alpha: body.opacity ?? 1, through: true, draw: () => {
      g.strokeStyle = g.fillStyle = color; g.lineWidth = 2.6;
      trail(g, [a, [b[0] - 0.8 * h * ux, b[1] - 0.8 * h * uy]]); g.stroke();
      trail(g, [b, [b[0] - h * ux - 0.42 * h * uy, b[1] - h * uy + 0.42 * h * ux], [b[0] - h * ux + 0.42 * h * uy, b[1] - h * uy - 0.42 * h * ux]]);
      g.closePath(); g.fill();
      if (body.text) { g.font = "13px system-ui,sans-serif"; g.textAlign = "center"; g.fillText(body.text, b[0] + 12 * ux, b[1] + 12 * uy + 4); }
    } });
  }
  function round(g, body, i, f, eye, look, items) {
    const c = eye.project(row(body.position, 3, i, f)), r = Math.max(2.5, body.radius * c[3]);
    const color = seen(body.color, look);
    if (c[2] > eye.near) return;
    items.push({ z: c[2] + body.radius, alpha: body.opacity ?? 1, draw: () => {
      const glow = g.createRadialGradient(c[0] - 0.35 * r, c[1] - 0.4 * r, 0.1 * r, c[0], c[1], r), k = color[0] === "#" ? rgb(color) : null;
      const tone = (s, w) => (k ? `rgb(${k.map((x) => Math.round(x * s + 255 * w)).join(",")})` : color);
      glow.addColorStop(0, tone(0.55, 0.45)); glow.addColorStop(0.45, tone(1, 0)); glow.addColorStop(1, tone(0.6, 0));
      g.fillStyle = glow; g.beginPath(); g.arc(c[0], c[1], r, 0, 2 * Math.PI); g.fill();
    } });
  }

  // Where a point is on the screen, and the two directions of space that the screen shows: for hands that move things.
  window.chetaevLook = function (scene, view, i, f, width, height) {
    const e = projector(scene, view, row(scene.follow, 3, i, f), width, height);
    return { project: e.project, right: e.c.right, over: e.c.over, placed: (body) => row(body.position || body.to || body.at, 3, i, f) };
  };

  // Draws the scene at frame i + f.
  return function draw(g, scene, view, i, f, width, height, look) {
    const target = row(scene.follow, 3, i, f), eye = projector(scene, view, target, width, height);
    const light = unit(add(add(eye.c.up, eye.c.right, -0.45), eye.c.d, 0.75));
    look = { ...look, light };
    g.lineJoin = g.lineCap = "round";
    const floors = scene.bodies.filter((b) => b.floor), rest = scene.bodies.filter((b) => !b.floor);
    const lay = () => {
      for (const body of floors) {
        const [m, p] = pose(body, i, f), n = [m[2], m[5], m[8]];
        const seen = scene.camera.flat ? eye.c.d : sub(add(eye.centre, eye.c.d, 4.2 * eye.radius), p);
        eye.above = dot(n, seen) >= 0;
        if (body.kind === "plane") plane(g, body, i, f, eye, look, target);
        else { const items = []; faces(body, i, f, eye, look, items); items.sort((a, b) => a.z - b.z).forEach((x) => paint(g, x)); }
        g.globalAlpha = 1;
      }
      if (floors.length && eye.above) shadows(g, scene, floors[floors.length - 1], i, f, eye, look);
    };
    const items = [];
    for (const body of rest) {
      if (body.kind === "mesh") faces(body, i, f, eye, look, items);
      else if (body.kind === "trace") path(body, scene, i, f, eye, look, items);
      else if (body.kind === "arrow") arrow(g, body, i, f, eye, look, items);
      else if (body.kind === "dot") round(g, body, i, f, eye, look, items);
    }
    const below = floors.length && dot(eye.c.d, eye.c.up) < 0;
    if (!below) lay();
    items.sort((a, b) => a.z - b.z).forEach((x) => paint(g, x));
    for (const x of items) if (x.through) paint(g, { ...x, alpha: 0.5 * x.alpha }); // arrows shine through bodies
    if (below) lay();
    g.globalAlpha = 1;
    for (const body of rest) {
      if (body.kind !== "label") continue;
      const c = eye.project(row(body.position, 3, i, f)), value = body.value ? row(body.value, 1, i, f)[0] : null;
      g.font = "14px system-ui,sans-serif"; g.textAlign = "center";
      g.fillStyle = body.color === "ink" ? look.ink : body.color;
      g.fillText(body.text + (value === null ? "" : (body.text ? " " : "") + value.toPrecision(3)), c[0], c[1] + 5);
    }
    if (width < 300 || height < 200) return;
    g.font = "11px system-ui,sans-serif";
    if (!scene.camera.flat) { // the three directions of space
      const at = [30, height - 30], tips = ["x", "y", "z"].map((name, k) => ({ name, x: eye.c.right[k], y: -eye.c.over[k], z: eye.c.d[k] }));
      g.textAlign = "center"; g.lineWidth = 1.8;
      for (const { name, x, y } of tips.sort((a, b) => a.z - b.z)) {
        g.strokeStyle = g.fillStyle = seen({ x: "#d55e00", y: "#009e73", z: "#0072b2" }[name], look);
        trail(g, [at, [at[0] + 18 * x, at[1] + 18 * y]]); g.stroke();
        if (Math.hypot(x, y) > 0.25) g.fillText(name, at[0] + 25 * x, at[1] + 25 * y + 4);
      }
    }
    const ruled = floors.find((b) => b.kind === "plane");
    if (ruled) { g.textAlign = "right"; g.fillStyle = look.ink; g.globalAlpha = 0.6; g.fillText(`grid ${Number(ruled.grid.toPrecision(3))}`, width - 10, height - 10); g.globalAlpha = 1; }
  };
})();
