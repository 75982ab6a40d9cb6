"""Functions of fitted Gaussians, values in and values out.

It uses statistics, and knows no estimator.
"""
