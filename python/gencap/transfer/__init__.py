"""Transfer costs: what a solution of one sample costs on another."""

from gencap.holdout import Holdout, holdouts
from gencap.transfer._along import transfer_curve
from gencap.transfer._costs import transfer_costs
from gencap.transfer._result import TransferCosts, TransferCurve

__all__ = [
    "Holdout",
    "TransferCosts",
    "TransferCurve",
    "holdouts",
    "transfer_costs",
    "transfer_curve",
]
