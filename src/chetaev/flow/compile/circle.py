"""sin and cos of one, two, four or eight angles at once, as functions that programs for one state call.

They are compiled with the integrators' loops, once for all models, so a model's own code is shorter and made
sooner. ``circle4(a, b, c, d, p)`` writes four sines and then four cosines to p; it returns `HUGE_FLAG` if an
angle is too large for the method (see `flow.compile.elementary`), else 0.

>>> next(line for line in circle_text(2).splitlines() if line.startswith("define"))
'define i64 @circle2(double %a0, double %a1, ptr %out) nounwind {'
"""

from __future__ import annotations

from chetaev.flow.compile.elementary import HUGE, HUGE_FLAG, InstructionWriter

WIDTHS = (1, 2, 4, 8)
NAMES = tuple(f"circle{width}" for width in WIDTHS)


def circle_text(width: int) -> str:
    """The LLVM text of the function for so many angles."""
    writer = InstructionWriter(width)
    kind, bits = writer.type, writer.bit
    x = "%a0"
    if width > 1:
        x = "poison"
        for lane in range(width):
            x = writer.emit(f"insertelement {kind} {x}, double %a{lane}, i32 {lane}")
    sine, cosine = writer.circle_point(x)
    second = writer.emit(f"getelementptr double, ptr %out, i64 {width}")
    size = writer.operation("abs", [x])
    found = writer.compare("ogt", size, writer.constant(HUGE))
    if width > 1:
        packed = writer.emit(f"bitcast {bits} {found} to i{width}")
        found = writer.emit(f"icmp ne i{width} {packed}, 0")
    flag = writer.emit(f"select i1 {found}, i64 {HUGE_FLAG}, i64 0")
    arguments = ", ".join(f"double %a{lane}" for lane in range(width))
    return "\n".join(
        [
            *writer.declared.values(),
            f"define i64 @circle{width}({arguments}, ptr %out) nounwind {{",
            *writer.lines,
            f"  store {kind} {sine}, ptr %out, align 8",
            f"  store {kind} {cosine}, ptr {second}, align 8",
            f"  ret i64 {flag}",
            "}",
        ]
    )
