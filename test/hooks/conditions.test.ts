import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, lastTexts } from '../host/support.ts';
import { command, settingsWith } from './support.ts';

const BYPASS = { permissionMode: 'bypassPermissions' };
/** Leaves a line for every time that it is asked. */
const NOTE = 'echo asked >> "$CLAUDE_PROJECT_DIR/notes"';

function notes(dir: string): number {
  const path = join(dir, 'notes');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
}

describe('if: only calls that a rule means concern the hook', () => {
  test.each([
    ['Bash(git *)', 'git status', 1],
    ['Bash(git *)', 'ls', 0],
    ['Bash(git push:*)', 'true && git push', 1],
    ['Bash(git push:*)', 'git status', 0],
    ['Bash(git push:*)', 'eval "$x"', 1], // in doubt it is asked
    ['Write(*.ts)', 'true', 0],
    ['Bash', 'true', 1],
    ['not a rule', 'true', 1],
  ])('%s and the command %s', async (condition, text, asked) => {
    const house = createHouse([toolUse('Bash', { command: text }), 'done']);
    const settings = settingsWith({ PreToolUse: [command(NOTE, { if: condition })] });
    await house.connect({ ...BYPASS, settings }).ask('go');
    expect(notes(house.dir)).toBe(asked);
  });

  test('it means files, too', async () => {
    const write = (name: string) => toolUse('Write', { file_path: name, content: 'x' });
    const house = createHouse([write('a.ts'), write('b.md'), 'done']);
    const settings = settingsWith({ PostToolUse: [command(NOTE, { if: 'Edit(*.ts)' })] });
    await house.connect({ ...BYPASS, settings }).ask('go');
    expect(notes(house.dir)).toBe(1);
  });

  test('of an event that is no call such a hook is never asked, which is said', async () => {
    const house = createHouse(() => 'hi');
    const settings = settingsWith({ Stop: [command(NOTE, { if: 'Bash' })] });
    await house.connect({ settings }).ask('go');
    expect(notes(house.dir)).toBe(0);
    expect(house.logs.map(({ message }) => message).join()).toContain('Stop is no call of a tool');
  });

  test('two hooks with one command, each with its own rule, are two', async () => {
    const house = createHouse([toolUse('Bash', { command: 'ls' }), toolUse('Bash', { command: 'git log' }), 'done']);
    const list = ['Bash(ls:*)', 'Bash(git:*)'].map((rule) => command(NOTE, { if: rule }));
    await house.connect({ ...BYPASS, settings: settingsWith({ PreToolUse: list }) }).ask('go');
    expect(notes(house.dir)).toBe(2);
  });
});

test('once: asked one time in a session, and not used up by a call that does not concern it', async () => {
  const run = (text: string) => toolUse('Bash', { command: text });
  const house = createHouse([run('ls'), run('git log'), run('git log'), 'done', 'hi']);
  const settings = settingsWith({
    PreToolUse: [command(NOTE, { once: true, if: 'Bash(git:*)' })],
    UserPromptSubmit: [command('echo "the first time"', { once: true })],
  });
  const client = house.connect({ ...BYPASS, settings });
  await client.ask('one');
  await client.ask('two');
  expect(notes(house.dir)).toBe(1);
  const texts = house.model.requests.map((request) => JSON.stringify(request.messages));
  expect(texts[0]?.split('the first time')).toHaveLength(2);
  expect(texts.at(-1)?.split('the first time')).toHaveLength(2);
});

describe('[HK-18] asyncRewake', () => {
  const wake = (script: string) => command(`cd "$CLAUDE_PROJECT_DIR"; ${script}`, { asyncRewake: true });
  const objecting =
    'until [ -f go ]; do sleep 0.05; done; [ -f said ] && exit 0; touch said; echo "The build broke" >&2; exit 2';

  test('its objection begins a turn, in which the model reads it', async () => {
    const house = createHouse(() => 'hi');
    const client = house.connect({ settings: settingsWith({ Stop: [wake(objecting)] }) });
    await client.ask('go');
    expect(house.model.requests).toHaveLength(1);
    house.file('go', '');
    await client.result(1);
    expect(lastTexts(house.model.requests[1]).join()).toContain('The build broke');
  });

  test('a run waits for it before it ends; without an objection nothing follows', async () => {
    const house = createHouse(() => 'hi');
    const client = house.connect({ settings: settingsWith({ UserPromptSubmit: [wake('sleep 0.5; touch over')] }) });
    client.say('go');
    await client.result(0);
    const exit = await client.end();
    expect(exit).toMatchObject({ code: 0 });
    expect(existsSync(join(house.dir, 'over'))).toBe(true);
    expect(house.model.requests).toHaveLength(1);
  });

  test('one that objects to every turn does not go on for ever', async () => {
    const house = createHouse(() => 'hi');
    const client = house.connect({ settings: settingsWith({ Stop: [wake('echo again >&2; exit 2')] }) });
    client.say('go');
    await client.end();
    expect(client.results).toHaveLength(21);
    const said = house.logs.filter(({ message }) => message.includes('woken the model 20 times'));
    expect(said.length).toBeGreaterThan(0);
  }, 60_000);
});

