"""A small game that ends badly: `ending_game.py FILE SECONDS`; the file says how.

It holds exit, signal, freeze, dialog or respawn; else the game goes on.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
import pygame

how, after_s = Path(sys.argv[1]).read_text(encoding="utf-8"), float(sys.argv[2])
pygame.init()
screen = pygame.display.set_mode((400, 300))
pygame.display.set_caption("Ends badly")
began, x, clock = time.monotonic(), 200, pygame.time.Clock()
while True:
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            sys.exit()
        if event.type == pygame.KEYDOWN:
            x = (x + 15) % 400
    screen.fill((30, 30, 60))
    pygame.draw.rect(screen, (200, 40, 40), (x, 100, 40, 40))
    pygame.display.flip()
    clock.tick(30)
    if time.monotonic() - began > after_s:
        sys.stderr.write("the level has no floor\n")
        sys.stderr.flush()
        match how:
            case "exit":
                os._exit(7)
            case "signal":
                os.kill(os.getpid(), signal.SIGKILL)
            case "freeze":
                while True:
                    time.sleep(1)
            case "dialog":
                pygame.display.message_box("Oops", "Unhandled exception", "error")
                after_s = float("inf")
            case "respawn":
                os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, __file__, sys.argv[1], "1000"])
                os._exit(0)
