"""Model files: TOML with places, loading from files, texts and the gallery, writing, the template."""
