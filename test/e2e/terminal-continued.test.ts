import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeApiRequest, hang, toolUse } from '../../src/testing/index.ts';
import { eventually } from '../support/attached.ts';
import { cast, lastText, task } from '../support/cast.ts';
import { makePlace, type Place } from '../support/place.ts';
import { hasTmux, openPane, type Pane } from '../support/tmux-pane.ts';

if (!hasTmux) console.warn('tmux is not installed: coming back to a session is not tried end to end');

function draftsOf({ home }: Place): string {
  const folder = join(home, 'drafts');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

async function kill(pane: Pane): Promise<void> {
  const pid = pane.pid();
  process.kill(pid, 'SIGKILL');
  await eventually(() => {
    expect(() => process.kill(pid, 0)).toThrow();
  });
}

test.skipIf(!hasTmux)(
  '[TUI-75] kill -9 while a call runs: heddle -c shows the prompt and the call, what waited and the draft',
  async () => {
    const place = await makePlace([toolUse('Bash', { command: 'sleep 60' })]);
    const pane = openPane(place, '"the first prompt" --permission-mode bypassPermissions');
    await pane.sees(/sleep 60/);
    pane.keys('-l', 'what waits');
    pane.keys('Enter');
    pane.keys('-l', 'half a draft');
    await eventually(() => {
      expect(draftsOf(place)).toContain('what waits');
      expect(draftsOf(place)).toContain('half a draft');
    });
    process.kill(pane.pid(), 'SIGKILL');
    await pane.isRestored();
    const next = openPane(place, '-c');
    await next.sees(/half a draft/);
    await next.sees(/ended before this tool call had reported back/);
    const shown = next.shown();
    expect(shown).toContain('the first prompt');
    expect(shown).toContain('sleep 60');
    // In the editor, and not sent again by itself.
    expect(shown).toMatch(/what waits\n\s*half a draft/);
    expect(place.api.requests).toHaveLength(1);
    await kill(next);
  },
);

test.skipIf(!hasTmux)('ctrl+b moves an agent that the turn waits for to the background', async () => {
  const place = await makePlace(
    cast<FakeApiRequest>({
      MAIN: [task('CHILD go'), (request) => (/background/.test(lastText(request)) ? 'I go on.' : 'It is over.')],
      CHILD: [hang()],
    }),
  );
  const pane = openPane(place, '"MAIN go"');
  await eventually(() => expect(place.api.requests.length).toBeGreaterThan(1));
  pane.keys('C-b');
  await pane.sees('I go on.');
  pane.keys('-l', '/tasks');
  pane.keys('Enter');
  await pane.sees('1 running');
  await kill(pane);
});
