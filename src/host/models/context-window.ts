import type { ContextWindow } from '../../agent/turn-conversation.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { Env } from '../engine/environment.ts';

/** Tokens that stay free for the next answer while a conversation may grow. */
const RESERVE_TOKENS = 20_000;

/**
 * The window of the current model, and the size at which it counts as full. The model may change during the session.
 */
export function contextWindow(
  config: RunConfig,
  env: Env,
  selected: () => SelectedModel,
  { tokens, atMost = Number.POSITIVE_INFINITY }: { tokens: number; atMost?: number | undefined },
): ContextWindow {
  const at = compactionPoint(config, env);
  return {
    tokens,
    failedInARow: 0,
    get window() {
      return selected().contextWindow;
    },
    get compactAt() {
      if (at === null) return null;
      const usual = at === 'auto' ? Math.max(this.window - RESERVE_TOKENS, Math.floor(this.window / 2)) : at;
      return Math.min(usual, atMost);
    },
  };
}

function compactionPoint({ autoCompact }: RunConfig, env: Env): number | 'auto' | null {
  if (autoCompact === 'off' || isOn(env.DISABLE_AUTO_COMPACT)) return null;
  if (autoCompact === undefined || autoCompact === 'auto') return 'auto';
  const tokens = Number(autoCompact);
  if (Number.isInteger(tokens) && tokens > 0) return tokens;
  throw new HeddleError('invalid_option', `--autocompact takes auto, off or a number of tokens, not '${autoCompact}'`);
}
