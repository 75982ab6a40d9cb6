"""Data that need not fit into memory: read batch by batch, fitted, scored and written."""

from gauda._streams.fit import moments_of
from gauda._streams.predict import predict_stream

__all__ = ["moments_of", "predict_stream"]
