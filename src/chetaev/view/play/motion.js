// Motions computed in the page: M a + h = Cᵀμ and C a + c = 0, solved for (a, μ) at every stage, steps of DOP853
// (or of a scheme to compare it with), states projected onto φ = 0 and f = 0 after every step.
"use strict";
// Solves A x = b in place, with full pivoting, A row by row; unknowns beyond the rank are 0. Returns the rank.
window.chetaevSolve = function (A, b, x, rows, columns, order) {
  let largest = 0, rank = 0;
  for (let k = 0; k < rows * columns; k++) largest = Math.max(largest, Math.abs(A[k]));
  for (let j = 0; j < columns; j++) { order[j] = j; x[j] = 0; }
  if (!(largest < Infinity)) return -1;
  for (; rank < Math.min(rows, columns); rank++) {
    let best = 0, r = rank, c = rank;
    for (let i = rank; i < rows; i++) {
      for (let j = rank; j < columns; j++) {
        const size = Math.abs(A[i * columns + j]);
        if (size > best) { best = size; r = i; c = j; }
      }
    }
    if (!(best > 1e-13 * largest)) break;
    if (r !== rank) {
      for (let j = 0; j < columns; j++) { const s = A[r * columns + j]; A[r * columns + j] = A[rank * columns + j]; A[rank * columns + j] = s; }
      const s = b[r]; b[r] = b[rank]; b[rank] = s;
    }
    if (c !== rank) {
      for (let i = 0; i < rows; i++) { const s = A[i * columns + c]; A[i * columns + c] = A[i * columns + rank]; A[i * columns + rank] = s; }
      const s = order[c]; order[c] = order[rank]; order[rank] = s;
    }
    const pivot = A[rank * columns + rank];
    for (let i = rank + 1; i < rows; i++) {
      const factor = A[i * columns + rank] / pivot;
      if (factor === 0) continue;
      for (let j = rank + 1; j < columns; j++) A[i * columns + j] -= factor * A[rank * columns + j];
      b[i] -= factor * b[rank];
    }
  }
  for (let k = rank - 1; k >= 0; k--) {
    let s = b[k];
    for (let j = k + 1; j < rank; j++) s -= A[k * columns + j] * x[order[j]];
    x[order[k]] = s / A[k * columns + k];
  }
  return rank;
};

