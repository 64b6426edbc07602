"""`python -m tests.support.compile_templates`: every template compiles, and names only templates that exist.

Says which one does not, and ends with code 1. Draws nothing and needs no server.
"""

import sys
from pathlib import Path

from flask import Flask
from jinja2 import TemplateError, meta

from dashboard.places import templates_dir
from dashboard.web import filters


def faults_in(folder: Path) -> list[str]:
    """One sentence for each template that cannot be compiled or refers to one that is not there."""
    app = Flask("templates", template_folder=str(folder))
    filters.install(app)
    env = app.jinja_env
    names = sorted(env.list_templates())
    faults = []
    for name in names:
        try:
            env.get_template(name)
            tree = env.parse((folder / name).read_text(encoding="utf-8"))
        except TemplateError as error:
            faults.append(f"{name}: {error}")
            continue
        wanted = {other for other in meta.find_referenced_templates(tree) if other is not None}
        faults += [f"{name}: there is no {other}" for other in sorted(wanted - set(names))]
    return faults


def main() -> int:
    """Print the faults; 0 when there is none, 1 otherwise."""
    faults = faults_in(templates_dir())
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
