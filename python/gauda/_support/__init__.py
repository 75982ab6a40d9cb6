"""What has no statistics in it: optional packages, files, tables, warnings and errors in words.

It uses the compiled core's errors only.
"""
