"""Sources and sinks of batches of rows that need not fit into memory together.

It uses `_support` and `_data`; what becomes of the batches is not its concern.
"""
