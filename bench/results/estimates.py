"""What a job of the book costs, roughly: for `book.py --plan`, and to run cheap ones first. CPU seconds of one ranking are those of the timing runs,
or where there are none yet those of docs/results/cost.md and docs/scale.md."""
import pathlib
import re

import fields
import keeping
import runs
import synthetic

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = {"cl-des": 4, "snfs": 4, "nrfs": 9, "lgdfs": 125, "hufs": 9, "laplacian": 7, "spec": 9, "evsc": 5, "mcfs": 4, "jelsr": 20,
            "ndfs": 6, "rufs": 5, "rsfs": 5, "fsasl": 15, "udfs": 7, "eufs": 9, "mutual-info": 3}  # of the default grids
COUNTS = {"defaults": 6, "logs": 6, "pareto": 6, "diversity": 6, "des": 5, "nrfs": 8, "lgdfs": 10, "hufs": 6}
STARTS = {"nrfs": 1.5, "lgdfs": 0.5}  # k-means of a count, beside the others
DRAWS, DRAWN = 20, 5  # LGDFS's: how often, and how many classes
JUDGE = 4e-6  # seconds of k-means, 20 starts, for a sample, a class and a count
JUDGE_FIELD = 5e-4  # seconds of the fields' judges for a sample, at one count


def page_table(page, columns):
    """{column: {method: seconds}} of the first Markdown table of a page that has a column `method`."""
    found, head = {}, None
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if head is None and cells[0] == "method":
            head = cells
        elif head is not None and not line.startswith("|"):
            break
        elif head is not None and cells[0] != "---":
            for name, cell in zip(head[1:], cells[1:]):
                if cell not in ("", "–") and columns(name):
                    found.setdefault(columns(name), {})[cells[0]] = float(re.sub("^below ", "", cell))
    return found


class Costs:
    def __init__(self, folder):
        self.folder = folder
        self.known = page_table(ROOT / "docs" / "results" / "cost.md", lambda name: name)
        large = page_table(ROOT / "docs" / "scale.md", lambda name: "TDT2" if name.startswith("TDT2") else None)
        self.known.setdefault("TDT2", {}).update(large.get("TDT2", {}))

    def rank(self, entry, method):
        """CPU seconds; a set without figures is taken for three times lung_181, a method without for laplacian."""
        name = entry["name"]
        timed = runs.read(self.folder / f"{name}.timing.json")
        table, times = (timed["seconds"], 1) if timed else (self.known[name], 1) if name in self.known else (self.known["lung_181"], 3)
        return times * (table.get(method) or table["laplacian"])

    def compare(self, job):
        samples, classes = (int(v) for v in re.match(r"(\d+) x \d+, (\d+)", job.entry["shape"]).groups())
        share = min(1, DRAWN / classes) if job.kind == "lgdfs" else 1
        times = DRAWS * share ** 2 if job.kind == "lgdfs" else 1
        rows = COUNTS[job.kind] * STARTS.get(job.kind, 1) * samples * classes * share ** 2 * JUDGE * (DRAWS if job.kind == "lgdfs" else 1)
        settings = {m: 2 if job.kind == "diversity" else 1 if job.kind in ("defaults", "logs", "pareto", "nrfs") else SETTINGS.get(m, 1) for m in job.methods}
        ranking = sum(times * n * self.rank(job.entry, m) for m, n in settings.items())
        return ranking + (sum(settings.values()) + 6) * rows + 2 * self.rank(job.entry, "consensus")

    def seconds(self, job):
        if job.kind == "timing":
            return sum(self.rank(job.entry, m) for m in job.methods) + self.rank(job.entry, "nrfs, no sampling")
        if job.kind == "keep":
            return 2 * sum(self.rank(job.entry, m) for m in (*keeping.METHODS, "consensus"))
        if job.kind == "field":
            samples, times = min(2500, int(job.entry["shape"].split()[0])), (fields.SEEDS + 2) / 2  # many methods give the same with every seed
            judged = times * len(job.methods) * len(fields.COUNTS[job.entry["domain"]]) * samples * JUDGE_FIELD
            return times * sum(self.rank(job.entry, m) for m in job.methods) + judged
        if job.kind == "synthetic":
            return len(synthetic.SEEDS) * 8
        return self.compare(job)