// What computes the motions of a system: its data and programs, and the coefficients of DOP853.
window.chetaevMechanics = function (data, programs, dop853) {
  const n = data.coordinates.length, m = data.rows, held = data.held, positions = data.positions;
  const d = 2 * n + data.integrals, size = n + m, full = n + data.rank;
  const given = new Float64Array(n * n + n + m * n + m), matrix = new Float64Array(size * size);
  const right = new Float64Array(size), solved = new Float64Array(size), order = new Int32Array(size);
  const now = [0], q = new Float64Array(n), v = new Float64Array(n);
  const a = new Float64Array(n), mu = new Float64Array(m), level = new Float64Array(held + positions + held * n);
  let p = data.parameters.map(() => 0);

  // (a, μ) at (t, q, v); false where the law does not determine the accelerations.
  function accelerate(t, at, speed) {
    now[0] = t;
    programs.law(now, at, speed, p, given);
    let row = 1e-300;
    const M = 0, h = n * n, C = h + n, c = C + m * n;
    let heavy = 0, steep = 0;
    for (let k = 0; k < n * n; k++) heavy = Math.max(heavy, Math.abs(given[M + k]));
    for (let k = 0; k < m * n; k++) steep = Math.max(steep, Math.abs(given[C + k]));
    const s = heavy > 0 && steep > 0 ? heavy / steep : 1; // μ in units that make both parts of a size
    matrix.fill(0);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) matrix[i * size + j] = given[M + i * n + j];
      for (let k = 0; k < m; k++) matrix[i * size + n + k] = -s * given[C + k * n + i];
      right[i] = -given[h + i];
    }
    for (let k = 0; k < m; k++) {
      for (let j = 0; j < n; j++) matrix[(n + k) * size + j] = s * given[C + k * n + j];
      right[n + k] = -s * given[c + k];
    }
    for (let i = 0; i < size; i++) { // rows of one size, so that units do not choose the pivots
      row = 0;
      for (let j = 0; j < size; j++) row = Math.max(row, Math.abs(matrix[i * size + j]));
      if (!(row > 0)) continue;
      for (let j = 0; j < size; j++) matrix[i * size + j] /= row;
      right[i] /= row;
    }
    if (window.chetaevSolve(matrix, right, solved, size, size, order) < full) return false;
    for (let i = 0; i < n; i++) a[i] = solved[i];
    for (let k = 0; k < m; k++) mu[k] = s * solved[n + k];
    return true;
  }
  function field(t, y, rate, offset) {
    for (let i = 0; i < n; i++) { q[i] = y[i]; v[i] = y[n + i]; }
    if (!accelerate(t, q, v)) return false;
    let sum = 0;
    for (let i = 0; i < n; i++) { rate[offset + i] = v[i]; rate[offset + n + i] = a[i]; sum += v[i] + a[i]; }
    if (data.integrals) {
      const rates = new Float64Array(data.integrals);
      programs.rates(now, q, v, p, a, mu, rates);
      for (let i = 0; i < data.integrals; i++) rate[offset + 2 * n + i] = Number.isFinite(rates[i]) ? rates[i] : 0;
    }
    return Number.isFinite(sum);
  }

  // Changes the entries `free` of x least until the rows of `residual` vanish; returns what is left.
  function settle(x, free, rows, residual) {
    let left = Infinity;
    for (let round = 0; round < 50; round++) {
      const { values, slopes } = residual(), before = left;
      left = 0;
      for (let k = 0; k < rows; k++) left = Math.max(left, Math.abs(values[k]));
      if (!(left < Infinity) || left === 0 || (round > 4 && left >= before)) break;
      const G = new Float64Array(rows * rows), b = Float64Array.from(values), y = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < rows; j++) for (const k of free) G[i * rows + j] += slopes[i * n + k] * slopes[j * n + k];
      }
      window.chetaevSolve(G, b, y, rows, rows, new Int32Array(rows));
      let moved = 0, span = 1e-300;
      for (const k of free) {
        let step = 0;
        for (let i = 0; i < rows; i++) step += slopes[i * n + k] * y[i];
        x[k] -= step;
        moved = Math.max(moved, Math.abs(step)); span = Math.max(span, Math.abs(x[k]));
      }
      if (moved <= 1e-15 * span) break;
    }
    const { values } = residual();
    left = 0;
    for (let k = 0; k < rows; k++) left = Math.max(left, Number.isFinite(values[k]) ? Math.abs(values[k]) : Infinity);
    return left;
  }
  const every = data.coordinates.map((_, i) => i);
  function onPositions(t, at, free = every) {
    if (!positions) return 0;
    const still = new Float64Array(n);
    return settle(at, free, positions, () => {
      now[0] = t;
      programs.held(now, at, still, p, level);
      return { values: level.subarray(held, held + positions), slopes: level.subarray(held + positions) };
    });
  }
  function onVelocities(t, at, speed, free = every) {
    if (!held) return 0;
    return settle(speed, free, held, () => {
      now[0] = t;
      programs.held(now, at, speed, p, level);
      return { values: level.subarray(0, held), slopes: level.subarray(held + positions) };
    });
  }
  function project(t, y) {
    const at = y.subarray(0, n), speed = y.subarray(n, 2 * n);
    if (positions) onPositions(t, at);
    if (held) onVelocities(t, at, speed);
  }

  const { stages, nodes, error3, error5, dense } = dop853;
  function combine(row, count, k, y, h, out) {
    for (let i = 0; i < d; i++) {
      let s = 0;
      for (let j = 0; j < count; j++) if (row[j]) s += row[j] * k[j * d + i];
      out[i] = y[i] + h * s;
    }
  }
  // One step of DOP853; k holds 16 derivatives, the first is known. Returns the estimated error, NaN where it fails.
  function attempt(t, y, h, k, fresh, tolerance) {
    const trial = new Float64Array(d);
    for (let s = 1; s < 12; s++) {
      combine(stages[s], s, k, y, h, trial);
      if (!field(t + nodes[s] * h, trial, k, s * d)) return NaN;
    }
    combine(stages[12], 12, k, y, h, fresh);
    let fifth = 0, third = 0;
    for (let i = 0; i < d; i++) {
      let e5 = 0, e3 = 0;
      for (let j = 0; j < 12; j++) { e5 += error5[j] * k[j * d + i]; e3 += error3[j] * k[j * d + i]; }
      const size = tolerance * (1 + Math.max(Math.abs(y[i]), Math.abs(fresh[i])));
      fifth += (e5 / size) ** 2; third += (e3 / size) ** 2;
    }
    const bottom = fifth + 0.01 * third;
    return bottom > 0 ? Math.abs(h) * fifth / Math.sqrt(bottom * d) : 0;
  }
  function interpolant(t, y, h, k, fresh) {
    const trial = new Float64Array(d), f = new Float64Array(7 * d);
    for (let s = 13; s < 16; s++) {
      combine(stages[s], s, k, y, h, trial);
      if (!field(t + nodes[s] * h, trial, k, s * d)) return null;
    }
    for (let i = 0; i < d; i++) {
      const delta = fresh[i] - y[i];
      f[i] = delta; f[d + i] = h * k[i] - delta; f[2 * d + i] = 2 * delta - h * (k[12 * d + i] + k[i]);
      for (let r = 0; r < 4; r++) {
        let s = 0;
        for (let j = 0; j < 16; j++) if (dense[r][j]) s += dense[r][j] * k[j * d + i];
        f[(3 + r) * d + i] = h * s;
      }
    }
    return f;
  }
  // A step of length h of a simple scheme, for comparison.
  const simple = {
    euler(t, y, h, k, out) { for (let i = 0; i < d; i++) out[i] = y[i] + h * k[i]; return true; },
    rk4(t, y, h, k, out) {
      const trial = new Float64Array(d), rows = new Float64Array(4 * d), at = [0, 0.5, 0.5, 1];
      for (let i = 0; i < d; i++) rows[i] = k[i];
      for (let s = 1; s < 4; s++) {
        for (let i = 0; i < d; i++) trial[i] = y[i] + at[s] * h * rows[(s - 1) * d + i];
        if (!field(t + at[s] * h, trial, rows, s * d)) return false;
      }
      for (let i = 0; i < d; i++) out[i] = y[i] + h * (rows[i] + 2 * rows[d + i] + 2 * rows[2 * d + i] + rows[3 * d + i]) / 6;
      return true;
    },
  };

  // The motion from a start {t, q, v} to the time `end`. options: tolerance, scheme, step, most (steps).
  function run(start, end, options = {}) {
    const tolerance = options.tolerance || 1e-9, most = options.most || 20000, fixed = simple[options.scheme];
    const pieces = [], direction = end >= start.t ? 1 : -1;
    let t = start.t, y = new Float64Array(d), reason = "";
    y.set(start.q); y.set(start.v, n);
    const first = y;
    let k = new Float64Array(16 * d);
    if (!field(t, y, k, 0)) reason = "the law does not determine the accelerations at the start";
    let h = 0;
    if (!reason) {
      let speed = 0, place = 0;
      for (let i = 0; i < d; i++) { const s = 1 + Math.abs(y[i]); speed = Math.max(speed, Math.abs(k[i]) / s); place = 1; }
      h = direction * Math.min(Math.abs(end - t), 0.01 * place / Math.max(speed, 1e-8), Math.abs(end - t) / 10);
      if (fixed) h = direction * Math.abs(options.step || Math.abs(end - t) / 500);
    }
    let refused = false, last = 1e-4;
    while (!reason && direction * (end - t) > 1e-14 * Math.max(Math.abs(end), Math.abs(t))) {
      if (pieces.length >= most) { reason = `after ${most} steps the motion is cut off`; break; }
      const whole = direction * (t + h - end) > 0 ? end - t : h;
      if (!(Math.abs(whole) > 1e-13 * Math.max(Math.abs(t), Math.abs(end - start.t)))) {
        reason = "the steps become too short: the law is singular there, or the motion leaves its domain"; break;
      }
      const fresh = new Float64Array(d);
      const error = fixed ? (fixed(t, y, whole, k, fresh) ? 0 : NaN) : attempt(t, y, whole, k, fresh, tolerance);
      if (!(error <= 1)) {
        if (fixed) { reason = "the scheme fails there: a shorter step may help"; break; }
        h = whole * (Number.isFinite(error) ? Math.max(0.2, 0.9 / error ** 0.125) : 0.2);
        refused = true; continue;
      }
      const nextK = new Float64Array(16 * d);
      if (!field(t + whole, fresh, k, 12 * d)) { h = 0.2 * whole; refused = true; if (fixed) reason = "the law is singular there"; continue; }
      let f = null;
      if (!fixed) { f = interpolant(t, y, whole, k, fresh); if (!f) { h = 0.2 * whole; refused = true; continue; } }
      const kept = Float64Array.from(fresh);
      if (held || positions) {
        project(t + whole, fresh);
        if (!field(t + whole, fresh, nextK, 0)) { reason = "the law is singular there"; break; }
      } else for (let i = 0; i < d; i++) nextK[i] = k[12 * d + i];
      if (!f) { // Hermite's cubic, in the same form
        f = new Float64Array(7 * d);
        for (let i = 0; i < d; i++) {
          const delta = kept[i] - y[i];
          f[i] = delta; f[d + i] = whole * k[i] - delta; f[2 * d + i] = 2 * delta - whole * (k[12 * d + i] + k[i]);
        }
      }
      pieces.push({ t, h: whole, y, f });
      t += whole; y = fresh; k = nextK;
      if (!fixed) { // Hairer's control with a memory, order 8
        const factor = Math.min(refused ? 1 : 6, Math.max(0.333, 0.9 * Math.max(error, 1e-10) ** -0.125 * (error > last ? (last / Math.max(error, 1e-10)) ** 0.02 : 1)));
        h = whole * factor; last = Math.max(error, 1e-4); refused = false;
      }
    }
    function at(time, out) { // the state at a time of the motion
      if (!pieces.length) { out.set(first); return out; }
      let low = 0, high = pieces.length - 1;
      while (low < high) { const mid = (low + high + 1) >> 1; if (direction * (time - pieces[mid].t) >= 0) low = mid; else high = mid - 1; }
      const one = pieces[low], x = (time - one.t) / one.h, f = one.f, back = 1 - x;
      for (let i = 0; i < d; i++) {
        let s = f[6 * d + i] * x;
        s = (s + f[5 * d + i]) * back; s = (s + f[4 * d + i]) * x; s = (s + f[3 * d + i]) * back;
        s = (s + f[2 * d + i]) * x; s = (s + f[d + i]) * back; s = (s + f[i]) * x;
        out[i] = one.y[i] + s;
      }
      return out;
    }
    return { start: start.t, end: t, asked: end, reason, steps: pieces.length, at, last: y };
  }

  // What is seen at the times: an array of rows of the program `seen`, and the states.
  function look(motion, times, width) {
    const values = new Float64Array(times.length * width), states = new Float64Array(times.length * d);
    const y = new Float64Array(d), out = new Float64Array(width);
    for (let i = 0; i < times.length; i++) {
      motion.at(times[i], y);
      states.set(y, i * d);
      for (let j = 0; j < n; j++) { q[j] = y[j]; v[j] = y[n + j]; }
      if (!accelerate(times[i], q, v)) { a.fill(NaN); mu.fill(NaN); }
      programs.seen(now, q, v, p, a, mu, y.subarray(2 * n), out);
      values.set(out, i * width);
    }
    return { values, states, width, d };
  }

  return {
    n, d, run, look,
    set parameters(values) { const out = new Float64Array(values.length); programs.values(values, out); p = out; },
    get parameters() { return p; },
    // A start on the constraints: what is given stays, the rest moves least from `near`. Returns {t, q, v, misses}.
    start(near, positionsGiven, velocitiesGiven) {
      const at = Float64Array.from(near.q), speed = Float64Array.from(near.v), q0 = new Map(positionsGiven), v0 = new Map(velocitiesGiven);
      q0.forEach((x, i) => { at[i] = x; }); v0.forEach((x, i) => { speed[i] = x; });
      const size = (x) => x.reduce((s, e) => Math.max(s, Math.abs(e)), 1);
      let misses = "";
      const e = onPositions(near.t, at, every.filter((i) => !q0.has(i)));
      if (!(e <= 1e-9 * size(at))) misses = "positions";
      const f = onVelocities(near.t, at, speed, every.filter((i) => !v0.has(i)));
      if (!misses && !(f <= 1e-9 * size(speed))) misses = "velocities";
      return { t: near.t, q: at, v: speed, misses };
    },
  };
};
