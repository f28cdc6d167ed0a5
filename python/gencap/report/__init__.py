"""Reports: tables, figures and one page that says how many bits are real."""

from gencap.report._canvas import Plot
from gencap.report._capacity_curve import capacity_curve
from gencap.report._order_curve import order_curve
from gencap.report._resolution_curve import resolution_curve
from gencap.report._scatter import scatter
from gencap.report._split_diagram import split_diagram
from gencap.report._transfer_curve import criteria_table, transfer_plot
from gencap.report.comparison import write_comparison
from gencap.report.files import results_document, write_report
from gencap.report.html import plots_of, render_html
from gencap.report.study import Study
from gencap.report.words import chosen, verdict_sentence, warnings_of

__all__ = [
    "Plot",
    "Study",
    "capacity_curve",
    "chosen",
    "criteria_table",
    "order_curve",
    "plots_of",
    "render_html",
    "resolution_curve",
    "results_document",
    "scatter",
    "split_diagram",
    "transfer_plot",
    "verdict_sentence",
    "warnings_of",
    "write_comparison",
    "write_report",
]
