"""Servers that tests need: how to install, start and stop them. No test lives here."""
