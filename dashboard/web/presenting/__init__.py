"""From the inspector's snapshots to the page objects of `view_models`.

Owns: words, order, labels with numbers, which acts a reader is offered. Refuses: Redis, Flask, HTML.
"""
