"""A library of reinforcement learning on an environment of a model: PPO of Stable-Baselines3 balances a pole."""

from __future__ import annotations

import numpy as np
import pytest

import bough

pytestmark = pytest.mark.verify

STEPS = 200  # of an episode: four seconds


def environment():
    from bough import gym

    return gym.Environment(
        bough.gallery.cart_pole().build(),
        lambda state, u: 1.0 - float(state.q[0] ** 2),
        effort=10.0,
        dt=0.02,
        duration=STEPS * 0.02,
        q={"angle": 0.0},
        spread=0.05,
        terminate=lambda state: abs(state.q[1]) > 0.3 or abs(state.q[0]) > 1.0,
    )


@pytest.mark.filterwarnings("ignore")  # of the library and of what it imports
def test_ppo_learns_to_balance_a_pole():
    pytest.importorskip("gymnasium", reason="needs the extra 'gym'")
    pytest.importorskip("stable_baselines3", reason="needs the extra 'learn': stable-baselines3 and torch")
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.monitor import Monitor

    torch.set_num_threads(1)
    env = Monitor(environment())
    agent = PPO("MlpPolicy", env, n_steps=1024, batch_size=128, learning_rate=1e-3, seed=0, device="cpu")

    def steps_balanced() -> float:
        env.reset(seed=7)
        _, lengths = evaluate_policy(agent, env, n_eval_episodes=5, return_episode_rewards=True)
        return float(np.mean(lengths))

    before = steps_balanced()
    agent.learn(40 * 1024)
    after = steps_balanced()
    print(f"PPO balances the pole for {before:.0f} of {STEPS} steps before, {after:.0f} after learning")
    assert before < 0.5 * STEPS
    assert after > 0.9 * STEPS
