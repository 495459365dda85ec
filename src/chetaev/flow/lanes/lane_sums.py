"""What lane kernels call, written in LLVM's text: sums of vectors, and powers lane by lane."""

from __future__ import annotations


def declarations(lanes: int) -> str:
    """What lane kernels call."""
    vector, suffix = f"<{lanes} x double>", f"v{lanes}f64"
    return "".join(f"declare {vector} @llvm.{name}.{suffix}({vector})\n" for name in ("sqrt", "fabs")) + (
        f"declare {vector} @llvm.fma.{suffix}({vector}, {vector}, {vector})\n"
    )


def powers_text(lanes: int) -> str:
    """The C library's power of numbers in place, in the lanes whose bits are set."""
    lines = []
    for i in range(lanes):
        lines += [
            f"  %bit{i} = and i{lanes} %bits, {1 << i}",
            f"  %off{i} = icmp eq i{lanes} %bit{i}, 0",
            f"  br i1 %off{i}, label %after{i}, label %inside{i}",
            f"inside{i}:",
            f"  %to{i} = getelementptr double, ptr %base, i64 {i}",
            f"  %from{i} = getelementptr double, ptr %exponent, i64 {i}",
            f"  %a{i} = load double, ptr %to{i}, align 8",
            f"  %b{i} = load double, ptr %from{i}, align 8",
            f"  %c{i} = call double @pow(double %a{i}, double %b{i})",
            f"  store double %c{i}, ptr %to{i}, align 8",
            f"  br label %after{i}",
            f"after{i}:",
        ]
    body = "\n".join(lines)
    head = f"define internal void @powers(i{lanes} %bits, ptr %base, ptr %exponent) nounwind"
    return f"{head} {{\nentry:\n{body}\n  ret void\n}}\n"


SIDE_BY_SIDE = (8, 4, 2, 1)
"""So many entries of a sum are formed at once: chains of operations that do not wait for each other."""


def combine_text(lanes: int) -> str:
    """The kernel `combine`: out = y + h Σ_j w_j k_j, fused where `compile.vectors` fuses.

    Weights that are 0, a third of DOP853's, are passed over: they would add nothing to a sum of numbers.
    """
    v, first, before, parts = f"<{lanes} x double>", "0", "%entry", []
    for entries in SIDE_BY_SIDE:
        loop = _combine_loop(lanes, entries)
        parts.append(f"""
  %rest{entries} = srem i64 %d, {entries}
  %last{entries} = sub i64 %d, %rest{entries}
  %some{entries} = icmp sgt i64 %last{entries}, {first}
  br i1 %some{entries}, label %block{entries}, label %done{entries}
{loop.format(first=first, before=before, last=f"%last{entries}", after=f"%done{entries}")}
done{entries}:""")
        first, before = f"%last{entries}", f"%done{entries}"
    head = "i64 %d, i64 %stages, ptr %weights, ptr %k, ptr %y"
    return f"""
define internal void @combine({head}, {v} %h, ptr %out) nounwind {{
entry:{"".join(parts)}
  ret void
}}
"""


def _combine_loop(lanes: int, entries: int) -> str:
    """The loop over entries, so many at once, from {first} on while below {last}."""
    v, name, e = f"<{lanes} x double>", f"v{lanes}f64", entries
    head, body, join, tail, zero = [], [], [], [], f"<{lanes} x i32> zeroinitializer"
    for i in range(e):
        head.append(f"  %sum{e}.{i} = phi {v} [ zeroinitializer, %block{e} ], [ %next{e}.{i}, %onward{e} ]")
        body += [
            f"  %at{e}.{i} = getelementptr {v}, ptr %row{e}, i64 {i}",
            f"  %k{e}.{i} = load {v}, ptr %at{e}.{i}, align 8",
            f"  %more{e}.{i} = call {v} @llvm.fma.{name}({v} %w{e}, {v} %k{e}.{i}, {v} %sum{e}.{i})",
        ]
        join.append(f"  %next{e}.{i} = phi {v} [ %sum{e}.{i}, %stage{e} ], [ %more{e}.{i}, %add{e} ]")
        tail += [
            f"  %to{e}.{i} = add i64 %i{e}, {i}",
            f"  %yp{e}.{i} = getelementptr {v}, ptr %y, i64 %to{e}.{i}",
            f"  %y{e}.{i} = load {v}, ptr %yp{e}.{i}, align 8",
            f"  %v{e}.{i} = call {v} @llvm.fma.{name}({v} %h, {v} %next{e}.{i}, {v} %y{e}.{i})",
            f"  %op{e}.{i} = getelementptr {v}, ptr %out, i64 %to{e}.{i}",
            f"  store {v} %v{e}.{i}, ptr %op{e}.{i}, align 8",
        ]
    return "\n".join(
        [
            f"block{e}:",
            f"  %i{e} = phi i64 [ {{first}}, {{before}} ], [ %inext{e}, %finish{e} ]",
            f"  %first{e} = getelementptr {v}, ptr %k, i64 %i{e}",
            f"  br label %stage{e}",
            f"stage{e}:",
            f"  %j{e} = phi i64 [ 0, %block{e} ], [ %jnext{e}, %onward{e} ]",
            f"  %row{e} = phi ptr [ %first{e}, %block{e} ], [ %rownext{e}, %onward{e} ]",
            *head,
            f"  %wp{e} = getelementptr double, ptr %weights, i64 %j{e}",
            f"  %bits{e} = load i64, ptr %wp{e}, align 8",
            f"  %nothing{e} = icmp eq i64 %bits{e}, 0",
            f"  br i1 %nothing{e}, label %onward{e}, label %add{e}",
            f"add{e}:",
            f"  %w0{e} = load double, ptr %wp{e}, align 8",
            f"  %w1{e} = insertelement {v} poison, double %w0{e}, i32 0",
            f"  %w{e} = shufflevector {v} %w1{e}, {v} poison, {zero}",
            *body,
            f"  br label %onward{e}",
            f"onward{e}:",
            *join,
            f"  %rownext{e} = getelementptr {v}, ptr %row{e}, i64 %d",
            f"  %jnext{e} = add i64 %j{e}, 1",
            f"  %more{e} = icmp slt i64 %jnext{e}, %stages",
            f"  br i1 %more{e}, label %stage{e}, label %finish{e}",
            f"finish{e}:",
            *tail,
            f"  %inext{e} = add i64 %i{e}, {e}",
            f"  %again{e} = icmp slt i64 %inext{e}, {{last}}",
            f"  br i1 %again{e}, label %block{e}, label {{after}}",
        ]
    )
