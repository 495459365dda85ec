"""Sums of vectors; small dense systems: LU with partial pivoting, the normal equations of the projection."""

from chetaev.flow.kernels.arrays import Floats, Uniforms


def combine(d: int, count: int, weights: Uniforms, k: Floats, y: Floats, h: float, out: Floats) -> None:
    """out = y + h Σ_j weights_j k_j, a sum of `count` vectors; `out` is none of them.

    Four entries side by side, so that none waits for its own last sum.
    """
    for i in range(0, d - 3, 4):
        a = 0.0
        b = 0.0
        c = 0.0
        e = 0.0
        for j in range(count):
            w = weights[j]
            row = k[j * d + i :]
            a = a + w * row[0]
            b = b + w * row[1]
            c = c + w * row[2]
            e = e + w * row[3]
        out[i] = y[i] + h * a
        out[i + 1] = y[i + 1] + h * b
        out[i + 2] = y[i + 2] + h * c
        out[i + 3] = y[i + 3] + h * e
    for i in range(d - d % 4, d):
        s = 0.0
        for j in range(count):
            s = s + weights[j] * k[j * d + i]
        out[i] = y[i] + h * s


def lu_factor(n: int, a: Floats, exchange: Floats) -> int:
    """Factor a in place; the exchanged rows are noted as numbers. Returns 1 if singular."""
    for k in range(n):
        best = k
        largest = abs(a[k * n + k])
        for i in range(k + 1, n):
            if abs(a[i * n + k]) > largest:
                largest = abs(a[i * n + k])
                best = i
        exchange[k] = float(best)
        if not largest > 0.0:
            return 1
        if best != k:
            for j in range(n):
                x = a[k * n + j]
                a[k * n + j] = a[best * n + j]
                a[best * n + j] = x
        inverse = 1.0 / a[k * n + k]
        for i in range(k + 1, n):
            factor = a[i * n + k] * inverse
            a[i * n + k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i * n + j] = a[i * n + j] - factor * a[k * n + j]
    return 0


def lu_solve(n: int, a: Floats, exchange: Floats, b: Floats) -> None:
    """Solve with the factors of `lu_factor`, in place."""
    for k in range(n):
        best = int(exchange[k])
        x = b[k]
        b[k] = b[best]
        b[best] = x
    for k in range(n):
        for i in range(k + 1, n):
            b[i] = b[i] - a[i * n + k] * b[k]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s = s - a[i * n + j] * b[j]
        b[i] = s / a[i * n + i]


def lu(n: int, a: Floats, exchange: Floats, b: Floats) -> float:
    """Solve a x = b in place, with the factors of a in its place; returns det a."""
    singular = lu_factor(n, a, exchange)
    determinant = 0.0 if singular == 1 else 1.0
    for k in range(n):
        determinant = determinant * (a[k * n + k] if int(exchange[k]) == k else -a[k * n + k])
    lu_solve(n, a, exchange, b)
    return determinant


def complex_factor(n: int, a: Floats, b: Floats, exchange: Floats) -> int:
    """Factor the complex matrix a + ib in place, as `lu_factor` does; pivots by |re| + |im|."""
    for k in range(n):
        best = k
        largest = abs(a[k * n + k]) + abs(b[k * n + k])
        for i in range(k + 1, n):
            size = abs(a[i * n + k]) + abs(b[i * n + k])
            if size > largest:
                largest = size
                best = i
        exchange[k] = float(best)
        if not largest > 0.0:
            return 1
        if best != k:
            for j in range(n):
                x = a[k * n + j]
                a[k * n + j] = a[best * n + j]
                a[best * n + j] = x
                x = b[k * n + j]
                b[k * n + j] = b[best * n + j]
                b[best * n + j] = x
        pa = a[k * n + k]
        pb = b[k * n + k]
        inverse = 1.0 / (pa * pa + pb * pb)
        for i in range(k + 1, n):
            fa = (a[i * n + k] * pa + b[i * n + k] * pb) * inverse
            fb = (b[i * n + k] * pa - a[i * n + k] * pb) * inverse
            a[i * n + k] = fa
            b[i * n + k] = fb
            if fa != 0.0 or fb != 0.0:
                for j in range(k + 1, n):
                    a[i * n + j] = a[i * n + j] - (fa * a[k * n + j] - fb * b[k * n + j])
                    b[i * n + j] = b[i * n + j] - (fa * b[k * n + j] + fb * a[k * n + j])
    return 0


def complex_solve(n: int, a: Floats, b: Floats, exchange: Floats, x: Floats, y: Floats) -> None:
    """Solve for x + iy with the factors of `complex_factor`, in place."""
    for k in range(n):
        best = int(exchange[k])
        s = x[k]
        x[k] = x[best]
        x[best] = s
        s = y[k]
        y[k] = y[best]
        y[best] = s
    for k in range(n):
        for i in range(k + 1, n):
            fa = a[i * n + k]
            fb = b[i * n + k]
            x[i] = x[i] - (fa * x[k] - fb * y[k])
            y[i] = y[i] - (fa * y[k] + fb * x[k])
    for i in range(n - 1, -1, -1):
        s = x[i]
        r = y[i]
        for j in range(i + 1, n):
            s = s - (a[i * n + j] * x[j] - b[i * n + j] * y[j])
            r = r - (a[i * n + j] * y[j] + b[i * n + j] * x[j])
        pa = a[i * n + i]
        pb = b[i * n + i]
        inverse = 1.0 / (pa * pa + pb * pb)
        x[i] = (s * pa + r * pb) * inverse
        y[i] = (r * pa - s * pb) * inverse


def least_change(rows: int, n: int, c: Floats, r: Floats, g: Floats, x: Floats) -> float:
    """x := x − Cᵀ(C Cᵀ)⁻¹ r, the smallest change that meets C Δx = −r; returns its largest entry.

    C has `rows` rows of length n; g is scratch of rows·(rows + 1). By C Cᵀ = L D Lᵀ: below the diagonal of g
    stands L D, on it 1/D, or 0 for a row that depends on those before it and takes no part.
    """
    z = g[rows * rows :]
    for i in range(rows):
        for j in range(i + 1):
            s = 0.0
            for e in range(n):
                s = s + c[i * n + e] * c[j * n + e]
            g[i * rows + j] = s
    for j in range(rows):
        d = g[j * rows + j]
        original = d
        for e in range(j):
            d = d - g[j * rows + e] * (g[j * rows + e] * g[e * rows + e])
        g[j * rows + j] = 1.0 / d if d > 1e-13 * original else 0.0
        for i in range(j + 1, rows):
            s = g[i * rows + j]
            for e in range(j):
                s = s - g[i * rows + e] * (g[j * rows + e] * g[e * rows + e])
            g[i * rows + j] = s
    for i in range(rows):
        s = r[i]
        for e in range(i):
            s = s - g[i * rows + e] * z[e]
        z[i] = s * g[i * rows + i]
    for i in range(rows - 1, -1, -1):
        s = 0.0
        for e in range(i + 1, rows):
            s = s + g[e * rows + i] * z[e]
        z[i] = z[i] - s * g[i * rows + i]
    largest = 0.0
    for j in range(n):
        s = 0.0
        for i in range(rows):
            s = s + c[i * n + j] * z[i]
        x[j] = x[j] - s
        largest = max(largest, abs(s))
    return largest
