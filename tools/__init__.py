"""Small programs of the house that the Makefile runs."""
