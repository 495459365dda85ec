"""A model as a page that computes its own motions: programs of the model as JavaScript, sliders, plots."""