describe('[B-180] a change of model', () => {
  const FIELDS = {
    from_model: 'claude-sonnet-4-5',
    to_model: 'claude-opus-4-5',
    requested_model: 'claude-opus-4-5',
    prompt_cache_warm: true,
    cache_ttl: '5m',
    pricing: 'catalog',
  };

  function open(answers: Record<string, JsonObject>) {
    const house = createHouse(() => 'hi');
    const seen: JsonObject[] = [];
    const client = house.connect(
      { model: 'claude-sonnet-4-5' },
      {
        answer({ input }) {
          const event = input as JsonObject;
          seen.push(event);
          return answers[String(event.hook_event_name)] ?? {};
        },
      },
    );
    const callbacks = (id: string) => [{ hookCallbackIds: [id] }];
    const hooks = { PreModelSwitch: callbacks('hook_0'), PostModelSwitch: callbacks('hook_1') };
    const ready = client.control({ subtype: 'initialize', hooks });
    const models = () => house.model.requests.map(({ model }) => model);
    return { client, seen, ready, models, house };
  }

  test('is asked about before and told of after, with what it costs; what is added reaches the new model', async () => {
    const added = { hookSpecificOutput: { hookEventName: 'PostModelSwitch', additionalContext: 'Think harder now.' } };
    const { client, seen, ready, models, house } = open({ PostModelSwitch: added });
    await ready;
    await client.ask('one');
    expect(await client.control({ subtype: 'set_model', model: 'claude-opus-4-5' })).toMatchObject({
      subtype: 'success',
    });
    const names = seen.map(({ hook_event_name }) => hook_event_name);
    expect(names).toEqual(['PreModelSwitch', 'PostModelSwitch']);
    for (const input of seen) expect(input).toMatchObject({ ...FIELDS, source: 'sdk' });
    const { context_tokens, estimated_cache_write_usd } = seen[0] as Record<string, number>;
    expect(context_tokens).toBeGreaterThan(0);
    expect(estimated_cache_write_usd).toBeCloseTo(((context_tokens ?? 0) * 5 * 1.25) / 1_000_000, 9);
    await client.ask('two');
    expect(models()).toEqual(['claude-sonnet-4-5', 'claude-opus-4-5']);
    expect(lastTexts(house.model.requests[1]).join()).toContain('Think harder now.');
  });

  test.each(['deny', 'ask'])('%s keeps the model, and whoever asked for it reads why', async (permissionDecision) => {
    const specific = { hookEventName: 'PreModelSwitch', permissionDecision, permissionDecisionReason: 'too dear' };
    const { client, seen, ready, models } = open({ PreModelSwitch: { hookSpecificOutput: specific } });
    await ready;
    const answer = await client.control({ subtype: 'set_model', model: 'claude-opus-4-5' });
    expect(answer).toMatchObject({ subtype: 'error', error: expect.stringContaining('too dear') });
    await client.ask('/model claude-opus-4-5');
    expect(JSON.stringify(client.of('user'))).toContain('too dear');
    await client.ask('one');
    expect(models()).toEqual(['claude-sonnet-4-5']);
    expect(seen.map(({ source }) => source)).toEqual(['sdk', 'command']);
  });

  test('the model that is in use already is no change', async () => {
    const { client, seen, ready } = open({});
    await ready;
    await client.control({ subtype: 'set_model', model: 'claude-sonnet-4-5' });
    expect(seen).toEqual([]);
  });

  test('that the runtime makes by itself is told, and not asked about', async () => {
    const overloaded = fail(529, 'overloaded_error', 'Overloaded');
    const house = createHouse([overloaded, 'fine']);
    const note = 'cat >> "$CLAUDE_PROJECT_DIR/inputs"';
    const settings = settingsWith({ PreModelSwitch: [command(note)], PostModelSwitch: [command(note)] });
    const client = house.connect({ model: 'claude-sonnet-4-5', fallbackModel: 'haiku', settings });
    await client.ask('go');
    await client.end();
    const input = JSON.parse(readFileSync(join(house.dir, 'inputs'), 'utf8')); // one, then
    expect(input).toMatchObject({
      hook_event_name: 'PostModelSwitch',
      from_model: 'claude-sonnet-4-5',
      to_model: 'claude-haiku-4-5-20251001',
      requested_model: null,
      source: 'auto',
    });
  });
});
