"""The live views, each a widget that offers `gencap_gui.session.View`."""
