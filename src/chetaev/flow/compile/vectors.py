"""The integrators' innermost loop, written for vectors: out = y + h Σ_j w_j k_j.

It replaces the kernel `combine` when the loops are compiled. Three vectors are summed side by side, so that
none waits for its own last sum; the last ones lie over those before them where the state ends, and what
they have in common is computed twice, with the same bits. There are no masks: the field reads the state at
once, number by number, and a processor hands a number over from a store to a load only if the store had none.
"""

from __future__ import annotations

WIDEST = 4
"""Doubles in a vector, at most: one of eight lies across two lines of the memory's cache, and is handed over
late. The disc's steps would take a third longer."""
BESIDE = 3
"""Vectors that are summed side by side."""


def combine_text(lanes: int) -> str:
    """The LLVM text of `flow.kernels.linear.combine` for vectors of at most so many doubles.

    States shorter than that have vectors of half, a quarter, … of the length. `out` is none of the others.

    >>> [line for line in combine_text(4).splitlines() if line.startswith("width")]
    ['width4:', 'width2:', 'width1:', 'width0:']
    """
    lanes = min(lanes, WIDEST)
    widths = [lanes >> i for i in range(lanes.bit_length())]
    declared = "\n".join(
        f"declare {_kind(w)} @llvm.fma.{_name(w)}({_kind(w)}, {_kind(w)}, {_kind(w)})" for w in widths
    )
    return f"""
{declared}
declare i64 @llvm.smin.i64(i64, i64)
define void @combine(i64 %d, i64 %stages, ptr %weights, ptr %k, ptr %y, double %h, ptr %out) nounwind {{
entry:
  br label %width{lanes}
{"".join(map(_block, widths))}width0:
  ret void
}}
"""


def _kind(width: int) -> str:
    return f"<{width} x double>"


def _name(width: int) -> str:
    return f"v{width}f64"


def _each(text: str) -> str:
    """A text for each of the vectors side by side, whose number is #."""
    return "".join(text.replace("#", str(number)) for number in range(BESIDE))


def _block(width: int) -> str:
    """The whole sum, if a vector of this width has room in the state."""
    v, w, splat = _kind(width), str(width), f"<{width} x i32> zeroinitializer"
    fma = f"call {v} @llvm.fma.{_name(width)}"
    places = "".join(
        f"  %after{w}_{i} = add i64 %i{w}_{i - 1}, {w}\n"
        f"  %i{w}_{i} = call i64 @llvm.smin.i64(i64 %after{w}_{i}, i64 %last{w})\n"
        for i in range(1, BESIDE)
    )
    sums = f"  %sum{w}_# = phi {v} [ zeroinitializer, %begin{w} ], [ %next{w}_#, %stage{w} ]\n"
    terms = f"""  %kp{w}_# = getelementptr double, ptr %row{w}, i64 %i{w}_#
  %k{w}_# = load {v}, ptr %kp{w}_#, align 8
  %next{w}_# = {fma}({v} %w{w}, {v} %k{w}_#, {v} %sum{w}_#)
"""
    values = f"""  %yp{w}_# = getelementptr double, ptr %y, i64 %i{w}_#
  %y{w}_# = load {v}, ptr %yp{w}_#, align 8
  %value{w}_# = {fma}({v} %h{w}, {v} %next{w}_#, {v} %y{w}_#)
"""
    stores = f"""  %op{w}_# = getelementptr double, ptr %out, i64 %i{w}_#
  store {v} %value{w}_#, ptr %op{w}_#, align 8
"""
    return f"""width{w}:
  %last{w} = sub i64 %d, {w}
  %h0{w} = insertelement {v} poison, double %h, i32 0
  %h{w} = shufflevector {v} %h0{w}, {v} poison, {splat}
  %fits{w} = icmp sge i64 %last{w}, 0
  br i1 %fits{w}, label %begin{w}, label %width{width >> 1}
begin{w}:
  %i{w}_0 = phi i64 [ 0, %width{w} ], [ %further{w}, %finish{w} ]
{places}  br label %stage{w}
stage{w}:
  %j{w} = phi i64 [ 0, %begin{w} ], [ %jnext{w}, %stage{w} ]
  %row{w} = phi ptr [ %k, %begin{w} ], [ %rownext{w}, %stage{w} ]
{_each(sums)}  %wp{w} = getelementptr double, ptr %weights, i64 %j{w}
  %weight{w} = load double, ptr %wp{w}, align 8
  %w0{w} = insertelement {v} poison, double %weight{w}, i32 0
  %w{w} = shufflevector {v} %w0{w}, {v} poison, {splat}
{_each(terms)}  %rownext{w} = getelementptr double, ptr %row{w}, i64 %d
  %jnext{w} = add i64 %j{w}, 1
  %more{w} = icmp slt i64 %jnext{w}, %stages
  br i1 %more{w}, label %stage{w}, label %finish{w}
finish{w}:
{_each(values)}{_each(stores)}  %end{w} = add i64 %i{w}_{BESIDE - 1}, {w}
  %further{w} = call i64 @llvm.smin.i64(i64 %end{w}, i64 %last{w})
  %on{w} = icmp slt i64 %end{w}, %d
  br i1 %on{w}, label %begin{w}, label %width0
"""
