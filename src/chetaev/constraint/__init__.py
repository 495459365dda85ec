"""The constraint submanifold: its geometry, and which kind it is (SCOPE K13, K16–K18, K23, K25, Sa1, Sa2)."""
