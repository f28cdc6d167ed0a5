"""Colors of the application, light and dark; plain values that widgets and plots share."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DARK", "LIGHT", "PALETTE", "SEQUENCE", "Theme", "cluster_color"]

# Okabe and Ito's eight colors that color-blind readers tell apart (black left out, it vanishes on
# dark ground), then darker and lighter relatives of them for more than seven clusters.
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#B8A800",
    "#7F6BB3",
    "#8C6D46",
    "#6B8E9F",
    "#A6426E",
    "#5D9C3F",
)

# Light to dark for matrices: perceptually even and safe for color-blind readers (a viridis ramp).
SEQUENCE = ("#440154", "#3B528B", "#21918C", "#5EC962", "#FDE725")


@dataclass(frozen=True)
class Theme:
    """What a view needs to draw itself.

    Parameters
    ----------
    dark : bool
        Whether the ground is dark.
    background, foreground, muted, accent : str
        Colors as "#RRGGBB": ground, text and axes, grid and secondary text, highlights.
    palette : tuple of str
        Cluster colors; see `cluster_color`.
    panel, warning : str
        Ground of raised panels, and color of warnings.
    """

    dark: bool
    background: str
    foreground: str
    muted: str
    accent: str
    palette: tuple[str, ...] = PALETTE
    panel: str = "#FFFFFF"
    warning: str = "#B4530A"


LIGHT = Theme(
    dark=False,
    background="#FFFFFF",
    foreground="#1F2328",
    muted="#6A737D",
    accent="#0B63B0",
    panel="#F4F6F8",
    warning="#B4530A",
)

DARK = Theme(
    dark=True,
    background="#1B1E23",
    foreground="#E6E8EB",
    muted="#9AA3AD",
    accent="#5AB0F2",
    panel="#24282E",
    warning="#F0A35E",
)


def cluster_color(theme: Theme, cluster: int) -> str:
    """Return the color of a cluster, the same in every view; colors repeat after the palette."""
    return theme.palette[cluster % len(theme.palette)]
