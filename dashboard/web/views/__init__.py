"""One blueprint for each family of pages. A view reads or acts once, and hands the rest on.

Owns: routes. Refuses: to compute what a page says (`presenting` does).
"""
