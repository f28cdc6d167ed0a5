"""How many bits of your clustering are real?"""

from gencap._core import __version__
from gencap._progress import Cancelled, Control, Progress

__all__ = ["Cancelled", "Control", "Progress", "__version__"]
