"""Pictures of fitted models, in the manner of scikit-learn's displays; they need matplotlib."""

from gauda._pictures.fisher import FisherDisplay
from gauda._pictures.gaussians import GaussiansDisplay
from gauda._pictures.grid import GridDisplay
from gauda._pictures.imputation import ImputationDisplay
from gauda._pictures.regions import DecisionRegionsDisplay
from gauda._pictures.reliability import ReliabilityDisplay
from gauda._pictures.samples import SamplesDisplay

__all__ = [
    "DecisionRegionsDisplay",
    "FisherDisplay",
    "GaussiansDisplay",
    "GridDisplay",
    "ImputationDisplay",
    "ReliabilityDisplay",
    "SamplesDisplay",
]
