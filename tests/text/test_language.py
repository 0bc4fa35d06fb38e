"""Languages by path, in Monaco's names."""

import pytest

from workroom.text.language import LANGUAGES, language_of

MONACO = """
abap apex azcli bat bicep c cameligo clojure coffeescript cpp csharp csp css cypher dart dockerfile ecl elixir
flow9 freemarker2 fsharp go graphql handlebars hcl html ini java javascript json julia kotlin less lexon
liquid lua m3 markdown mdx mips msdax mysql objective-c pascal pascaligo perl pgsql php pla plaintext postiats
powerquery powershell proto pug python qsharp r razor redis redshift restructuredtext ruby rust sb scala
scheme scss shell sol aes sparql sql st swift systemverilog verilog tcl twig typescript typespec vb wgsl xml
yaml
"""


def test_every_answer_is_one_of_monacos():
    assert {*MONACO.split()} >= LANGUAGES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/main.rs", "rust"), ("a.ts", "typescript"), ("a.tsx", "typescript"), ("b.JS", "javascript"),
        ("x.py", "python"), ("notes", "plaintext"), ("a.unknown", "plaintext"), ("", "plaintext"),
        ("README.md", "markdown"), ("Makefile", "shell"), ("docker/Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"), (".env.local", "shell"), ("a/.gitignore", "plaintext"),
        ("pyproject.toml", "ini"), ("a.tar.gz", "plaintext"), (".py", "plaintext"), ("x.h", "c"), ("x.hpp", "cpp"),
        ("folder.py/file", "plaintext"), ("makefile.am", "shell"), ("style.scss", "scss"),
    ],
)  # fmt: skip
def test_by_name_then_by_ending(path, language):
    assert language_of(path) == language
