"""The accelerations of a system computed a second time, by means of its own.

The oracle has its own reader of the model's text (`reader`), its own derivatives (`jets`, Taylor arithmetic)
and a plain solution of the equations (`solve`). It imports nothing of `expr`, `constraint`, `equations` or
`flow`: an error in a part that all formulations share cannot be in the oracle too.
"""
