"""Pictures of fitted models, in the manner of scikit-learn's displays.

It uses fitted classifiers and the rooms before them; needs the extra `gauda[plot]`.
"""

from gauda.pictures._contrast import ContrastDisplay
from gauda.pictures._densities import DensitiesDisplay
from gauda.pictures._fisher import FisherDisplay
from gauda.pictures._gaussians import GaussiansDisplay
from gauda.pictures._grid import GridDisplay
from gauda.pictures._imputation import ImputationDisplay
from gauda.pictures._levels import LevelsDisplay
from gauda.pictures._pairs import PairsDisplay
from gauda.pictures._path import SelectionPathDisplay
from gauda.pictures._regions import DecisionRegionsDisplay
from gauda.pictures._reliability import ReliabilityDisplay
from gauda.pictures._samples import SamplesDisplay

__all__ = [
    "ContrastDisplay",
    "DecisionRegionsDisplay",
    "DensitiesDisplay",
    "FisherDisplay",
    "GaussiansDisplay",
    "GridDisplay",
    "ImputationDisplay",
    "LevelsDisplay",
    "PairsDisplay",
    "ReliabilityDisplay",
    "SamplesDisplay",
    "SelectionPathDisplay",
]
