"""The parts of ``compare.py``: data, contestants, races, the table, the picture, and the sections.

A section is a function that yields lines of the table, each with its target.
"""
