"""Watchkeeper: a reliable job queue on Redis lists, and the console to watch over it.

Rooms, top to bottom: demo, cli and wsgi, web, actions, inspector, queue. A room calls down, never up.
"""

__version__ = "0.1.0"
