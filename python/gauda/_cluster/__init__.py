"""What runs inside the tasks of a cluster, and how their results are joined, for any engine.

It uses all packages but other leaves; `dask` and `spark` bring it to their engines.
"""
