"""How long people wait when they write: `python -m benchmarks.text`."""
