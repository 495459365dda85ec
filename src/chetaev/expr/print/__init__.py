r"""One printer: graph → layout tree → text, LaTeX, MathML, broken lines.

A graph is laid out once (:mod:`.layout_of_graph`): signs, brackets and fractions are placed, for a line of
text or for a page. The writers (:mod:`.text`, :mod:`.latex`, :mod:`.mathml`) and the breaking of lines
(:mod:`.broken_lines`) know layouts only, and nobody reads what another one wrote.

>>> from chetaev.expr.graph.node import number, symbol
>>> kinetic = symbol("theta", 1) ** number(2) / number(2)
>>> print(to_text(kinetic), to_latex(kinetic))
theta'^2/2 \frac{\dot{\theta}^{2}}{2}
"""

from chetaev.expr.print.latex import latex as latex
from chetaev.expr.print.latex import meanings as meanings
from chetaev.expr.print.latex import name_latex as name_latex
from chetaev.expr.print.latex import to_latex as to_latex
from chetaev.expr.print.layout_of_graph import line as line
from chetaev.expr.print.layout_of_graph import page as page
from chetaev.expr.print.layout_of_graph import relation as relation
from chetaev.expr.print.mathml import mathml as mathml
from chetaev.expr.print.names import decimal_text as decimal_text
from chetaev.expr.print.names import number_text as number_text
from chetaev.expr.print.text import to_text as to_text
