"""Sums over labeled rows that merge: all that a fit needs of its rows.

It uses the rooms before it: data come in as arrays or streams, sums go to files.
"""
