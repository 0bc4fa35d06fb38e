"""The language of a file by its path, as Monaco names it (`python`, `typescript`, `plaintext`).

The ids are those of the languages that Monaco brings; a file of any other is `plaintext`, except where another's rules
fit it well enough to be of use: TOML is shown as `ini`.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LANGUAGES", "language_of"]

_BY_ENDING: Mapping[str, str] = {
    "abap": "abap", "cls": "apex", "azcli": "azcli", "bat cmd": "bat", "bicep": "bicep", "mligo": "cameligo",
    "clj cljs cljc edn": "clojure", "coffee": "coffeescript", "c h": "c",
    "cc cpp cxx hh hpp hxx ino cu cuh ipp tpp": "cpp", "cs csx cake": "csharp", "css": "css",
    "cypher cyp": "cypher", "dart": "dart", "dockerfile containerfile": "dockerfile", "ecl": "ecl",
    "ex exs": "elixir", "flow": "flow9", "ftl ftlh ftlx": "freemarker2", "fs fsi fsx fsscript ml mli": "fsharp",
    "go": "go", "graphql gql": "graphql", "handlebars hbs": "handlebars", "tf tfvars hcl nomad": "hcl",
    "html htm xhtml shtml vue svelte astro jshtm": "html",
    "ini properties conf cfg toml gitconfig desktop service timer socket": "ini", "java jav": "java",
    "js mjs cjs jsx es6": "javascript",
    "json jsonc json5 jsonl ndjson map webmanifest geojson ipynb har": "json", "jl": "julia", "kt kts": "kotlin",
    "less": "less", "liquid": "liquid", "lua": "lua", "m3 i3 mg ig": "m3",
    "md markdown mdown mkdn mkd mdwn mdtxt mdtext": "markdown", "mdx": "mdx", "s": "mips", "m mm": "objective-c",
    "pas p pp dpr": "pascal", "ligo": "pascaligo", "pl pm t": "perl",
    "php php4 php5 phtml ctp": "php", "pla": "pla", "dats sats hats": "postiats", "pq pqm": "powerquery",
    "ps1 psm1 psd1": "powershell", "proto": "proto", "jade pug": "pug",
    "py pyi pyw pyx pxd rpy cpy gyp gypi bzl star": "python", "qs": "qsharp", "r rhistory rmd rprofile rt": "r",
    "cshtml": "razor", "redis": "redis", "rst": "restructuredtext", "rb rbx rjs gemspec rake ru podspec": "ruby",
    "rs rlib": "rust", "sb": "sb", "scala sc sbt": "scala", "scm ss sch rkt lisp el": "scheme", "scss sass": "scss",
    "sh bash zsh fish ksh": "shell", "sol": "sol", "aes": "aes", "rq sparql": "sparql", "sql": "sql",
    "st iecst iecplc lc3lib": "st", "swift": "swift", "sv svh": "systemverilog", "v vh": "verilog",
    "tcl": "tcl", "twig jinja jinja2 j2": "twig", "ts mts cts tsx": "typescript", "tsp": "typespec", "vb": "vb",
    "wgsl": "wgsl",
    "xml xsd dtd ascx csproj config props targets wxi wxl wxs xaml svg svgz opf xslt xsl plist rss atom xul": "xml",
    "yaml yml": "yaml",
}  # fmt: skip

_BY_NAME: Mapping[str, str] = {
    "dockerfile containerfile": "dockerfile",
    "makefile gnumakefile justfile .bashrc .bash_profile .profile .zshrc .zshenv .envrc .env pkgbuild": "shell",
    ".gitconfig .gitattributes .gitmodules .editorconfig .npmrc .flake8 .coveragerc": "ini",
    "gemfile rakefile guardfile vagrantfile podfile fastfile brewfile": "ruby",
    "sconstruct sconscript build workspace tiltfile": "python",
    "jakefile": "javascript",
    ".prettierrc .eslintrc .babelrc .swcrc composer.lock pipfile.lock flake.lock .jshintrc": "json",
    ".clang-format .clang-tidy": "yaml",
    "cargo.lock poetry.lock uv.lock pipfile": "ini",
    "jenkinsfile": "java",
}


def _spread(table: Mapping[str, str]) -> dict[str, str]:
    return {name: language for names, language in table.items() for name in names.split()}


_ENDINGS, _NAMES = _spread(_BY_ENDING), _spread(_BY_NAME)

LANGUAGES = frozenset({*_ENDINGS.values(), *_NAMES.values(), "plaintext"})
"""Every id that is answered."""


def language_of(path: str) -> str:
    """Monaco's id for the file at a path: by its whole name, else by its last ending, in any case."""
    name = path.rpartition("/")[2].lower()
    found = _NAMES.get(name) or _ENDINGS.get(name.rpartition(".")[2] if "." in name[1:] else "")
    if found is None and name.startswith(("dockerfile.", "containerfile.", "makefile.", ".env.")):
        found = _NAMES[name.rpartition(".")[0] if not name.startswith(".env.") else ".env"]
    return found or "plaintext"
