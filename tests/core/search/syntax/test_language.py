"""Which grammar reads which file."""

from __future__ import annotations

import pytest

from workroom.core.search.syntax.language import grammar_of


@pytest.mark.parametrize(
    ("path", "grammar"),
    [
        ("src/a.py", "python"), ("a.PYI", "python"), ("a.tsx", "tsx"), ("a.mts", "typescript"), ("a.jsx", "javascript"),
        ("a.go", "go"), ("a.rs", "rust"), ("a.c", "c"), ("a.h", "c"), ("a.hpp", "cpp"), ("a.cu", "cpp"),
        ("A.java", "java"), ("a.cs", "csharp"), ("a.rb", "ruby"), ("Rakefile", "ruby"), ("a.php", "php"),
        ("a.swift", "swift"), ("a.kts", "kotlin"), ("a.scala", "scala"), ("a.bash", "bash"), (".bashrc", "bash"),
        ("a.lua", "lua"), ("README.md", "markdown"), ("a.json", "json"), ("a.yml", "yaml"), ("a.toml", "toml"),
        ("Cargo.lock", "toml"), ("a.css", "css"), ("a.scss", "scss"), ("a.html", "html"), ("a.sql", "sql"),
        ("Makefile", "make"), ("a.mk", "make"), ("a.ini", "ini"), ("setup.cfg", "ini"), ("a.tf", "hcl"),
        ("a.proto", "proto"), ("a.graphql", "graphql"), ("a.ps1", "powershell"), ("a.zig", "zig"), ("a.m", "objc"),
        ("a.fish", None), ("a.conf", None), ("a.txt", None), ("a", None),
        ("a.png", None), ("dir.py/a", None), (".py", None),
    ],
)  # fmt: skip
def test_by_its_name(path, grammar):
    assert grammar_of(path) == grammar


@pytest.mark.parametrize(
    ("head", "grammar"),
    [
        (b"#!/usr/bin/env python3\nx", "python"), (b"#!/usr/bin/python3.11 -u\n", "python"), (b"#!/bin/sh", "bash"),
        (b"#! /bin/bash -e\n", "bash"), (b"#!/usr/bin/env -S node --x\n", "javascript"),
        (b"#!/usr/bin/env A=1 ruby\n", "ruby"), (b"#!/usr/bin/perl\n", None), (b"# no\n", None), (b"#!\n", None),
        (b"#!/bin/\xff\n", None),
    ],
)  # fmt: skip
def test_by_its_first_line(head, grammar):
    assert grammar_of("bin/tool", head) == grammar
    assert grammar_of("bin/tool.txt", head) is None


def test_a_header_is_read_by_what_is_in_it():
    assert grammar_of("a.h", b"#pragma once\nnamespace a {\n") == "cpp"
    assert grammar_of("a.h", b"struct a;\nint class_of(void);\n") == "c"
