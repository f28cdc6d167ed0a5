"""The window and its parts: they show and ask; the controller carries out."""
