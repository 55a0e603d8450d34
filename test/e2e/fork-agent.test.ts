import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, fail, text, toolUse } from '../../src/testing/index.ts';
import { cast, lastText, type Line as Part, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { initOf, isResult, resultOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText, isPrefix } from '../support/requests.ts';

const fork = (prompt: string, more: object = {}, id?: string) => task(prompt, { subagent_type: 'fork', ...more }, id);

/** Who is spoken to: the last that a fork was asked, which no main thread is. */
const isFork = (request: FakeApiRequest) => /FORK/.test(lastText(request)) || FORKED.test(conversationText(request));
const FORKED = /You are a fork/;

/** One place where a main thread plays its part, and forks theirs: by how many answers they have given themselves. */
function withForks(main: readonly Part<FakeApiRequest>[], forks: readonly Part<FakeApiRequest>[]) {
  const lead = cast<FakeApiRequest>({ MAIN: main });
  return makePlace(async (request) => {
    if (!isFork(request)) return lead(request);
    const { messages } = bodyOf(request);
    const from = messages.findIndex((message) => FORKED.test(JSON.stringify(message)));
    const line = forks[messages.slice(from).filter(({ role }) => role === 'assistant').length];
    if (line === undefined) throw new Error('the fork has nothing more to say');
    return typeof line === 'function' ? line(request) : line;
  });
}

/** The requests without the marks for the cache, which move: what a provider compares. */
const bytesOf = (request: FakeApiRequest | undefined) =>
  JSON.stringify(bodyOf(request), (key, value) => (key === 'cache_control' ? undefined : value));

describe('[B-211] a fork', () => {
  test("knows the whole conversation, and its requests begin with the bytes of its caller's", async () => {
    const place = await withForks(
      [toolUse('Read', { file_path: 'secret.txt' }, 'toolu_r'), fork('FORK what was it?', { model: 'haiku' }), 'ok'],
      [toolUse('Bash', { command: 'echo from-fork' }, 'toolu_b'), 'It was the word PLUM.'],
    );
    put(join(place.cwd, 'secret.txt'), 'PLUM');
    put(join(place.cwd, 'AGENTS.md'), 'Always be kind.');
    const flags = ['--append-system-prompt', 'Be brief.', '--allowedTools', 'Bash', '--max-thinking-tokens', '2000'];
    const { lines } = await runCli([...STREAM_OUT, 'MAIN go', ...flags], { place });
    expect(resultOf(lines)).toMatchObject({ result: 'ok', is_error: false });
    const [, asked, forked, forkedAgain, after] = place.api.requests;
    expect(isPrefix(bodyOf(asked), bodyOf(forked))).toBe(true);
    expect(isPrefix(bodyOf(forked), bodyOf(forkedAgain))).toBe(true);
    const whole = bytesOf(asked).slice(0, -'"}]}]}'.length);
    expect(bytesOf(forked).startsWith(whole)).toBe(true);
    expect(conversationText(forked).match(/Always be kind/g)).toHaveLength(1);
    expect(conversationText(forked).match(/Working directory/g)).toHaveLength(1);
    expect(lastText(after as FakeApiRequest)).toContain('It was the word PLUM.');
    expect(conversationText(after)).not.toContain('from-fork');
    const told = lines.filter(({ type, subagent_type }) => type !== 'system' && subagent_type === 'fork');
    expect(told.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
  });

  test('may change a file that its caller has read, and is held back as its caller is', async () => {
    const edit = (id: string, name: string) =>
      toolUse('Edit', { file_path: join(place.cwd, name), old_string: 'a', new_string: 'b' }, id);
    const place = await withForks(
      [toolUse('Read', { file_path: 'one.txt' }), fork('FORK edit'), 'ok'],
      [() => edit('toolu_1', 'one.txt'), () => toolUse('Bash', { command: 'touch made' }, 'toolu_2'), 'done'],
    );
    put(join(place.cwd, 'one.txt'), 'a');
    const rules = ['--permission-mode', 'acceptEdits', '--disallowedTools', 'Bash(touch:*)'];
    const { lines } = await runCli([...STREAM_OUT, 'MAIN go', ...rules], { place });
    expect(readFileSync(join(place.cwd, 'one.txt'), 'utf8')).toBe('b');
    expect(existsSync(join(place.cwd, 'made'))).toBe(false);
    expect(resultOf(lines).permission_denials).toMatchObject([{ tool_use_id: 'toolu_2' }]);
  });

  test('has the tools that belong to its caller in its list, and may not use them; it is not forked again', async () => {
    const calls = [
      toolUse('TaskOutput', { task_id: 'x' }, 'toolu_out'),
      toolUse('StructuredOutput', { answer: 1 }, 'toolu_so'),
      fork('FORK deeper', {}, 'toolu_deeper'),
    ];
    const place = await withForks(
      [fork('FORK go'), toolUse('StructuredOutput', { answer: 2 }), 'ok'],
      [calls, 'I could not.'],
    );
    const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
    const { lines } = await runCli([...STREAM_OUT, 'MAIN go', '--json-schema', JSON.stringify(schema)], { place });
    expect(resultOf(lines)).toMatchObject({ is_error: false, structured_output: { answer: 2 } });
    const answers = lastText(place.api.requests[2] as FakeApiRequest);
    expect(answers).toMatch(/TaskOutput belongs to.*StructuredOutput belongs to.*fork is not forked again/s);
    expect(place.api.requests).toHaveLength(4);
  });

  test('several of one answer share all but what each is asked; one in the background is told of at its end', async () => {
    const place = await withForks(
      [[fork('FORK one', {}, 'toolu_1'), fork('FORK two', { run_in_background: true }, 'toolu_2')], 'first', 'second'],
      [(request) => `Did ${/FORK (\w+)\s*$/.exec(lastText(request))?.[1]}.`],
    );
    const { lines } = await runCli([...STREAM_OUT, 'MAIN go'], { place });
    expect(lines.filter(isResult).at(-1)).toMatchObject({ result: 'second' });
    const [one, two] = place.api.requests.filter(isFork).map(bytesOf);
    const common = [...(one ?? '')].findIndex((char, at) => char !== two?.[at]);
    expect(one?.slice(common - 5)).toMatch(/^FORK (one|two)/);
    const said = place.api.requests.map(conversationText).join('\n');
    expect(said).toMatch(/Did one\.[\s\S]*Did two\./);
  });

  test('can be gone on with, with all that it knows; words of its caller are never taken for its own', async () => {
    const place = await withForks(
      [
        [text('Words of the caller.'), fork('FORK fails', {}, 'toolu_f')],
        (request) => task('FORK again', { resume: /agentId: (\w+)/.exec(lastText(request))?.[1] }),
        'ok',
      ],
      [(request) => (/FORK again/.test(lastText(request)) ? 'Better now.' : fail(400, 'invalid_request_error', 'no'))],
    );
    const { lines } = await runCli([...STREAM_OUT, 'MAIN go'], { place });
    expect(resultOf(lines)).toMatchObject({ result: 'ok' });
    const [asked, forked, , again, after] = place.api.requests;
    expect(isPrefix(bodyOf(asked), bodyOf(again))).toBe(true);
    expect(conversationText(again)).toMatch(/FORK fails[\s\S]*FORK again/);
    expect(bodyOf(again).tools).toEqual(bodyOf(forked).tools);
    expect(lastText(after as FakeApiRequest)).toContain('Better now.');
  });

  test('a rule can forbid it, however it is written; an agent of that name goes before', async () => {
    const place = await withForks([fork('FORK go', { subagent_type: 'Fork' }), 'ok'], []);
    const { lines } = await runCli([...STREAM_OUT, 'MAIN go', '--disallowedTools', 'Task(fork)'], { place });
    expect(resultOf(lines).permission_denials).toMatchObject([{ tool_name: 'Task' }]);
    expect(initOf(lines).agents).not.toContain('fork');

    const own = await makePlace(cast<FakeApiRequest>({ MAIN: [fork('CHILD go'), 'ok'], CHILD: ['mine'] }));
    const agents = JSON.stringify({ fork: { description: 'Mine', prompt: 'You are mine.' } });
    await runCli([...STREAM_OUT, 'MAIN go', '--agents', agents], { place: own });
    expect(JSON.stringify(bodyOf(own.api.requests[1]).system)).toContain('You are mine.');
  });

  test('an interrupt ends it with the turn that waits for it', async () => {
    const place = await withForks(
      [fork('FORK go'), 'on'],
      [() => toolUse('Bash', { command: 'sleep 60', timeout: 90_000 }, 'toolu_s')],
    );
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
    cli.say('MAIN go');
    await cli.next((line) => JSON.stringify(line).includes('toolu_s'));
    await cli.control({ subtype: 'interrupt' });
    const ended = await cli.nextResult();
    expect(ended).toMatchObject({ subtype: 'error_during_execution' });
    cli.endInput();
    await cli.finished;
  });
});
