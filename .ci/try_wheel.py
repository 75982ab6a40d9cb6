"""What a user tries first, without any extra: fit, score, save and load. Takes a path to save at.

``print`` tells where gauda was found, so that a caller can see that it is the installed one.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from sklearn.datasets import load_iris

import gauda

# Of Fisher's 150 flowers, how many are told right; scikit-learn's models tell as many.
RIGHT = {"QuadraticDiscriminantAnalysis": 147, "LinearDiscriminantAnalysis": 147, "GaussianNB": 144}

X, y = load_iris(return_X_y=True)
for name, right in RIGHT.items():
    model = getattr(gauda, name)().fit(X, y)
    found = int(np.sum(model.predict(X) == y))
    if found != right:
        sys.exit(f"{name} tells {found} flowers right, not {right}")
    model.save(sys.argv[1])
    if not np.array_equal(gauda.load(sys.argv[1]).predict_proba(X), model.predict_proba(X)):
        sys.exit(f"{name} answers otherwise after it was saved")
print(json.dumps([gauda.__version__, gauda.__file__]))
