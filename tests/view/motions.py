"""Motions of gallery models, simulated once for all tests of the room."""

from functools import cache

import chetaev as ch


@cache
def system(name):
    return ch.load(name)


@cache
def motion(name, at=61, until=None):
    return ch.simulate(system(name), until=until, at=at)
