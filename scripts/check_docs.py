#!/usr/bin/env python3
"""Checks the documentation: check_docs.py [--bin build/bin] [PAGE...]

Pages are README.md, CONTRIBUTING.md, docs/**/*.md, benchmarks/**/*.md and examples/**/*.md. Without --bin:

    links       a relative link names a file of the repository, an anchor a heading of its page
    paths       what is in backticks and looks like a path or a source file of the repository exists; so does any page (.md)
    names       a function or class of ours in backticks (`getTile`, `TileContext::rows`) is one of the sources'
    words       prose has none of the project's former house words (WORDS): the field has names for these things
    lengths     lines of prose have fewer than 120 characters (no limit in code blocks, tables and URLs), sentences fewer
                than 30 words, README.md fewer than 120 lines, a decision at most 40

Pages under docs/reference are generated: only their links are checked. With --bin the commands run too:

    ```sh       runs with `bash -e` in a copy of the repository's root, where build/ is the parent of --bin and PATH has --bin;
                it must exit with 0. The blocks of one page share the copy, from top to bottom
    ```         (no language, or `text`) right after it: the output, stdout and stderr. `...` on a line of its own stands
                for any lines, elsewhere for anything in the line

`<!-- not run: why -->` in front of an ```sh block says why it is not run. Each message is
FILE:LINE: what is wrong; the rule; the remedy. The exit code is 1 if there are any. The words of the C++ code's messages are
checked like those of the pages.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_LINE, MAX_WORDS, MAX_README, MAX_DECISION = 119, 29, 119, 40
SECONDS = 60  # of one block

# House words, and what the field says.
WORDS = {"walk": "loop over, or persistent workgroup", "walks": "loops over", "beside": "next to, or with", "behind": "after", "mine": "own",
         "in front of": "before", "piece": "partial sum, split or share", "pieces": "partial sums, splits or shares", "put": "store",
         "puts": "stores"}

# Pages whose blocks a test of their own runs, by rules of its own.
TESTED = {"docs/adding-a-contraction.md": "test/Toy/page.test", "docs/python.md": "python/tests/test_docs.py"}

# Words that stand for any name, as CHIP.json.
PLACEHOLDER = re.compile(r"\b(?!README|CONTRIBUTING)[A-Z]{3,}\b|[<>$]|\.\.\.")
SOURCE = re.compile(r"[\w.-]+\.(h|cpp|td|def)")
PATH = re.compile(r"[\w.-]+(/[\w.{},*-]+)+/?")
NAME = re.compile(r"(?:[A-Z]\w+::)?(?:get|is|has|emit|find|make|verify)[A-Z]\w*|[A-Z]\w+::\w+")
SOURCES = ("lib/", "include/", "tools/", "python/", "unittests/", "test/")
KNOWN_ENDING = re.compile(r"\.(md|h|cpp|td|def|py|mlir|test|cl|sh|c|svg|csv|json|txt|ptx|hsaco|npy)$")


@dataclass
class Block:
    """Lines of a page that belong together."""

    kind: str  # "prose", "table", "heading", "code" or "comment"
    line: int  # of the first one, from 1 on
    lines: list[str] = field(default_factory=list)
    language: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def split_blocks(text: str) -> list[Block]:
    """The blocks of a page: a paragraph or an item of a list is one, so is a row of a table."""
    blocks: list[Block] = []
    fence = ""
    current: Block | None = None
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if fence:
            if bare.startswith(fence) and not bare.strip("`~"):
                fence = ""
            else:
                blocks[-1].lines.append(line)
            continue
        opening = re.match(r"\s*(```+|~~~+)\s*(.*)", line)
        if opening:
            fence = opening[1]
            blocks.append(Block("code", number, language=opening[2].strip()))
            current = None
        elif current is not None and current.kind == "comment" and "-->" not in current.text:
            current.lines.append(line)
        elif bare.startswith("<!--"):
            current = Block("comment", number, [line])
            blocks.append(current)
        elif not bare:
            current = None
        elif bare.startswith("|"):
            blocks.append(Block("table", number, [line]))
            current = None
        elif re.match(r"#+ ", bare):
            blocks.append(Block("heading", number, [line]))
            current = None
        elif current is not None and current.kind == "prose" and not re.match(r"\s*([-*+]|\d+\.) ", line):
            current.lines.append(line)
        else:
            current = Block("prose", number, [line])
            blocks.append(current)
    return blocks


def get_anchors(blocks: list[Block]) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: dict[str, int] = {}
    anchors = set()
    for block in blocks:
        if block.kind != "heading":
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block.text.lstrip("# "))
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


def get_plain(text: str) -> str:
    """Prose with its code spans as one word each, its links as their text, and no markup."""
    text = re.sub(r"(`+)(.+?)\1", "Code", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]+>", " ", text)
    return re.sub(r"\*\*|\*(?=\w)|(?<=\w)\*|^\s*(?:[-*+]|\d+\.|#+)\s", "", text)


def split_sentences(text: str) -> list[str]:
    """Sentences of prose. One ends at `.`, `!` or `?` (perhaps with a bracket or a quote) before a space and a capital, a digit or a sign."""
    ends = re.compile(r"(?<![ (]e\.g)(?<![ (]i\.e)(?<! vs)[.!?][)\"'”]?\s+(?=[A-Z0-9\"'(\[%+-]|[a-z]+[A-Z0-9_.-])")
    return [" ".join(sentence.split()) for sentence in ends.split(get_plain(text))]


def count_words(sentence: str) -> int:
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


class Checker:
    def __init__(self) -> None:
        self.messages: list[str] = []
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
        self.files = {line for line in listed.stdout.splitlines() if (ROOT / line).exists()}
        self.folders = {str(parent) for file in self.files for parent in Path(file).parents}
        self.names = {Path(file).name for file in self.files}
        self.identifiers = {word for file in self.files if file.startswith(SOURCES) and file.endswith((".h", ".cpp", ".td", ".def", ".py"))
                            for word in re.findall(r"\w+", (ROOT / file).read_text())}
        self.tops = {file.split("/")[0] for file in self.files if "/" in file}
        self.pages: dict[str, list[Block]] = {}

    def report(self, page: str, line: int, what: str, rule: str, remedy: str) -> None:
        self.messages.append(f"{page}:{line}: {what}; rule: {rule}; remedy: {remedy}")

    def get_blocks(self, page: str) -> list[Block]:
        if page not in self.pages:
            self.pages[page] = split_blocks((ROOT / page).read_text())
        return self.pages[page]

    def has(self, path: str) -> bool:
        return path in self.files or path.rstrip("/") in self.folders

    # Links and paths.

    def check_links(self, page: str) -> None:
        for block in self.get_blocks(page):
            if block.kind in ("code", "comment"):
                continue
            for at, line in enumerate(block.lines):
                bare = re.sub(r"(`+)(.+?)\1", lambda m: m[0] if "](" in m[0] else "Code", line)
                for target in re.findall(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)", bare):
                    self.check_link(page, block.line + at, target)

    def check_link(self, page: str, line: int, target: str) -> None:
        if re.match(r"[a-z]+:", target):
            return
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not self.has(file):
            self.report(page, line, f"link to '{target}', but there is no '{file}'", "relative links name files of the repository",
                        "mend the link, or add the file")
        elif anchor and file.endswith(".md") and anchor not in get_anchors(self.get_blocks(file)):
            self.report(page, line, f"link to '{target}', but {file} has no heading '#{anchor}'", "an anchor is a heading of its page",
                        "use one of: " + ", ".join(sorted(get_anchors(self.get_blocks(file)))[:12]))

    def check_paths(self, page: str) -> None:
        for block in self.get_blocks(page):
            if block.kind == "code":
                named = block.language.split()[1:2]
                if named and PATH.fullmatch(named[0]) and not self.has(named[0]):
                    self.report(page, block.line, f"excerpt of '{named[0]}', which does not exist", "excerpts are of files of the repository",
                                "name a file that exists")
            if block.kind in ("code", "comment"):
                continue
            for at, line in enumerate(block.lines):
                for span in re.findall(r"`([^`]+)`", line):
                    self.check_path(page, block.line + at, span)
                    if NAME.fullmatch(span.removesuffix("()")) and not self.identifiers.issuperset(re.findall(r"\w+", span)):
                        self.report(page, block.line + at, f"'{span}' is no name of a source", "a page cites only names of the sources",
                                    "give the name that the code has now")
                bare = re.sub(r"\]\([^)]*\)|https?://\S+|`[^`]*`", " ", line)
                for span in re.findall(r"[\w./-]*\w\.md\b", bare):
                    if Path(span).name not in self.names:
                        self.report(page, block.line + at, f"page '{span}' does not exist", "a page cites only files of the repository",
                                    "name a page that exists, or leave the citation out")

    def check_path(self, page: str, line: int, span: str) -> None:
        if PLACEHOLDER.search(span) or not (SOURCE.fullmatch(span) or PATH.fullmatch(span)):
            return
        rule, remedy = "a page cites only files of the repository", "name a file that exists, or leave the citation out"
        if "/" not in span:
            if span not in self.names:
                self.report(page, line, f"file '{span}' does not exist", rule, remedy)
            return
        first = span.split("/")[0]
        if first == "build" or (first not in self.tops and first != "te" and not KNOWN_ENDING.search(span)):
            return
        for path in expand_braces(span):
            places = [path, f"include/{path}", os.path.normpath(os.path.join(os.path.dirname(page), path))]
            if "*" in path:
                exists = any(next(ROOT.glob(place.rstrip("/")), None) for place in places[:2])
            else:
                exists = any(self.has(place.rstrip("/")) for place in places)
            # A name with an ending may lie in a folder of the same page's topic, as Inputs/check.py.
            if not exists and not any(file.endswith("/" + path) for file in self.files):
                self.report(page, line, f"path '{path}' does not exist", rule, remedy)

    # Lengths.

    def check_lengths(self, page: str) -> None:
        count = len((ROOT / page).read_text().splitlines())
        if page == "README.md" and count > MAX_README:
            self.report(page, count, f"{count} lines", f"README.md has fewer than {MAX_README + 1} lines", "move text to a page of docs/")
        if page.startswith("docs/decisions/0") and count > MAX_DECISION:
            self.report(page, count, f"{count} lines", f"a decision has at most {MAX_DECISION} lines", "leave out logs of tries and dates")
        for block in self.get_blocks(page):
            if block.kind in ("prose", "heading"):
                for at, line in enumerate(block.lines):
                    length = len(re.sub(r"https?://[^\s)]+", "", line))
                    if length > MAX_LINE:
                        self.report(page, block.line + at, f"line of {length} characters", f"lines of prose have fewer than {MAX_LINE + 1} characters",
                                    "break the line")
                self.check_sentences(page, block, block.text)
                self.check_words(page, block)
            elif block.kind == "table":
                for cell in block.text.strip().strip("|").split("|"):
                    self.check_sentences(page, block, cell)

    def check_words(self, page: str, block: Block) -> None:
        for at, line in enumerate(block.lines):
            self.check_text(page, block.line + at, get_plain(line))

    def check_text(self, page: str, line: int, text: str) -> None:
        for word, better in WORDS.items():
            if re.search(rf"\b{word}\b", text, re.IGNORECASE):
                self.report(page, line, f"the word '{word}'", "pages and messages use the field's words", f"say {better}")

    def check_messages(self, source: str) -> None:
        """The words of string literals with several of them."""
        for number, line in enumerate((ROOT / source).read_text().splitlines(), 1):
            for literal in re.findall(r'"(?:[^"\\]|\\.)*"', line.split("// ")[0]):
                if " " in literal.strip('" '):
                    self.check_text(source, number, literal)

    def check_sentences(self, page: str, block: Block, text: str) -> None:
        for sentence in split_sentences(text):
            words = count_words(sentence)
            if words > MAX_WORDS:
                shown = sentence if len(sentence) < 90 else sentence[:87] + "..."
                self.report(page, block.line, f"sentence of {words} words: '{shown}'", f"sentences have fewer than {MAX_WORDS + 1} words", "make two of it")

    # Commands.

    def check_commands(self, page: str, programs: Path) -> int:
        """Runs the blocks of a page; how many there were."""
        if page in TESTED:
            test = TESTED[page]
            if test not in self.files or page not in (ROOT / test).read_text():
                self.report(page, 1, f"'{test}' does not test this page", "the blocks of a page are tested", "remove the page from TESTED in check_docs.py")
            return 0
        blocks, count = self.get_blocks(page), 0
        with tempfile.TemporaryDirectory(prefix="check_docs") as folder:
            root = Path(folder)
            for block, before, after in zip(blocks, [None, *blocks], [*blocks[1:], None]):
                if block.kind != "code" or block.language != "sh":
                    continue
                if before is not None and before.kind == "comment" and re.search(r"not run: *\w", before.text):
                    continue
                if not count:
                    make_copy(root, self.files, programs)
                count += 1
                self.run_block(page, block, after, root)
        return count

    def run_block(self, page: str, block: Block, after: Block | None, root: Path) -> None:
        environment = dict(os.environ, PATH=f"{root}/build/bin:{os.environ['PATH']}", PYTHONDONTWRITEBYTECODE="1")
        try:
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", block.text], cwd=root, env=environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.report(page, block.line, f"the block took more than {SECONDS} s", "blocks are quick",
                        "make the sizes smaller, or write '<!-- not run: why -->' in front of it")
            return
        output = result.stdout.rstrip("\n")
        if result.returncode != 0:
            self.report(page, block.line, f"the block exited with {result.returncode}:\n{indent(output)}\n", "shown commands work",
                        "mend the command, or write '<!-- not run: why -->' in front of it")
            return
        if after is None or after.kind != "code" or after.language not in ("", "text"):
            return
        if not matches(after.lines, output.splitlines()):
            self.report(page, after.line, f"the output of the block before is not what is shown, but\n{indent(output)}\n",
                        "shown output is what the commands print ('...' is anything)", "show what is printed")


def expand_braces(path: str) -> list[str]:
    """`a/{b,c}` as a/b and a/c."""
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [p for word in found[1].split(",") for p in expand_braces(path[:found.start()] + word.strip() + path[found.end():])]


def matches(shown: list[str], lines: list[str]) -> bool:
    """Whether the shown lines, with their `...`, are these lines. Spaces at a line's end do not count."""
    pattern = ""
    for line in shown:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(word) for word in line.rstrip().split("...")) + r"\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in lines)) is not None


