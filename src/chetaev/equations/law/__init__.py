"""Laws of motion: ingredients, linear systems for the accelerations, their solution, display and proof."""
