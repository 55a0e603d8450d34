import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, lastTexts, resultsOf } from '../host/support.ts';
import { command, quoted, settingsWith } from './support.ts';

const BYPASS = { permissionMode: 'bypassPermissions' };

/** A command that goes on in the background until the file `go` is there, and then says this. */
function late(answer: unknown, how: 'by itself' | 'by its settings'): JsonObject {
  const wait = `cd "$CLAUDE_PROJECT_DIR"; until [ -f go ]; do sleep 0.05; done; printf '%s' ${quoted(JSON.stringify(answer))}; touch over`;
  return how === 'by itself' ? command(`printf '{"async":true}\\n'; ${wait}`) : command(wait, { async: true });
}

async function over(dir: string): Promise<void> {
  while (!existsSync(join(dir, 'over'))) await sleep(20);
  await sleep(100); // its end is noticed
}

describe.each(['by itself', 'by its settings'] as const)('[HK-18] a hook that went to the background %s', (how) => {
  const answer = {
    systemMessage: 'The tests fail.',
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Two of nine.' },
  };

  test('is heard with the next prompt, once', async () => {
    const house = createHouse(() => 'hi');
    const client = house.connect({ settings: settingsWith({ UserPromptSubmit: [late(answer, how)] }) });
    await client.ask('one');
    house.file('go', '');
    await over(house.dir);
    expect(client.of('system/informational')).toMatchObject([{ content: expect.stringContaining('The tests fail.') }]);
    await client.ask('two');
    const texts = lastTexts(house.model.requests[1]).join('\n');
    expect(texts).toContain('Two of nine.');
    expect(texts).toContain('The tests fail.');
    expect(lastTexts(house.model.requests[0]).join()).not.toContain('Two of nine.');
  });
});

test('[HK-18] one that is done during a turn is heard with its next request', async () => {
  const house = createHouse([
    toolUse('Bash', { command: 'touch go; until [ -f over ]; do sleep 0.05; done; sleep 0.3' }),
    'done',
  ]);
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'By the way.' } };
  const settings = settingsWith({ PreToolUse: [late(answer, 'by its settings')] });
  const client = house.connect({ ...BYPASS, settings });
  const { session_id } = await client.ask('go');
  expect(lastTexts(house.model.requests[1]).join()).toContain('By the way.');
  const entries = await house.entries(session_id);
  expect(JSON.stringify(entries.filter(({ type }) => type === 'attachment'))).toContain('By the way.');
});

test('[HK-18] too late to decide: a denial from the background keeps nothing from running', async () => {
  const house = createHouse([
    toolUse('Bash', { command: 'touch go ran; until [ -f over ]; do sleep 0.05; done' }),
    'done',
  ]);
  const settings = settingsWith({ PreToolUse: [late({ decision: 'block', reason: 'no' }, 'by its settings')] });
  const client = house.connect({ ...BYPASS, settings });
  await client.ask('go');
  expect(existsSync(join(house.dir, 'ran'))).toBe(true);
  expect(resultsOf(client.lines)[0]).not.toMatchObject({ is_error: true });
});

test.each([
  ['that nobody waits for', 'exit 2', { async: true }, {}],
  ['that may wake the model', 'exit 2', { asyncRewake: true }, {}],
  ['whose failure does not count', 'exit 3', {}, { onFailure: 'block' }],
])('[K-1] a twin %s does not stand in for one that objects', async (_what, text, weak, strong) => {
  const house = createHouse([toolUse('Bash', { command: 'touch ran' }), ...Array(4).fill('done')]);
  const settings = settingsWith({ PreToolUse: [command(text, weak), command(text, strong)] });
  const client = house.connect({ ...BYPASS, settings });
  await client.ask('go');
  expect(existsSync(join(house.dir, 'ran'))).toBe(false);
});

test('one that fails in the background is said', async () => {
  const house = createHouse(['one']);
  const settings = settingsWith({ UserPromptSubmit: [command('echo oh dear >&2; exit 1', { async: true })] });
  const client = house.connect({ settings });
  await client.ask('go');
  await client.end();
  expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringMatching(/in the background.*oh dear/) });
});