def indent(text: str) -> str:
    lines = text.splitlines()
    if len(lines) > 40:
        lines = [*lines[:20], f"[{len(lines) - 40} lines]", *lines[-20:]]
    return "\n".join("    " + line for line in lines)


def make_copy(root: Path, files: set[str], programs: Path) -> None:
    """A copy of the repository's files, and a build/ with links to the tools: commands may write anywhere in it."""
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, root / file)
    (root / "build").mkdir()
    for entry in programs.parent.iterdir():
        if entry.name in ("bin", "lib", "python", "venv"):
            (root / "build" / entry.name).symlink_to(entry)
    if not (root / "build/bin").exists():
        (root / "build/bin").symlink_to(programs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, help="the folder of the tools; runs the commands of the pages")
    parser.add_argument("pages", nargs="*", help="pages to check, by their paths in the repository; else all")
    options = parser.parse_args()
    checker = Checker()
    pages = [file for file in sorted(checker.files) if file.endswith(".md") and (
        file in ("README.md", "CONTRIBUTING.md") or file.startswith(("docs/", "benchmarks/", "examples/")))]
    if options.pages:
        pages = [page for page in pages if page in options.pages]
    blocks = 0
    for page in pages:
        checker.check_links(page)
        if page.startswith("docs/reference/"):
            continue
        checker.check_paths(page)
        checker.check_lengths(page)
        if options.bin is not None:
            blocks += checker.check_commands(page, Path(os.path.abspath(options.bin)))
    for source in sorted(checker.files):
        if source.startswith(("lib/", "tools/", "python/src/")) and source.endswith(".cpp") and not options.pages:
            checker.check_messages(source)
    for message in checker.messages:
        print(message)
    print(f"{len(pages)} pages, {blocks} blocks run, {len(checker.messages)} errors")
    return 1 if checker.messages else 0


if __name__ == "__main__":
    sys.exit(main())
