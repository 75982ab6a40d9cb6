"""Pictures of fitted models: one display a file, and what they share."""
