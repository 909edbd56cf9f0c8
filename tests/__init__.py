"""Tests, mirroring the package. A package by this file: others ship a package of this name, too."""
