"""A pole on a cart (Barto, Sutton and Anderson, 1983): push left or right, keep it up.

The interface is that of gym's environments: `reset() -> (state, info)` and
`step(action) -> (state, reward, terminated, truncated, info)`.
"""

import math
import random

GRAVITY = 9.8
CART, POLE = 1.0, 0.1  # masses, kg
HALF = 0.5  # half the length of the pole, m
FORCE = 10.0  # N
TICK = 0.02  # s
FAR, TILTED = 2.4, math.radians(12)  # where an episode ends


class CartPole:
    reward_threshold = 475.0

    def __init__(self, steps=500):
        self.steps = steps
        self.random = random.Random()

    def reset(self, seed=None):
        """Begin an episode; a seed makes it and those that follow the same every time."""
        if seed is not None:
            self.random.seed(seed)
        self.state = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        self.count = 0
        return list(self.state), {}

    def step(self, action):
        x, speed, angle, turn = self.state
        push = FORCE if action == 1 else -FORCE
        sin, cos = math.sin(angle), math.cos(angle)
        common = (push + POLE * HALF * turn**2 * sin) / (CART + POLE)
        bend = (GRAVITY * sin - cos * common) / (HALF * (4.0 / 3.0 - POLE * cos**2 / (CART + POLE)))
        pull = common - POLE * HALF * bend * cos / (CART + POLE)
        x, angle = x + TICK * speed, angle + TICK * turn
        speed, turn = speed + TICK * pull, turn + TICK * bend
        self.state = [x, speed, angle, turn]
        self.count += 1
        fallen = abs(x) > FAR or abs(angle) > TILTED
        return list(self.state), 1.0, fallen, self.count >= self.steps, {}
