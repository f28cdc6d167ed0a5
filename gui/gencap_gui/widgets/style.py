"""Colors and small shapes of the window, from the same theme that the plots use."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gencap_gui.theme import DARK, LIGHT, Theme

__all__ = ["apply_style", "style_sheet", "system_theme", "theme_for"]


def system_theme() -> Theme:
    """Return the theme that the system asks for."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


def theme_for(choice: str) -> Theme:
    """Return the theme for "light", "dark" or "system"."""
    return {"light": LIGHT, "dark": DARK}.get(choice) or system_theme()


def apply_style(app: QApplication, theme: Theme) -> None:
    """Give the whole application the colors of a theme."""
    if app.style().objectName() != "fusion":
        app.setStyle("Fusion")
    app.setPalette(_palette(theme))
    app.setStyleSheet(style_sheet(theme))


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    ground, ink = QColor(theme.background), QColor(theme.foreground)
    panel, muted, accent = QColor(theme.panel), QColor(theme.muted), QColor(theme.accent)
    palette = QPalette()
    colors = {
        role.Window: panel,
        role.WindowText: ink,
        role.Base: ground,
        role.AlternateBase: panel,
        role.Text: ink,
        role.Button: panel,
        role.ButtonText: ink,
        role.ToolTipBase: ground,
        role.ToolTipText: ink,
        role.PlaceholderText: muted,
        role.Highlight: accent,
        role.HighlightedText: ground,
        role.Link: accent,
        role.LinkVisited: accent,
    }
    for one, color in colors.items():
        palette.setColor(one, color)
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, muted)
    return palette


def style_sheet(theme: Theme) -> str:
    """Return the style sheet of the window."""
    line = "#3A4048" if theme.dark else "#D5DAE0"
    hover = "#2F353D" if theme.dark else "#E6ECF2"
    return f"""
    QToolTip {{ color: {theme.foreground}; background: {theme.background};
        border: 1px solid {line}; padding: 4px; }}
    QPushButton {{ padding: 5px 12px; border: 1px solid {line}; border-radius: 4px;
        background: {theme.background}; }}
    QPushButton:hover {{ background: {hover}; }}
    QPushButton:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QLineEdit:focus {{
        border: 1px solid {theme.accent}; }}
    QPushButton:disabled {{ color: {theme.muted}; }}
    QPushButton#primary {{ background: {theme.accent}; color: {theme.background};
        border-color: {theme.accent}; font-weight: 600; }}
    QPushButton#primary:disabled {{ background: {line}; color: {theme.muted};
        border-color: {line}; }}
    QPushButton#sample {{ text-align: left; padding: 4px 8px; }}
    QLabel#muted {{ color: {theme.muted}; }}
    QLabel#warning {{ color: {theme.warning}; }}
    QLabel#heading {{ font-weight: 600; font-size: 11pt; }}
    QToolButton#section {{ border: none; font-weight: 600; padding: 6px 4px; text-align: left;
        background: transparent; }}
    QToolButton#section:hover {{ color: {theme.accent}; }}
    QFrame#drop {{ border: 1px dashed {theme.muted}; border-radius: 6px;
        background: {theme.background}; }}
    QFrame#drop[over="true"] {{ border: 2px solid {theme.accent}; }}
    QFrame#bubble {{ background: {theme.background}; border: 1px solid {theme.accent};
        border-radius: 8px; }}
    QTabWidget::pane {{ border: 1px solid {line}; }}
    QTabBar::tab {{ padding: 5px 10px; border: 1px solid transparent; color: {theme.muted}; }}
    QTabBar::tab:selected {{ color: {theme.foreground}; border-bottom: 2px solid {theme.accent};
        background: {theme.background}; }}
    QTabBar::tab:hover {{ color: {theme.foreground}; }}
    QSplitter::handle {{ background: {theme.panel}; }}
    QProgressBar {{ border: 1px solid {line}; border-radius: 4px; text-align: center;
        background: {theme.background}; min-height: 18px; }}
    QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}
    QScrollArea {{ border: none; }}
    QCheckBox::indicator:unchecked, QRadioButton::indicator:unchecked {{
        width: 13px; height: 13px; border: 1px solid {theme.muted};
        background: {theme.background}; }}
    QCheckBox::indicator:unchecked {{ border-radius: 2px; }}
    QRadioButton::indicator:unchecked {{ border-radius: 7px; }}
    QCheckBox::indicator:unchecked:hover, QRadioButton::indicator:unchecked:hover {{
        border-color: {theme.accent}; }}
    QCheckBox::indicator:unchecked:disabled, QRadioButton::indicator:unchecked:disabled {{
        border-color: {line}; }}
    """
