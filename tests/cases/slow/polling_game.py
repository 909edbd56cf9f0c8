"""A game that looks at a key and a button once a frame; argument: frames a second."""

import os
import sys

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
import pygame

pygame.init()
screen = pygame.display.set_mode((400, 300))
pygame.display.set_caption("Poll")
x, y, before, clock = 200, 150, (False, False), pygame.time.Clock()
while not pygame.event.get(pygame.QUIT):
    pygame.event.pump()
    now = (bool(pygame.key.get_pressed()[pygame.K_LEFT]), bool(pygame.mouse.get_pressed()[0]))
    if now[0] and not before[0]:
        x = (x + 37) % 360
    if now[1] and not before[1]:
        y = (y + 37) % 260
    before = now
    screen.fill((20, 30, 60))
    pygame.draw.rect(screen, (255, 200, 60), (x, y, 40, 40))
    pygame.display.flip()
    clock.tick(float(sys.argv[1]))
