"""The demo: real workers, real failures and the console, from one command and leaving nothing behind.

Stands above all other rooms and uses them as a stranger would: through the command line, the library and
the web's own doors. Nothing outside this room imports it.
"""
