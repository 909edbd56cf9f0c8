"""Programs of many toolkits, each with a window titled "typed" in which a typed letter shows."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_SYSTEM_PYTHON = "/usr/bin/python3"
_GTK = (
    "import gi; gi.require_version('Gtk', '{0}'); from gi.repository import Gtk, GLib; "
    "app = Gtk.Application(); "
    "app.connect('activate', lambda app: (w := Gtk.ApplicationWindow(application=app, title='typed'), "
    "w.{1}(Gtk.Entry()), {2})); app.run()"
)
_QT = (
    "from PySide6.QtWidgets import *; a = QApplication([]); w = QLineEdit(); "
    "w.setWindowTitle('typed'); w.show(); a.exec()"
)
_TK = "import tkinter as t; r = t.Tk(); r.title('typed'); e = t.Entry(r); e.pack(); e.focus(); r.mainloop()"
_SDL_1 = """
import ctypes
sdl = ctypes.CDLL("libSDL-1.2.so.0")
sdl.SDL_SetVideoMode.restype = ctypes.c_void_p
sdl.SDL_Init(0x20)
screen = ctypes.c_void_p(sdl.SDL_SetVideoMode(320, 240, 32, 0))
sdl.SDL_WM_SetCaption(b"typed", None)
event = (ctypes.c_uint8 * 64)()
colour = 0
while sdl.SDL_WaitEvent(event):
    if event[0] == 2:
        colour += 0x303030
        sdl.SDL_FillRect(screen, None, colour)
        sdl.SDL_Flip(screen)
"""
_PYGAME = """
import os, sys
os.environ["SDL_AUDIODRIVER"], os.environ["SDL_GRAB_KEYBOARD"] = "dummy", "1"
import pygame
pygame.display.init()
screen = pygame.display.set_mode((320, 240), pygame.FULLSCREEN if "full" in sys.argv else 0)
pygame.display.set_caption("typed")
if "grab" in sys.argv:
    pygame.event.set_grab(True)
    pygame.mouse.set_visible(False)
colour = 0
while (event := pygame.event.wait()).type != pygame.QUIT:
    if event.type == pygame.KEYDOWN:
        colour = (colour + 50) % 256
        screen.fill((colour, colour, colour))
        pygame.display.flip()
"""
_SDL_3 = """
import dearcygui as dcg
context = dcg.Context()
context.viewport.initialize(title="typed", width=320, height=240)
with dcg.Window(context, primary=True) as window:
    typed = dcg.Text(context, value="")
def press(sender, target, data):
    typed.value += "X"
    context.viewport.wake()
window.handlers = [dcg.KeyPressHandler(context, key=getattr(dcg.Key, k), callback=press) for k in "WERF"]
while context.running:
    context.viewport.render_frame()
"""
_RAYLIB = """
from raylib import *
InitWindow(320, 240, b"typed")
SetTargetFPS(30)
count = 0
while not WindowShouldClose():
    while GetKeyPressed():
        count += 1
    BeginDrawing()
    ClearBackground((40 * count % 256, 0, 0, 255))
    EndDrawing()
"""
_JAVA = """
import java.awt.*;
public class Typed {
    public static void main(String[] words) {
        Frame frame = new Frame("typed");
        TextField field = new TextField(20);
        frame.add(field);
        frame.pack();
        frame.setVisible(true);
        field.requestFocus();
    }
}
"""
_GODOT = {
    "project.godot": 'config_version=4\n[application]\nconfig/name="typed"\nrun/main_scene="res://main.tscn"\n'
    "[display]\nwindow/size/width=320\nwindow/size/height=240\n"
    '[rendering]\nquality/driver/driver_name="GLES2"\n',
    "main.tscn": '[gd_scene load_steps=2 format=2]\n[ext_resource path="res://main.gd" type="Script" id=1]\n'
    '[node name="Main" type="ColorRect"]\nmargin_right = 320.0\nmargin_bottom = 240.0\n'
    "script = ExtResource( 1 )\n",
    "main.gd": "extends ColorRect\nfunc _input(event):\n\tif event is InputEventKey and event.pressed:\n"
    "\t\tcolor = Color.from_hsv(fmod(color.h + 0.13, 1.0), 1.0, 1.0)\n",
}


@dataclass(frozen=True)
class Program:
    """A program to type into.

    Attributes:
        command: makes the words that start it; it may write files into the folder that it is given.
        needs: a program, or a Python package, without which it does not start.
        title: a part of its window's title.
    """

    command: Callable[[Path], tuple[str, ...]]
    needs: str = ""
    title: str = "typed"

    @property
    def missing(self) -> str:
        """Name what is not installed; empty where it can be started."""
        if not self.needs or shutil.which(self.needs):
            return ""
        try:
            importlib.metadata.version(self.needs)
        except importlib.metadata.PackageNotFoundError:
            return self.needs
        return ""


def _python(code: str, *words: str, by: str = sys.executable) -> Callable[[Path], tuple[str, ...]]:
    return lambda _: (by, "-c", code, *words)


def _words(*words: str) -> Callable[[Path], tuple[str, ...]]:
    return lambda _: words


def _java(folder: Path) -> tuple[str, ...]:
    (folder / "Typed.java").write_text(_JAVA, encoding="utf-8")
    return ("java", str(folder / "Typed.java"))


def _godot(folder: Path) -> tuple[str, ...]:
    for name, text in _GODOT.items():
        (folder / name).write_text(text, encoding="utf-8")
    return ("godot3-runner", "--path", str(folder), "--video-driver", "GLES2", "--audio-driver", "Dummy")


def _chromium(*words: str) -> Callable[[Path], tuple[str, ...]]:
    page = "data:text/html,<title>typed</title><input autofocus>"
    usual = ("--no-first-run", "--no-sandbox", "--disable-gpu", "--password-store=basic")
    return lambda folder: ("chromium", f"--app={page}", f"--user-data-dir={folder}", *usual, *words)


PROGRAMS: dict[str, Program] = {
    "SDL 1.2": Program(_python(_SDL_1)),
    "SDL 2 (pygame)": Program(_python(_PYGAME)),
    "SDL 2, grabs keyboard and pointer": Program(_python(_PYGAME, "grab")),
    "SDL 2, full screen": Program(_python(_PYGAME, "full")),
    "SDL 3 (DearCyGui)": Program(_python(_SDL_3), "dearcygui"),
    "GLFW (raylib)": Program(_python(_RAYLIB), "raylib"),
    "Godot 3": Program(_godot, "godot3-runner"),
    "Chromium": Program(_chromium(), "chromium"),
    "Chromium, full screen": Program(_chromium("--start-fullscreen"), "chromium"),
    "Java AWT": Program(_java, "javac"),
    "Qt 6": Program(_python(_QT)),
    "Tk": Program(_python(_TK, by=_SYSTEM_PYTHON)),
    "GTK 3": Program(_python(_GTK.format("3.0", "add", "w.show_all()"), by=_SYSTEM_PYTHON)),
    "GTK 4": Program(_python(_GTK.format("4.0", "set_child", "w.present()"), by=_SYSTEM_PYTHON)),
    "Xt/Xaw (xedit)": Program(_words("xedit", "-title", "typed"), "xedit"),
    "xterm": Program(_words("xterm", "-T", "typed", "-e", "cat"), "xterm"),
    "Wine (notepad)": Program(_words("wine", "notepad"), "wine", "Notepad"),
}
