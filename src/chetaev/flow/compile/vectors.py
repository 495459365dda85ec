"""The integrators' innermost loop, written for vectors: out = y + h Σ_j w_j k_j.

It replaces the kernel `combine` when the loops are compiled; the last, partial vector is masked.
"""

from __future__ import annotations


def combine_text(lanes: int) -> str:
    """The LLVM text of `flow.kernels.linear.combine` for vectors of so many doubles."""
    v, bits = f"<{lanes} x double>", f"<{lanes} x i1>"
    steps = ", ".join(f"i64 {i}" for i in range(lanes))
    splat = f"<{lanes} x i32> zeroinitializer"
    name = f"v{lanes}f64"
    return f"""
declare {v} @llvm.fma.{name}({v}, {v}, {v})
declare {v} @llvm.masked.load.{name}.p0(ptr, i32, {bits}, {v})
declare void @llvm.masked.store.{name}.p0({v}, ptr, i32, {bits})
define void @combine(i64 %d, i64 %stages, ptr %weights, ptr %k, ptr %y, double %h, ptr %out) nounwind {{
entry:
  %count0 = insertelement <{lanes} x i64> poison, i64 %d, i32 0
  %count = shufflevector <{lanes} x i64> %count0, <{lanes} x i64> poison, {splat}
  %h0 = insertelement {v} poison, double %h, i32 0
  %hv = shufflevector {v} %h0, {v} poison, {splat}
  br label %block
block:
  %i = phi i64 [ 0, %entry ], [ %inext, %finish ]
  %at0 = insertelement <{lanes} x i64> poison, i64 %i, i32 0
  %at1 = shufflevector <{lanes} x i64> %at0, <{lanes} x i64> poison, {splat}
  %at = add <{lanes} x i64> %at1, <{steps}>
  %mask = icmp slt <{lanes} x i64> %at, %count
  %first = getelementptr double, ptr %k, i64 %i
  br label %stage
stage:
  %j = phi i64 [ 0, %block ], [ %jnext, %stage ]
  %row = phi ptr [ %first, %block ], [ %rownext, %stage ]
  %sum = phi {v} [ zeroinitializer, %block ], [ %sumnext, %stage ]
  %wp = getelementptr double, ptr %weights, i64 %j
  %w = load double, ptr %wp, align 8
  %w0 = insertelement {v} poison, double %w, i32 0
  %wv = shufflevector {v} %w0, {v} poison, {splat}
  %kv = call {v} @llvm.masked.load.{name}.p0(ptr %row, i32 8, {bits} %mask, {v} zeroinitializer)
  %sumnext = call {v} @llvm.fma.{name}({v} %wv, {v} %kv, {v} %sum)
  %rownext = getelementptr double, ptr %row, i64 %d
  %jnext = add i64 %j, 1
  %more = icmp slt i64 %jnext, %stages
  br i1 %more, label %stage, label %finish
finish:
  %yp = getelementptr double, ptr %y, i64 %i
  %yv = call {v} @llvm.masked.load.{name}.p0(ptr %yp, i32 8, {bits} %mask, {v} zeroinitializer)
  %value = call {v} @llvm.fma.{name}({v} %hv, {v} %sumnext, {v} %yv)
  %op = getelementptr double, ptr %out, i64 %i
  call void @llvm.masked.store.{name}.p0({v} %value, ptr %op, i32 8, {bits} %mask)
  %inext = add i64 %i, {lanes}
  %again = icmp slt i64 %inext, %d
  br i1 %again, label %block, label %done
done:
  ret void
}}
"""
