"""The console as a Flask application: reads through the inspector, acts through actions.

Owns: addresses, pages, forms, sign-in, headers. Refuses: Redis; nothing here imports a client.
"""
