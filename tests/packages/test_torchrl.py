"""torchrl: Rollouts, a replay buffer, losses of DQN and PPO; the numbers are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import torch
from near import near
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.envs import GymEnv
from torchrl.modules import MLP, QValueActor
from torchrl.objectives import DQNLoss
torch.manual_seed(0)
env = GymEnv("CartPole-v1")
env.set_seed(0)
rollout = env.rollout(20)
assert rollout.batch_size == (14,)
buffer = ReplayBuffer(storage=LazyTensorStorage(100), batch_size=8)
buffer.extend(rollout)
assert buffer.sample().batch_size == (8,)
mlp = MLP(in_features=4, out_features=2, num_cells=[16])
net = QValueActor(mlp, in_keys=["observation"], spec=env.action_spec)
loss = DQNLoss(net, action_space=env.action_spec)(env.rollout(20, net))["loss"]
loss.backward()
near(loss, 1.1398778)
print("ok")
"""


def test_torchrl(run) -> None:
    assert run("torchrl", PROGRAM).endswith("ok\n")
