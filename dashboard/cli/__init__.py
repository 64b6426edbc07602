"""The command line `watchkeeper`: readings and acts for a terminal and for scripts, and the daemons.

Owns: arguments, their errors, exit codes, texts for a terminal. Refuses: to move a job or read a key by
itself; the rooms below do.
"""
