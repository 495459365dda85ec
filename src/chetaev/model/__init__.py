"""Models: `System`, the TOML format, validation, the gallery."""
