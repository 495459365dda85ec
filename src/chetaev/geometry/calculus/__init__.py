"""Vector fields, forms, tensors, jets: what can be differentiated, bracketed and prolonged."""
