"""What users hand over, made arrays that the core reads: rows, labels, weights, columns of tables.

It uses `_support`; every private name of scikit-learn is imported in `sklearn_private`.
"""
