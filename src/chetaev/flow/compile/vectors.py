"""The integrators' innermost loop, written for vectors: out = y + h Σ_j w_j k_j.

It replaces the kernel `combine` when the loops are compiled. What whole vectors leave over is done by vectors
of half, a quarter, … of the length, never by masks: the field reads the state at once, number by number, and
a processor hands a number over from a store to a load only if the store had no mask.
"""

from __future__ import annotations

WIDEST = 4
"""Doubles in a vector, at most: one of eight lies across two lines of the memory's cache, and is handed over
late. The disc's steps would take a third longer."""


def combine_text(lanes: int) -> str:
    """The LLVM text of `flow.kernels.linear.combine` for vectors of at most so many doubles.

    >>> [line for line in combine_text(4).splitlines() if line.startswith("width")]
    ['width4:', 'width2:', 'width1:']
    """
    lanes = min(lanes, WIDEST)
    widths = [lanes >> i for i in range(lanes.bit_length())]
    declared = "\n".join(
        f"declare {_kind(w)} @llvm.fma.{_name(w)}({_kind(w)}, {_kind(w)}, {_kind(w)})" for w in widths
    )
    blocks = [_block(w, f"width{w >> 1}" if w > 1 else "done", _before(w, lanes)) for w in widths]
    return f"""
{declared}
define void @combine(i64 %d, i64 %stages, ptr %weights, ptr %k, ptr %y, double %h, ptr %out) nounwind {{
entry:
  br label %width{lanes}
{"".join(blocks)}done:
  ret void
}}
"""


def _before(width: int, lanes: int) -> str:
    """Where the vectors of a width come from: the place that those of twice the width have come to."""
    return "[ 0, %entry ]" if width == lanes else f"[ %i{2 * width}, %width{2 * width} ]"


def _kind(width: int) -> str:
    return f"<{width} x double>"


def _name(width: int) -> str:
    return f"v{width}f64"


def _block(width: int, then: str, first: str) -> str:
    """As many vectors of a width as there is room for."""
    v, w, splat = _kind(width), str(width), f"<{width} x i32> zeroinitializer"
    return f"""width{w}:
  %i{w} = phi i64 {first}, [ %end{w}, %finish{w} ]
  %end{w} = add i64 %i{w}, {w}
  %fits{w} = icmp sle i64 %end{w}, %d
  br i1 %fits{w}, label %begin{w}, label %{then}
begin{w}:
  %first{w} = getelementptr double, ptr %k, i64 %i{w}
  br label %stage{w}
stage{w}:
  %j{w} = phi i64 [ 0, %begin{w} ], [ %jnext{w}, %stage{w} ]
  %row{w} = phi ptr [ %first{w}, %begin{w} ], [ %rownext{w}, %stage{w} ]
  %sum{w} = phi {v} [ zeroinitializer, %begin{w} ], [ %sumnext{w}, %stage{w} ]
  %wp{w} = getelementptr double, ptr %weights, i64 %j{w}
  %w{w} = load double, ptr %wp{w}, align 8
  %w0{w} = insertelement {v} poison, double %w{w}, i32 0
  %wv{w} = shufflevector {v} %w0{w}, {v} poison, {splat}
  %kv{w} = load {v}, ptr %row{w}, align 8
  %sumnext{w} = call {v} @llvm.fma.{_name(width)}({v} %wv{w}, {v} %kv{w}, {v} %sum{w})
  %rownext{w} = getelementptr double, ptr %row{w}, i64 %d
  %jnext{w} = add i64 %j{w}, 1
  %more{w} = icmp slt i64 %jnext{w}, %stages
  br i1 %more{w}, label %stage{w}, label %finish{w}
finish{w}:
  %h0{w} = insertelement {v} poison, double %h, i32 0
  %hv{w} = shufflevector {v} %h0{w}, {v} poison, {splat}
  %yp{w} = getelementptr double, ptr %y, i64 %i{w}
  %yv{w} = load {v}, ptr %yp{w}, align 8
  %value{w} = call {v} @llvm.fma.{_name(width)}({v} %hv{w}, {v} %sumnext{w}, {v} %yv{w})
  %op{w} = getelementptr double, ptr %out, i64 %i{w}
  store {v} %value{w}, ptr %op{w}, align 8
  br label %width{w}
"""
