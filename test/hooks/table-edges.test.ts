import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import { createHouse, resultsOf } from '../host/support.ts';
import { command, printing, settingsWith } from './support.ts';

const BYPASS = { permissionMode: 'bypassPermissions' };
const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });
const context = (hookEventName: string, additionalContext: string) =>
  command(printing({ hookSpecificOutput: { hookEventName, additionalContext } }));
const STOP = command(printing({ continue: false, stopReason: 'enough' }));

test('[HK-01, HK-30] what is said before a call and after it stands behind its result, in that order', async () => {
  const house = createHouse([touch('a'), 'done']);
  const settings = settingsWith({
    PreToolUse: [context('PreToolUse', 'one')],
    PostToolUse: [context('PostToolUse', 'two')],
  });
  await house.connect({ ...BYPASS, settings }).ask('go');
  const texts = house.model.requests[1]?.messages
    .at(-1)
    ?.content.flatMap((block) => ('text' in block ? block.text : []));
  expect(texts).toEqual([
    expect.stringContaining('PreToolUse:Bash hook additional context: one'),
    expect.stringContaining('PostToolUse:Bash hook additional context: two'),
  ]);
});

test.each(['PermissionRequest', 'PermissionDenied'])(
  '[K18] a stop by %s ends the turn as a success, and later calls of the answer are not run',
  async (event) => {
    const house = createHouse([[touch('a'), touch('b')], 'done']);
    const settings = settingsWith({ [event]: [STOP] });
    const rules = event === 'PermissionDenied' ? { disallowedTools: ['Bash(touch a)'], ...BYPASS } : {};
    const client = house.connect({ settings, ...rules });
    expect(await client.ask('go')).toMatchObject({
      subtype: 'success',
      is_error: false,
      terminal_reason: 'hook_stopped',
    });
    expect(['a', 'b'].filter((name) => existsSync(join(house.dir, name)))).toEqual([]);
    expect(resultsOf(client.lines)).toHaveLength(2);
    expect(house.model.requests).toHaveLength(1);
  },
);

test('[HK-06, K18] a stop by SessionStart ends the turn that the session begins with, and no other', async () => {
  const house = createHouse(['done']);
  const client = house.connect({ settings: settingsWith({ SessionStart: [STOP] }) });
  const { session_id } = await client.ask('one');
  expect(house.model.requests).toHaveLength(0);
  const notes = (await house.entries(session_id)).filter(({ subtype }) => subtype === 'informational');
  expect(notes).toMatchObject([
    { content: expect.stringContaining('A SessionStart hook did not let this prompt through') },
  ]);
  expect(await client.ask('two')).toMatchObject({ result: 'done' });
});

test('[HK-29] what SessionStart adds is not lost with a first prompt that is blocked', async () => {
  const house = createHouse(['done']);
  const settings = settingsWith({
    SessionStart: [command('echo welcome')],
    UserPromptSubmit: [command('if grep -q forbidden; then exit 2; fi')],
  });
  const client = house.connect({ settings });
  await client.ask('forbidden');
  await client.ask('allowed');
  expect(JSON.stringify(house.model.requests[0]?.messages)).toContain('welcome');
});

test('[B-078] onFailure "block" is not said to hold up what cannot be held up', async () => {
  const house = createHouse(['done']);
  const settings = settingsWith({ SessionStart: [command('exit 1', { onFailure: 'block' })] });
  await house.connect({ settings }).ask('go');
  const said = house.logs.map(({ message }) => message).filter((message) => message.includes('SessionStart'));
  expect(said).toEqual([expect.stringContaining('It was passed over.')]);
});
