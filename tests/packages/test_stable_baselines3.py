"""stable_baselines3: PPO, DQN and SAC learn; the weights are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import torch
from near import near
from stable_baselines3 import DQN, PPO, SAC
kind = {"seed": 0, "device": "cpu"}
model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, **kind).learn(128)
near(model.policy.action_net.weight.sum(), -0.0080099)
model.save("ppo")
again = PPO.load("ppo", device="cpu")
assert torch.equal(again.policy.action_net.weight, model.policy.action_net.weight)
model = DQN("MlpPolicy", "CartPole-v1", learning_starts=20, **kind).learn(120)
near(model.q_net.q_net[0].weight.sum(), -5.7521100)
model = SAC("MlpPolicy", "Pendulum-v1", learning_starts=20, **kind).learn(60)
near(model.actor.mu.weight.sum(), 0.0437787)
print("ok")
"""


def test_stable_baselines3(run) -> None:
    assert run("stable_baselines3", PROGRAM).endswith("ok\n")
