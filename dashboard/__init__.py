"""Watchkeeper: a reliable job queue on Redis lists, and the console to watch over it.

Rooms, top to bottom: demo, cli and wsgi, web, actions, inspector, queue. A room calls down, never up.
"""

from typing import Final

__version__: Final = "0.1.0"
