import type { ContextWindow } from '../agent/turn.ts';
import { isOn } from '../util/setting-text.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Env } from './home.ts';
import type { Chosen } from './models.ts';

/** What stays free for the next answer when a conversation may still grow. */
const RESERVE_TOKENS = 20_000;

/** The window of the model in use, and from where on it counts as full. The model may change; the tokens are the session's. */
export function contextWindow(
  config: RunConfig,
  env: Env,
  chosen: () => Chosen,
  { tokens, atMost = Number.POSITIVE_INFINITY }: { tokens: number; atMost?: number | undefined },
): ContextWindow {
  const at = compactionPoint(config, env);
  return {
    tokens,
    fruitless: 0,
    get window() {
      return chosen().contextWindow;
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
