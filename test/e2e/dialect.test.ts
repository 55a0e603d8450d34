import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, reply, text, toolUse } from '../../src/testing/index.ts';
import { type CliOptions, type RunningCli, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { ask, entriesOf } from '../support/extensions.ts';
import { initOf, kindOf, resultOf, textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf } from '../support/requests.ts';

/** Hosts as they say which forms they expect, and the kind of line that a command answers them with. */
const HOSTS: [name: string, host: Host, line: 'user' | 'assistant'][] = [
  ['no host in particular', {}, 'user'],
  ['SDK 0.2.44', { env: { CLAUDE_AGENT_SDK_VERSION: '0.2.44' } }, 'user'],
  ['SDK 0.3.325', { env: { CLAUDE_AGENT_SDK_VERSION: '0.3.325' } }, 'assistant'],
  ['clientDialect 2.1.325', { clientDialect: '2.1.325' }, 'assistant'],
  [
    'SDK 0.3.325 with clientDialect 2.1.44',
    { env: { CLAUDE_AGENT_SDK_VERSION: '0.3.325' }, clientDialect: '2.1.44' },
    'user',
  ],
];

interface Host extends Pick<CliOptions, 'env'> {
  clientDialect?: string;
}

const TODAY = { env: { CLAUDE_AGENT_SDK_VERSION: '0.3.325' } };

describe('what a local command says', () => {
  test.each(HOSTS)('[K46] %s: in one form, and in the result', async (_, host, type) => {
    const { cli, place } = await connect(host);
    const lines = await ask(cli, '/model');
    expect(lines.map(kindOf)).toEqual(['system/init', type, 'result/success']);
    const said = `The model is ${initOf(lines).model}.`;
    expect(resultOf(lines)).toMatchObject({ result: said, is_error: false, stop_reason: null });
    const source = `<local-command-stdout>${said}</local-command-stdout>`;
    expect(textsOf(lines[1]?.message)).toEqual([type === 'user' ? source : said]);
    expect(lines[1]?.isReplay).toBe(type === 'user' ? true : undefined);
    expect(entriesOf(place, cli.lines).find(({ uuid }) => uuid === lines[1]?.uuid)).toBeDefined();
  });

  test('[K46, B-121] today: an assistant line of no model, and a result that counts no turn', async () => {
    const { cli, place } = await connect(TODAY);
    const [, line, result] = await ask(cli, '/model haiku');
    const said = 'The model is claude-haiku-4-5-20251001 from now on.';
    expect(line).toMatchObject({
      parent_tool_use_id: null,
      message: { model: '<synthetic>', role: 'assistant', stop_reason: 'end_turn', usage: { output_tokens: 0 } },
      local_command_source: `<local-command-stdout>${said}</local-command-stdout>`,
      local_command_run: { command: 'model', args: 'haiku' },
    });
    expect(line?.local_command_outcome).toBeUndefined();
    expect(result).toMatchObject({ result: said, num_turns: 0, local_command: 'model' });
    expect(result?.terminal_reason).toBeUndefined();
    await ask(cli, 'hi');
    expect(textsOf(bodyOf(place.api.requests[0]).messages[0]).join()).toContain(said);
  });

  test('[K46] today: one that failed says so', async () => {
    const { cli } = await connect(TODAY);
    const [, line, result] = await ask(cli, '/compact');
    expect(textsOf(line?.message)).toEqual(['Error: No messages to compact']);
    expect(line).toMatchObject({ type: 'assistant', local_command_outcome: { kind: 'failed' } });
    expect(result).toMatchObject({ is_error: false, result: 'Error: No messages to compact', num_turns: 0 });
  });

  test('[K46] a compaction that went well is told as ever', async () => {
    for (const [host, turns] of [
      [{}, 3],
      [TODAY, 0],
    ] as const) {
      const { cli } = await connect(host, ['Hello.', '<summary>A greeting.</summary>']);
      await ask(cli, 'hi');
      const lines = await ask(cli, '/compact');
      const told = lines.filter(({ isReplay }) => isReplay === true);
      expect(told.flatMap(({ message }) => textsOf(message))).toEqual([
        '<local-command-stdout>Compacted.</local-command-stdout>',
      ]);
      expect(lines.filter(({ type }) => type === 'assistant')).toEqual([]);
      expect(resultOf(lines)).toMatchObject({ result: 'Compacted.', num_turns: turns });
    }
  });

  test.each([{}, TODAY])(
    '[K46] in print mode it is printed once, on the stream where it belongs (%j)',
    async (host) => {
      const place = await makePlace();
      const fine = await runCli(['-p', '/help'], { place, ...host });
      expect(fine.stdout.match(/^Commands:$/gm)).toHaveLength(1);
      expect(fine.stderr).toBe('');
      const wrong = await runCli(['-p', '/compact'], { place, ...host });
      expect(wrong).toMatchObject({ code: 0, stdout: '', stderr: 'Error: No messages to compact\n' });
      const json = await runCli(['-p', '/help', '--output-format', 'json'], { place, ...host });
      expect(JSON.parse(json.stdout).result).toMatch(/^Commands:/);
    },
  );
});

describe('a word behind a slash that is no command', () => {
  test('[K46] at the time of the seeds: an answer without a request', async () => {
    const { cli, place } = await connect({});
    expect(resultOf(await ask(cli, '/nosuch thing'))).toMatchObject({ result: 'Unknown skill: nosuch' });
    expect(place.api.requests).toEqual([]);
  });

  test('[K46] today: it reaches the model as it is', async () => {
    const { cli, place } = await connect(TODAY, ['Hello.']);
    const lines = await ask(cli, '/nosuch thing');
    expect(resultOf(lines)).toMatchObject({ result: 'Hello.', num_turns: 1 });
    expect(textsOf(bodyOf(place.api.requests[0]).messages[0])).toContain('/nosuch thing');
    expect(resultOf(lines).local_command).toBeUndefined();
  });
});

describe('fields', () => {
  test('[K46] init tells the versions of plugins to those who know the field', async () => {
    const place = await makePlace(() => 'ok');
    const root = join(place.root, 'kit');
    put(join(root, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'kit', version: '1.2.3' }));
    const plugin = { name: 'kit', path: root };
    const args = [...STREAM_OUT, 'hi', '--plugin-dir', root];
    expect(initOf((await runCli(args, { place })).lines).plugins).toEqual([plugin]);
    const today = await runCli(args, { place, ...TODAY });
    expect(initOf(today.lines).plugins).toEqual([{ ...plugin, version: '1.2.3' }]);
  });

  test.each([
    ['an answer', ['Hello.'], [], 'end_turn'],
    ['a limit of turns', () => toolUse('Read', { file_path: 'a.txt' }), ['--max-turns', '1'], 'tool_use'],
    ['a refusal', [reply([text('No.')], { stopReason: 'refusal' })], [], 'refusal'],
    ['an error of the API', [fail(400, 'invalid_request_error', 'no')], [], 'stop_sequence'],
  ])('[K46] result.stop_reason after %s', async (_, script, flags, reason) => {
    const place = await makePlace(script as Parameters<typeof makePlace>[0]);
    const args = [...STREAM_OUT, 'hi', ...flags];
    const today = await runCli(args, { place, ...TODAY });
    expect(resultOf(today.lines).stop_reason).toBe(reason);
  });

  test('[K46] at the time of the seeds stop_reason is null', async () => {
    const place = await makePlace(['Hello.']);
    expect(resultOf((await runCli([...STREAM_OUT, 'hi'], { place })).lines).stop_reason).toBeNull();
  });

  test('[K46] the first lines of an answer, and its result, say which message they belong to', async () => {
    const args = [...STREAM_BOTH, '--include-partial-messages', '--allowedTools', 'Glob'];
    const uuid = '11111111-1111-4111-8111-111111111111';
    const talk = async (host: Host) => {
      const place = await makePlace([toolUse('Glob', { pattern: '*.md' }), 'done']);
      const stdin = JSON.stringify({ type: 'user', uuid, message: { role: 'user', content: 'look' } });
      return (await runCli(args, { place, stdin: `${stdin}\n`, ...host })).lines;
    };
    const today = await talk(TODAY);
    const stamped = today.filter(({ user_message_uuid }) => user_message_uuid === uuid);
    expect(stamped.map(({ type }) => type)).toEqual(['stream_event', 'assistant', 'result']);
    expect(stamped[0]).toBe(today.find(({ type }) => type === 'stream_event'));
    expect(stamped[1]).toMatchObject({ user_message_uuids: [uuid] });
    expect(today.filter(({ type }) => type === 'assistant')).toHaveLength(2);
    const before = await talk({});
    expect(resultOf(before).result).toBe('done');
    expect(before.filter((line) => 'user_message_uuid' in line)).toEqual([]);
  });

  test.each([
    ['today', TODAY, { totalMatches: 2, countIsComplete: true }],
    ['at the time of the seeds', {}, {}],
  ])('[K46] %s: what tools tell beside their results, and thinking in usage', async (_, host, more) => {
    const place = await makePlace([toolUse('Glob', { pattern: '*.md' }), 'done']);
    for (const name of ['a.md', 'b.md']) put(join(place.cwd, name), '');
    const { lines } = await runCli([...STREAM_OUT, 'look', '--allowedTools', 'Glob'], { place, ...host });
    const [told] = lines.flatMap(({ tool_use_result: data }) => (data === undefined ? [] : [data]));
    const filenames = expect.arrayContaining([join(place.cwd, 'a.md'), join(place.cwd, 'b.md')]);
    expect(told).toEqual({ filenames, durationMs: expect.any(Number), numFiles: 2, truncated: false, ...more });
    const usage = resultOf(lines).usage as Record<string, unknown>;
    const isToday = host === TODAY;
    expect(usage.output_tokens_details).toEqual(isToday ? { thinking_tokens: 0 } : undefined);
    expect('fallback_credit' in usage).toBe(isToday);
  });

  test.each([
    ['today', TODAY],
    ['at the time of the seeds', {}],
  ])('[K46] %s: an agent whose request is tried again', async (_, host) => {
    const place = await makePlace([
      toolUse('Task', { description: 'look', prompt: 'look around', subagent_type: 'general-purpose' }),
      fail(529, 'overloaded_error', 'busy'),
      'seen',
      'done',
    ]);
    const { lines } = await runCli([...STREAM_OUT, 'go'], { place, ...host });
    const [started] = lines.filter(({ subtype }) => subtype === 'task_started');
    const [retry] = lines.filter(({ subtype }) => subtype === 'api_retry');
    expect(retry).toMatchObject({ error: 'overloaded', error_status: 529, message: 'busy' });
    const told = {
      type: 'tool_progress',
      tool_name: 'Task',
      tool_use_id: started?.tool_use_id,
      task_id: started?.task_id,
      subagent_type: 'general-purpose',
      subagent_retry: { agent_id: started?.task_id, attempt: 1, error_status: 529, error_category: 'overloaded' },
    };
    const retries = lines.filter(({ subagent_retry }) => subagent_retry !== undefined);
    expect(retries).toMatchObject(host === TODAY ? [told] : []);
  });

  test.each([
    ['today', TODAY],
    ['at the time of the seeds', {}],
  ])('[K46] %s: an answer that the output limit cuts is gone on with', async (_, host) => {
    const cut = reply([text('And so')], { stopReason: 'max_tokens' });
    const place = await makePlace([cut, ' on.']);
    const { lines } = await runCli([...STREAM_OUT, 'go'], { place, ...host });
    expect(resultOf(lines)).toMatchObject({ subtype: 'success', result: ' on.' });
    const said = lines.filter(({ type }) => type === 'assistant').flatMap(({ message }) => textsOf(message));
    const told = lines.filter(({ isSynthetic }) => isSynthetic === true).flatMap(({ message }) => textsOf(message));
    if (host === TODAY) {
      expect(said).toEqual(['And so', ' on.']);
      expect(told).toEqual([expect.stringContaining('cut off')]);
    } else {
      expect(said).toEqual(['And so', expect.stringContaining('cut off'), ' on.']);
      expect(told).toEqual([]);
    }
  });

  test('[K46] a dialect that there is not is refused, with those that there are', async () => {
    const { cli } = await connect({ clientDialect: '9.9.9' });
    const [result] = (await ask(cli, 'hi')).filter(({ type }) => type === 'result');
    expect(result).toMatchObject({ is_error: true });
    expect(String(result?.errors)).toContain('2.1.44 or 2.1.325');
  });
});

async function connect(
  host: Host,
  script: Parameters<typeof makePlace>[0] = () => 'ok',
): Promise<{ cli: RunningCli; place: Place }> {
  const place = await makePlace(script);
  const cli = startCli(STREAM_BOTH, { place, ...(host.env && { env: host.env }) });
  if (host.clientDialect) await cli.control({ subtype: 'initialize', clientDialect: host.clientDialect });
  return { cli, place };
}
