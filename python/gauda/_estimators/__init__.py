"""What all classifiers share: how they learn, answer, decide, sample and explain.

It uses all rooms before it; the classes that users see are made of it in the public packages.
"""
