"""Catch: a paddle below, balls that fall. Left and Right move it; a ball that is missed costs one of three lives."""

from __future__ import annotations

import argparse
import random

import pygame

SIZE = (240, 320)
PADDLE_W, BALL = 48, 12
STEP = 8
FALL = 3
LIVES = 3


def main() -> None:
    """Run the window until it is closed."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seed", type=int, default=0)
    chance = random.Random(arguments.parse_args().seed)
    pygame.init()
    screen, clock = pygame.display.set_mode(SIZE), pygame.time.Clock()
    pygame.display.set_caption("Catch")
    paddle, lives, ball = SIZE[0] // 2, 0, [0, 0]
    while not any(event.type == pygame.QUIT for event in pygame.event.get()):
        down = pygame.key.get_pressed()
        if lives == 0 and down[pygame.K_SPACE]:
            lives, ball = LIVES, [chance.randrange(20, 220), 0]
        if lives:
            paddle += STEP * (down[pygame.K_RIGHT] - down[pygame.K_LEFT])
            paddle = max(PADDLE_W // 2, min(SIZE[0] - PADDLE_W // 2, paddle))
            ball[1] += FALL
            if ball[1] > SIZE[1] - 20:
                lives -= abs(ball[0] - paddle) > PADDLE_W // 2 + BALL // 2
                ball = [chance.randrange(20, 220), 0]
        draw(screen, paddle, ball, lives)
        clock.tick(60)


def draw(screen: pygame.Surface, paddle: int, ball: list[int], lives: int) -> None:
    """Draw what the agent sees: paddle, ball, one square a life, a blue sign while nobody plays."""
    screen.fill((16, 16, 24))
    pygame.draw.rect(screen, (240, 240, 240), (paddle - PADDLE_W // 2, SIZE[1] - 12, PADDLE_W, 8))
    for life in range(lives):
        pygame.draw.rect(screen, (60, 200, 90), (8 + 14 * life, 8, 10, 10))
    if lives:
        pygame.draw.rect(screen, (250, 180, 40), (ball[0] - BALL // 2, ball[1] - BALL // 2, BALL, BALL))
    else:
        pygame.draw.rect(screen, (40, 90, 220), (60, 120, 120, 60))
    pygame.display.flip()


if __name__ == "__main__":
    main()
