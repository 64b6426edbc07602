"""Every change that a person makes: jobs, workers, queues, the trash.

Owns: roles, refusals, the loops around the bounded scripts, and the outcome that a screen reports. Refuses:
to move a job by any other way than the library's scripts, to act on a queue with an ambiguous name, and to
read pages (that is the inspector's).

`operator.Operator` is the one door; `roles.Actor` says who goes through it.
"""
