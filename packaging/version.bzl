"""The version of what is installed."""

VERSION = "0.1.0"
