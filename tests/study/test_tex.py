"""Plain text in a LaTeX document."""

from chetaev.study.tex import escape


def test_plain_text_in_latex():
    assert escape(r"50% \input{x} $a_1^2$ #1 & ~") == (
        r"50\% \textbackslash{}input\{x\} \$a\_1\textasciicircum{}2\$ \#1 \& \textasciitilde{}"
    )
    assert escape("μ − ∂f") == r"$\mu$ $-$ $\partial$f"
    assert escape("a\x00b") == "ab"
