"""Symmetries: fields that take motions to motions, their algebra, and what they leave of their momenta."""
