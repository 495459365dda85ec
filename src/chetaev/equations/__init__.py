"""Equations of motion: one file a formulation.

    law/          what derivations start from (`setup`), linear laws, their solution, display, proof
    quasi/        frames of the admissible directions, given or found, and laws written in quasi-velocities
    forms/        the formulations, one file each
    registry      their names, words and conditions; ``ch.equations`` and ``ch.forms``
    leading_form  which equations read best
    field         a formulation as a function of numbers; ``ch.field``

A room imports only those above it, and no formulation another; the registry imports what it is asked for.
"""
