import { expect, test } from 'vitest';
import { KILL_PHASES, killAtPhase } from '../support/terminal-kills.ts';
import { hasTmux } from '../support/tmux-pane.ts';

/** `npm run trust -- terminal` does this 200 times. */
test.skipIf(!hasTmux).each(KILL_PHASES)(
  'kill -9 while it is at %s: the terminal is as before, draft and session are there',
  async (phase) => {
    expect(await killAtPhase(phase, () => 0.5)).toEqual([]);
  },
);
