"""How the pages write tables, numbers, and where their figures are from."""


def table(head, rows):
    rows = [row + [""] * (len(head) - len(row)) for row in rows]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def signed(value):
    return f"{value:+.3f}".replace("0.", ".", 1)


def stamps(found):
    return found.get("stamps") or {(found["version"], found["commit"])}


def foot(used):
    """From which commits the figures of a page are: the last line of every page."""
    found = sorted(set().union(*map(stamps, used))) if used else []
    if not found:
        return "\n\nNo runs yet.\n"
    by_version = {v: [commit for version, commit in found if version == v] for v, _ in found}
    return "\n\nFigures from runs of " + "; ".join(f"pith {v} at commit{'s' if len(c) > 1 else ''} {', '.join(c)}" for v, c in by_version.items()) + ".\n"
