// From values to pictures: where the bodies of a scene are at the times shown, how large they are, where the floor lies.
// The same steps in Python: scene_of_motion.py and floors.py.
"use strict";
window.chetaevTracks = (function () {
  const AXES = { x: [1, 2], y: [2, 0], z: [0, 1] };
  // Values of one expression at all times; where there is none, the last one is held.
  function column(seen, place) {
    const n = seen.values.length / seen.width, out = new Float64Array(n);
    let held = 0;
    for (let i = 0; i < n && !Number.isFinite(held = seen.values[i * seen.width + place]); i++);
    for (let i = 0; i < n; i++) {
      const x = seen.values[i * seen.width + place];
      if (Number.isFinite(x)) held = x;
      out[i] = Number.isFinite(held) ? held : 0;
    }
    return out;
  }
  function points(seen, places) {
    const columns = places.map((p) => column(seen, p)), n = columns[0].length, out = new Float64Array(3 * n);
    for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) out[3 * i + k] = columns[k][i];
    return out;
  }
  function times3(a, b) { // products of 3×3 matrices, row by row
    const r = new Array(9);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) r[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    return r;
  }
  function about(axis, angle) {
    const [j, k] = AXES[axis], r = [1, 0, 0, 0, 1, 0, 0, 0, 1], c = Math.cos(angle), s = Math.sin(angle);
    r[3 * j + j] = r[3 * k + k] = c; r[3 * j + k] = -s; r[3 * k + j] = s;
    return r;
  }
  function quaternion(m) {
    const t = m[0] + m[4] + m[8];
    const rows = [[1 + t, m[7] - m[5], m[2] - m[6], m[3] - m[1]], [m[7] - m[5], 1 - t + 2 * m[0], m[1] + m[3], m[2] + m[6]],
      [m[2] - m[6], m[1] + m[3], 1 - t + 2 * m[4], m[5] + m[7]], [m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - t + 2 * m[8]]];
    let best = 0;
    for (let k = 1; k < 4; k++) if (rows[k][k] > rows[best][best]) best = k; // no division by a small number
    const q = rows[best], n = Math.hypot(...q);
    return q.map((x) => x / n);
  }
  function rotations(seen, recipe) {
    const n = seen.values.length / seen.width, out = new Float64Array(4 * n);
    const frame = (recipe.frame || []).map((axis) => points(seen, axis)), turns = (recipe.turns || []).map(([axis, p]) => [axis, column(seen, p)]);
    for (let i = 0; i < n; i++) {
      let m = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      if (frame.length) m = [0, 1, 2].flatMap((k) => frame.map((axis) => axis[3 * i + k]));
      for (const [axis, angle] of turns) m = times3(m, about(axis, angle[i]));
      let q = quaternion(m), dot = 0;
      for (let k = 0; k < 4; k++) dot += i ? q[k] * out[4 * (i - 1) + k] : 1;
      for (let k = 0; k < 4; k++) out[4 * i + k] = dot < 0 ? -q[k] : q[k]; // no jumps of sign
    }
    return out;
  }
  const matrix = (q, i) => {
    const [w, x, y, z] = q.slice(4 * i, 4 * i + 4);
    return [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
            2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)];
  };
  function resized(body, seen, sheets, parameters) {
    const recipe = body.recipe;
    body.rest = body.rest || body.vertices;
    if (recipe.stretch) {
      const s = recipe.stretch.map((p, k) => (p === null ? 1 : column(seen, p)[0] / recipe.now[k]));
      body.vertices = Float64Array.from(body.rest, (x, k) => x * s[k % 3]);
    } else if (recipe.sheet !== undefined) {
      const ends = recipe.ends.map((pair) => pair.map((p) => column(seen, p)[0])), [n, m = 1] = recipe.counts, out = new Float64Array(3 * n * m), at = [];
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < m; j++) {
          const u = ends.map(([a, b], k) => a + (b - a) * (k ? j / (m - 1) : i / (n - 1)));
          sheets[recipe.sheet](u, parameters, at);
          if (at.every(Number.isFinite)) out.set(at, 3 * (i * m + j)); else return;
        }
      }
      body.vertices = out;
    }
  }
  // The lowest and highest corner of everything but floors, seen from the point that the camera follows.
  function extent(scene) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], count = scene.times.length, follow = scene.follow;
    const take = (p, i, reach = 0) => {
      const f = follow.length > 3 ? 3 * i : 0;
      for (let k = 0; k < 3; k++) { const x = p[k] - follow[f + k]; low[k] = Math.min(low[k], x - reach); high[k] = Math.max(high[k], x + reach); }
    };
    const every = (track) => { for (let i = 0; i < (track.length > 3 ? count : 1); i++) take(track.slice(3 * i, 3 * i + 3), i); };
    for (const body of scene.bodies) {
      if (body.ghost || (body.floor && !body.vertices) || body.name === "wedge" || (body.kind === "trace" && follow.length > 3)) continue;
      for (const key of ["from", "to", "at", "tip", "points"]) if (body[key]) every(body[key]);
      if (!body.position) continue;
      if (!body.vertices) { for (let i = 0; i < count; i++) take(body.position.slice(body.position.length > 3 ? 3 * i : 0).slice(0, 3), i, body.radius || 0); continue; }
      const v = body.vertices;
      for (let s = 0; s <= 40; s++) {
        const i = Math.round(s * (count - 1) / 40), m = matrix(body.rotation, body.rotation.length > 4 ? i : 0), p = body.position.slice(body.position.length > 3 ? 3 * i : 0);
        for (let j = 0; j < v.length; j += 3) {
          take([0, 1, 2].map((k) => p[k] + m[3 * k] * v[j] + m[3 * k + 1] * v[j + 1] + m[3 * k + 2] * v[j + 2]), i);
        }
        if (body.position.length <= 3 && body.rotation.length <= 4) break;
      }
    }
    if (!(high[0] >= low[0])) return scene.box;
    if (!(Math.max(...high.map((h, k) => h - low[k])) > 0)) for (let k = 0; k < 3; k++) { low[k] -= 0.5; high[k] += 0.5; }
    return [...low, ...high];
  }
  const nice = (length) => { // 1, 2 or 5 times a power of ten, about as large
    const power = 10 ** Math.floor(Math.log10(length));
    return power * [1, 2, 5, 10].reduce((a, b) => (Math.abs(Math.log(b * power / length)) < Math.abs(Math.log(a * power / length)) ? b : a));
  };
  // Planes as large as what stands on them, and the wedge below an incline.
  function lay(scene, seen) {
    const box = scene.box.slice(), low = box.slice(0, 3), high = box.slice(3), size = Math.max(...high.map((h, k) => h - low[k]));
    scene.bodies.forEach((plane, index) => {
      if (plane.kind !== "plane" || !plane.recipe) return;
      const recipe = plane.recipe, n = scene.times.length;
      const position = recipe.position ? points(seen, recipe.position) : new Float64Array(3), rotation = rotations(seen, recipe), m = matrix(rotation, 0);
      const flat = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => {
        const d = [0, 1, 2].map((k) => (c >> k & 1 ? high : low)[k] - position[k]);
        return [0, 1, 2].map((k) => m[k] * d[0] + m[3 + k] * d[1] + m[6 + k] * d[2]);
      });
      const least = [0, 1, 2].map((k) => Math.min(...flat.map((p) => p[k]))), most = [0, 1, 2].map((k) => Math.max(...flat.map((p) => p[k])));
      let half = [0, 1].map((k) => Math.max((most[k] - least[k]) / 2 + 0.08 * size, 0.08 * size));
      const shift = [0, 0, recipe.below ? least[2] : 0];
      if (recipe.size) half = recipe.size.map((p) => column(seen, p)[0] / 2);
      else if (!plane.endless) { shift[0] = (most[0] + least[0]) / 2; shift[1] = (most[1] + least[1]) / 2; }
      plane.rotation = rotation;
      plane.position = new Float64Array(3 * n);
      for (let i = 0; i < n; i++) {
        const r = matrix(rotation, i), p = position.length > 3 ? 3 * i : 0;
        for (let k = 0; k < 3; k++) plane.position[3 * i + k] = position[p + k] + r[3 * k] * shift[0] + r[3 * k + 1] * shift[1] + r[3 * k + 2] * shift[2];
      }
      [plane.half_x, plane.half_y] = half;
      if (!plane.fixedGrid) plane.grid = nice(Math.max(...half) / 6);
      const wedge = scene.bodies[index - 1], corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
        [0, 1, 2].map((k) => plane.position[k] + a * half[0] * m[3 * k] + b * half[1] * m[3 * k + 1]));
      const middle = [0, 1, 2].map((k) => corners.reduce((s, c) => s + c[k] / 4, 0)), along = (c) => c.reduce((s, x, k) => s + x * scene.up[k], 0);
      if (wedge && wedge.name === "wedge") {
        const floor = Math.min(...corners.map(along)), foot = corners.map((c) => c.map((x, k) => x - (along(c) - floor) * scene.up[k]));
        wedge.vertices = [...corners, ...foot].flatMap((c) => c.map((x, k) => x - middle[k]));
        wedge.position = middle;
        foot.forEach((c) => corners.push(c));
      }
      if (!plane.endless) for (const c of corners) for (let k = 0; k < 3; k++) { box[k] = Math.min(box[k], c[k]); box[3 + k] = Math.max(box[3 + k], c[k]); }
    });
    return box;
  }
  // Sets all tracks of the bodies; the box and the floors only where `whole` is said.
  return function (scene, seen, { sheets, parameters, whole, bodies = scene.bodies }) {
    if (scene.recipe.follow.length && bodies === scene.bodies) scene.follow = points(seen, scene.recipe.follow);
    for (const body of bodies) {
      const recipe = body.recipe;
      if (!recipe || body.kind === "plane") continue;
      for (const key of ["position", "from", "to", "points", "at"]) if (recipe[key]) body[key] = points(seen, recipe[key]);
      if (recipe.turns) {
        body.rotation = rotations(seen, recipe);
        body.position = body.position || new Float64Array(3);
      }
      if (recipe.of) {
        const of = points(seen, recipe.of);
        const scale = recipe.scale;
        body.tip = body.at.map((x, k) => x + scale * of[k]);
      }
      if (recipe.value !== undefined) body.value = column(seen, recipe.value);
      if (recipe.radius !== undefined) body.radius = column(seen, recipe.radius)[0];
      if (body.vertices) resized(body, seen, sheets, parameters);
    }
    if (!whole) return;
    scene.box = extent(scene);
    if (scene.recipe.span !== null && scene.recipe.span !== undefined) {
      const half = column(seen, scene.recipe.span)[0], following = scene.recipe.follow.length > 0;
      const middle = [0, 1, 2].map((k) => (following ? 0 : (scene.box[k] + scene.box[3 + k]) / 2));
      scene.box = [...middle.map((x) => x - half), ...middle.map((x) => x + half)];
    }
    scene.box = lay(scene, seen);
  };
})();
