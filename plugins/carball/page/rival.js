"use strict";

/*
 * The rival that the page plays: it drives behind the ball, on the line to the other goal, then through it. It
 * looks eight times a second, and never round a corner that a person would not see coming.
 */

const RIVAL = { ahead: 0.2, behind: 34, round: 46, straight: 13, rushFrom: 80 };

function rivalsWish(game, car) {
  const { way } = SIDES[car.side];
  const ball = { x: game.ball.x + game.ball.vx * RIVAL.ahead, y: game.ball.y + game.ball.vy * RIVAL.ahead };
  const goal = { x: way > 0 ? PITCH.right + 20 : PITCH.left - 20, y: MIDDLE.y };
  const far = Math.hypot(goal.x - ball.x, goal.y - ball.y) || 1;
  const [tx, ty] = [(goal.x - ball.x) / far, (goal.y - ball.y) / far];
  const along = (car.x - ball.x) * tx + (car.y - ball.y) * ty;
  const across = (car.x - ball.x) * -ty + (car.y - ball.y) * tx;
  const apart = Math.hypot(car.x - ball.x, car.y - ball.y);
  let [x, y] = [ball.x - tx * RIVAL.behind, ball.y - ty * RIVAL.behind];
  if (along > -10 && apart < 120) {
    const aside = (across < 0 ? -1 : 1) * RIVAL.round;
    [x, y] = [x - ty * aside, y + tx * aside];
  } else if (Math.abs(across) < RIVAL.straight && along < 0) {
    [x, y] = [ball.x + tx * 30, ball.y + ty * 30];
  }
  const straight = Math.abs(across) < RIVAL.straight && along < 0;
  return { x: Math.abs(x - car.x) < 5 ? 0 : x - car.x, y: Math.abs(y - car.y) < 5 ? 0 : y - car.y,
    rush: straight && apart > RIVAL.rushFrom };
}
