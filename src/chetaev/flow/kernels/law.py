"""The law at one state by rank-revealing elimination, whatever the units.

    M a + h = Cᵀμ,      C a + c = 0,      rank C = r

Rows and columns of C are scaled to largest entries near 1; r pivots are taken, each the largest entry left
(complete pivoting). They give S, which spans ker C, and a_p with C a_p + c = 0; then
(SᵀMS) z = −Sᵀ(h + M a_p) is scaled so that the sizes |S|ᵀ|M||S| of what cancels in it are near 1, and
solved with complete pivoting as well. The smallest pivot says how far the law is from a singular one: about
1/condition, the same for all units. What is left of the rows without a pivot, redundant ones, says how far
they contradict the others.

The same text runs in machine code on doubles and, as Python on lists, on numbers of any length.
"""

from math import sqrt

from chetaev.flow.kernels.arrays import Floats

SWEEPS = 4


def balance(m: int, n: int, matrix: Floats, rows: Floats, columns: Floats) -> None:
    """Scale rows and columns of C in place, largest entries near 1; the factors are kept (Ruiz 2001)."""
    for i in range(m):
        rows[i] = 1.0
    for j in range(n):
        columns[j] = 1.0
    for _sweep in range(SWEEPS):
        for i in range(m):
            big = 0.0
            for j in range(n):
                big = max(big, abs(matrix[i * n + j]) * rows[i] * columns[j])
            if big > 0.0:
                rows[i] = rows[i] / sqrt(big)
        for j in range(n):
            big = 0.0
            for i in range(m):
                big = max(big, abs(matrix[i * n + j]) * rows[i] * columns[j])
            if big > 0.0:
                columns[j] = columns[j] / sqrt(big)
    for i in range(m):
        for j in range(n):
            matrix[i * n + j] = matrix[i * n + j] * rows[i] * columns[j]


def reduce_rows(m: int, n: int, rank: int, matrix: Floats, rest: Floats, order: Floats) -> float:
    """Gauss–Jordan elimination of [C | c] with complete pivoting; the smallest pivot, 0 if one is missing.

    Row k < rank then reads a_d + Σ C_kj a_j + c_k = 0 with d = order[k]; the other columns are free, their
    numbers follow in `order`.
    """
    smallest = 1.0
    for j in range(n):
        order[j] = float(j)
    for k in range(rank):
        largest = 0.0
        row = k
        place = k
        for i in range(k, m):
            for p in range(k, n):
                size = abs(matrix[i * n + int(order[p])])
                if size > largest:
                    largest = size
                    row = i
                    place = p
        if not largest > 0.0:
            return 0.0
        smallest = min(smallest, largest)
        column = int(order[place])
        order[place] = order[k]
        order[k] = float(column)
        pivot = matrix[row * n + column]
        for j in range(n):
            x = matrix[row * n + j]
            matrix[row * n + j] = matrix[k * n + j]
            matrix[k * n + j] = x / pivot
        x = rest[row]
        rest[row] = rest[k]
        rest[k] = x / pivot
        for i in range(m):
            factor = matrix[i * n + column]
            if i != k and factor != 0.0:
                for j in range(n):
                    matrix[i * n + j] = matrix[i * n + j] - factor * matrix[k * n + j]
                matrix[i * n + column] = 0.0
                rest[i] = rest[i] - factor * rest[k]
    return smallest


def solve_completely(n: int, a: Floats, b: Floats, order: Floats, x: Floats) -> float:
    """Solve a x = b by elimination with complete pivoting; returns the smallest pivot, 0 if singular."""
    smallest = 1.0
    for j in range(n):
        order[j] = float(j)
    for k in range(n):
        largest = 0.0
        row = k
        place = k
        for i in range(k, n):
            for p in range(k, n):
                size = abs(a[i * n + int(order[p])])
                if size > largest:
                    largest = size
                    row = i
                    place = p
        if not largest > 0.0:
            return 0.0
        smallest = min(smallest, largest)
        column = int(order[place])
        order[place] = order[k]
        order[k] = float(column)
        for j in range(n):
            y = a[row * n + j]
            a[row * n + j] = a[k * n + j]
            a[k * n + j] = y
        y = b[row]
        b[row] = b[k]
        b[k] = y
        for i in range(k + 1, n):
            factor = a[i * n + column] / a[k * n + column]
            if factor != 0.0:
                for p in range(k + 1, n):
                    j = int(order[p])
                    a[i * n + j] = a[i * n + j] - factor * a[k * n + j]
                b[i] = b[i] - factor * b[k]
    for k in range(n - 1, -1, -1):
        y = b[k]
        for p in range(k + 1, n):
            j = int(order[p])
            y = y - a[k * n + j] * x[j]
        column = int(order[k])
        x[column] = y / a[k * n + column]
    return smallest


def weigh(n: int, sizes: Floats, factors: Floats) -> None:
    """Factors that bring the rows of a symmetric matrix to largest entries near 1; 0 where it has none."""
    for i in range(n):
        factors[i] = 1.0
    for _sweep in range(SWEEPS):
        for i in range(n):
            big = 0.0
            for j in range(n):
                big = max(big, sizes[i * n + j] * factors[i] * factors[j])
            if big > 0.0:
                factors[i] = factors[i] / sqrt(big)
            else:
                factors[i] = 0.0


