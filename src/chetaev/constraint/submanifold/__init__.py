"""The submanifold Q: its equations, charts, normal forms, canonical distribution, where its rank drops."""
