"""The file format of models and statistics: written, checked, and read back to the bit.

It uses `_support`; classes that can be stored enter themselves in its register.
"""
