"""The dynamics of a system: what says how it moves where the constraints leave it free.

A dynamics is a J¹-pertinent dynamical form, E = (M a + h − F) of the accelerations, however it is given: one
kind a file here, all with the protocol of :class:`~chetaev.model.dynamics.any_dynamics.Dynamics`. The rest of
the package calls its methods and never looks at the kind.

>>> import chetaev as ch
>>> ch.load("knife-edge").dynamics.kind
'energies'
"""
