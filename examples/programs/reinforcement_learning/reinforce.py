"""REINFORCE (Williams, 1992): a policy that balances a pole."""

import argparse
from collections import deque
from itertools import count

import torch
from cartpole import CartPole
from torch import nn, optim
from torch.distributions import Categorical
from torch.nn import functional as F


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)
        self.dropout = nn.Dropout(p=0.6)
        self.affine2 = nn.Linear(128, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.dropout(self.affine1(x)))
        return F.softmax(self.affine2(x), dim=1)


def select_action(policy, state):
    probs = policy(torch.tensor(state, dtype=torch.float32).unsqueeze(0))
    chances = Categorical(probs)
    action = chances.sample()
    policy.saved_log_probs.append(chances.log_prob(action))
    return action.item()


def finish_episode(policy, optimizer, gamma):
    """One step of ascent on log pi(a) times the return that followed."""
    eps = torch.finfo(torch.float32).eps
    total, returns = 0.0, deque()
    for r in reversed(policy.rewards):
        total = r + gamma * total
        returns.appendleft(total)
    returns = torch.tensor(list(returns))
    returns = (returns - returns.mean()) / (returns.std() + eps)
    losses = [-p * r for p, r in zip(policy.saved_log_probs, returns, strict=True)]
    optimizer.zero_grad()
    loss = torch.cat(losses).sum()
    loss.backward()
    optimizer.step()
    policy.rewards.clear()
    policy.saved_log_probs.clear()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description="REINFORCE")
    parser.add_argument("--gamma", type=float, default=0.99, metavar="G", help="discount")
    parser.add_argument("--seed", type=int, default=543, metavar="N")
    parser.add_argument("--log-interval", type=int, default=10, metavar="N")
    parser.add_argument("--episodes", type=int, default=0, help="at most so many (0: no end)")
    args = parser.parse_args()

    env = CartPole()
    env.reset(seed=args.seed)
    torch.manual_seed(args.seed)
    policy = Policy()
    optimizer = optim.Adam(policy.parameters(), lr=1e-2)
    running_reward = 10.0
    for episode in count(1):
        state, _ = env.reset()
        ep_reward = 0.0
        while True:
            state, reward, terminated, truncated, _ = env.step(select_action(policy, state))
            policy.rewards.append(reward)
            ep_reward += reward
            if terminated or truncated:
                break
        running_reward = 0.05 * ep_reward + 0.95 * running_reward
        loss = finish_episode(policy, optimizer, args.gamma)
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