def lift(n: int, sizes: Floats, factors: Floats, columns: Floats) -> None:
    """Factors for columns that `weigh` leaves small, as it can where a matrix is not symmetric; else 1."""
    for j in range(n):
        big = 0.0
        for i in range(n):
            big = max(big, sizes[i * n + j] * factors[i] * factors[j])
        columns[j] = 1.0
        if big > 1e-300 and big < 1e-6:
            columns[j] = 1.0 / big


def settle(
    n: int,
    m: int,
    rank: int,
    mass: Floats,
    h: Floats,
    matrix: Floats,
    rest: Floats,
    rows: Floats,
    columns: Floats,
    order: Floats,
    basis: Floats,
    image: Floats,
    reduced: Floats,
    absolute: Floats,
    sizes: Floats,
    right: Floats,
    turn: Floats,
    z: Floats,
    found: Floats,
) -> float:
    """The accelerations, first in `found`; returns the smallest pivot, 0 where the law is singular.

    Behind the n accelerations, `found` gets what the rows without a pivot miss zero by, relative to 1 + |c|.
    `mass`, `h`, `matrix` and `rest` are overwritten; the others are scratch: rows m; columns, order n;
    basis, image, reduced, absolute, sizes n·n; right, turn, z n.
    """
    balance(m, n, matrix, rows, columns)
    largest = 0.0
    for i in range(m):
        rest[i] = rest[i] * rows[i]
        largest = max(largest, abs(rest[i]))
    for i in range(n):
        h[i] = h[i] * columns[i]
        for j in range(n):
            mass[i * n + j] = mass[i * n + j] * columns[i] * columns[j]
    smallest = reduce_rows(m, n, rank, matrix, rest, order)
    excess = 0.0
    for i in range(rank, m):
        excess = max(excess, abs(rest[i]) / (1.0 + largest))
        for p in range(rank, n):
            excess = max(excess, abs(matrix[i * n + int(order[p])]))
    found[n] = excess
    if not smallest > 0.0:
        return 0.0
    free = n - rank
    for f in range(free):
        for i in range(n):
            basis[i * free + f] = 0.0
        column = int(order[rank + f])
        basis[column * free + f] = 1.0
        for k in range(rank):
            basis[int(order[k]) * free + f] = -matrix[k * n + column]
    for i in range(n):
        found[i] = 0.0
    for k in range(rank):
        found[int(order[k])] = -rest[k]
    for f in range(free):
        right[f] = 0.0
    for i in range(n):
        load = h[i]
        for j in range(n):
            load = load + mass[i * n + j] * found[j]
        for f in range(free):
            s = 0.0
            size = 0.0
            for j in range(n):
                s = s + mass[i * n + j] * basis[j * free + f]
                size = size + abs(mass[i * n + j]) * abs(basis[j * free + f])
            image[i * free + f] = s
            absolute[i * free + f] = size
            right[f] = right[f] - basis[i * free + f] * load
    for f in range(free):
        for g in range(free):
            s = 0.0
            size = 0.0
            for i in range(n):
                s = s + basis[i * free + f] * image[i * free + g]
                size = size + abs(basis[i * free + f]) * absolute[i * free + g]
            reduced[f * free + g] = s
            sizes[f * free + g] = size
    weigh(free, sizes, turn)
    for f in range(free):
        if not turn[f] > 0.0:
            return 0.0
        right[f] = right[f] * turn[f]
    lift(free, sizes, turn, absolute)
    for f in range(free):
        for g in range(free):
            reduced[f * free + g] = reduced[f * free + g] * turn[f] * turn[g] * absolute[g]
    smallest = min(smallest, solve_completely(free, reduced, right, order, z))
    if not smallest > 0.0:
        return 0.0
    for i in range(n):
        s = found[i]
        for f in range(free):
            s = s + basis[i * free + f] * turn[f] * absolute[f] * z[f]
        found[i] = s * columns[i]
    return smallest


def settle_many(
    count: int, n: int, m: int, rank: int, laws: Floats, work: Floats, found: Floats, smallest: Floats
) -> int:
    """`settle` for laws side by side: M, h, C row by row, c in each row of `laws`; n + 1 results each."""
    width = n * n + n + m * n + m
    for i in range(count):
        law = laws[i * width :]
        smallest[i] = settle(
            n,
            m,
            rank,
            law,
            law[n * n :],
            law[n * n + n :],
            law[n * n + n + m * n :],
            work,
            work[m:],
            work[m + n :],
            work[m + 2 * n :],
            work[m + 2 * n + n * n :],
            work[m + 2 * n + 2 * n * n :],
            work[m + 2 * n + 3 * n * n :],
            work[m + 2 * n + 4 * n * n :],
            work[m + 2 * n + 5 * n * n :],
            work[m + 3 * n + 5 * n * n :],
            work[m + 4 * n + 5 * n * n :],
            found[i * (n + 1) :],
        )
    return count
