import type { Limits } from '../../agent/limits.ts';
import { positiveInteger } from '../../util/text/setting-text.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Env } from '../engine/environment.ts';
import type { SessionSettings } from './model-settings.ts';

/** The limits of a turn. Throws `invalid_option` for an invalid limit. */
export function readLimits(config: RunConfig): Limits {
  const { maxTurns, maxBudgetUsd, maxDurationMs } = config;
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns > 0)) {
    throw new HeddleError('invalid_option', `--max-turns must be a whole number above 0, not ${maxTurns}`);
  }
  if (maxBudgetUsd !== undefined && !(maxBudgetUsd > 0)) {
    throw new HeddleError('invalid_option', `--max-budget-usd must be an amount above 0, not ${maxBudgetUsd}`);
  }
  if (maxDurationMs !== undefined && !(maxDurationMs > 0)) {
    throw new HeddleError('invalid_option', `--max-duration-ms must be above 0, not ${maxDurationMs}`);
  }
  return {
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(maxDurationMs !== undefined && { maxDurationMs }),
  };
}

/** How much models think, from the flags or the environment. */
export function thinkingSetting(config: RunConfig, env: Env): SessionSettings {
  if (config.thinking === 'disabled') return {};
  const { maxThinkingTokens } = config;
  if (maxThinkingTokens !== undefined && !(Number.isInteger(maxThinkingTokens) && maxThinkingTokens >= 0)) {
    throw new HeddleError(
      'invalid_option',
      `--max-thinking-tokens must be a whole number, 0 or above, not ${maxThinkingTokens}`,
    );
  }
  const tokens = maxThinkingTokens ?? positiveInteger(env.MAX_THINKING_TOKENS);
  if (config.thinking === 'enabled' && !tokens) {
    throw new HeddleError('invalid_option', '--thinking enabled needs a budget: --max-thinking-tokens N');
  }
  return {
    ...(tokens !== undefined && { maxThinkingTokens: tokens }),
    ...(config.thinking === 'adaptive' && { adaptiveThinking: true }),
    ...(config.thinkingDisplay && { thinkingDisplay: config.thinkingDisplay }),
  };
}
