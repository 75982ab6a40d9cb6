"""Sources and sinks of batches of rows that need not fit into memory together.

It uses `_support` and `_data`; how the batches are used is not its concern.
"""
