"""Actor and critic: a policy that balances a pole, and a guess of the reward to come."""

import argparse
from collections import namedtuple
from itertools import count

import torch
from cartpole import CartPole
from torch import nn, optim
from torch.distributions import Categorical
from torch.nn import functional as F

SavedAction = namedtuple("SavedAction", ["log_prob", "value"])


class Policy(nn.Module):
    """Both in one network: two heads on a common layer."""

    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)
        self.action_head = nn.Linear(128, 2)
        self.value_head = nn.Linear(128, 1)
        self.saved_actions = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


def select_action(model, state):
    probs, state_value = model(torch.tensor(state, dtype=torch.float32))
    chances = Categorical(probs)
    action = chances.sample()
    model.saved_actions.append(SavedAction(chances.log_prob(action), state_value))
    return action.item()


def finish_episode(model, optimizer, gamma):
    eps = torch.finfo(torch.float32).eps
    total, returns = 0.0, []
    for r in reversed(model.rewards):
        total = r + gamma * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    policy_losses, value_losses = [], []
    for (log_prob, value), goal in zip(model.saved_actions, returns, strict=True):
        advantage = goal - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, goal.reshape(1)))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    model.rewards.clear()
    model.saved_actions.clear()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description="Actor and critic")
    parser.add_argument("--gamma", type=float, default=0.99, metavar="G", help="discount")
    parser.add_argument("--seed", type=int, default=543, metavar="N")
    parser.add_argument("--log-interval", type=int, default=10, metavar="N")
    parser.add_argument("--episodes", type=int, default=0, help="at most so many (0: no end)")
    args = parser.parse_args()

    env = CartPole()
    env.reset(seed=args.seed)
    torch.manual_seed(args.seed)
    model = Policy()
    optimizer = optim.Adam(model.parameters(), lr=3e-2)
    running_reward = 10.0
    for episode in count(1):
        state, _ = env.reset()
        ep_reward = 0.0
        while True:
            state, reward, terminated, truncated, _ = env.step(select_action(model, state))
            model.rewards.append(reward)
            ep_reward += reward
            if terminated or truncated:
                break
        running_reward = 0.05 * ep_reward + 0.95 * running_reward
        loss = finish_episode(model, optimizer, args.gamma)
        if episode % args.log_interval == 0:
            print(
                f"Episode {episode}\tLast reward: {ep_reward:.2f}"
                f"\tAverage reward: {running_reward:.2f}\tLoss: {loss:.4f}"
            )
        if running_reward > env.reward_threshold:
            print(f"Solved! Running reward is now {running_reward} after {episode} episodes")
            break
        if episode == args.episodes:
            break


if __name__ == "__main__":
    main()
