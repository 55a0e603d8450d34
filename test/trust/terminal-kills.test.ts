import { expect, test } from 'vitest';
import { seededRandom } from '../support/fuzz.ts';
import { KILL_PHASES, killAtPhase } from '../support/terminal-kills.ts';
import { hasTmux } from '../support/tmux-pane.ts';
import { batches, trustSize } from './size.ts';

const KILLS = trustSize('POINTS', 200);
const random = seededRandom(trustSize('SEED', 21));

if (!hasTmux) console.warn('tmux is not installed: no terminal is killed');

test.skipIf(!hasTmux).each(batches(KILLS, 10))(
  'kill -9 of a terminal, $from to $to: the terminal is as before, draft and session are there',
  async ({ from, to }) => {
    for (let at = from; at < to; at++) {
      const phase = KILL_PHASES[at % KILL_PHASES.length] ?? 'idle';
      expect(await killAtPhase(phase, random)).toEqual([]);
    }
  },
);
