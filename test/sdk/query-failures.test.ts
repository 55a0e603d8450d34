import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Options, SDKUserMessage } from '../../src/sdk/index.ts';
import { query } from '../../src/sdk/query.ts';
import { HeddleError } from '../../src/wire/errors.ts';
import { memoryPair } from '../../src/wire/link/memory-transport.ts';
import type { Connect } from '../../src/wire/run-config.ts';
import { RESULT } from '../support/scripted-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-query-failures-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An agent that reads its input and says nothing; `source` is what else it does. */
function mute(source: string): string {
  const path = join(folder, `agent-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(path, `process.stdin.resume();\n${source}`);
  return path;
}

/** Answers initialize, then runs `onUser` when the prompt has come. */
function agent(onUser: string): string {
  return mute(`
    import { createInterface } from 'node:readline';
    const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
    createInterface({ input: process.stdin }).on('line', (text) => {
      const { type, request_id } = JSON.parse(text);
      if (type === 'user') { ${onUser} }
      else say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    });`);
}

async function typesOf(prompt: string | AsyncIterable<SDKUserMessage>, options: Options): Promise<string[]> {
  const types: string[] = [];
  for await (const message of query({ prompt, options })) types.push(message.type);
  return types;
}

async function* items(...list: unknown[]): AsyncGenerator<SDKUserMessage, void> {
  for (const item of list) yield item as SDKUserMessage;
}

const hello: SDKUserMessage = {
  type: 'user',
  message: { role: 'user', content: 'hello' },
  parent_tool_use_id: null,
  session_id: '',
};

describe('an agent that ends with exit code 0 and without a result', () => {
  const unanswered = {
    name: 'ProcessError',
    code: 'process_failed',
    exitCode: 0,
    message: 'Process ended without a result (exit code 0)',
  };

  test.each<[string, () => string]>([
    ['that is no agent at all', () => '/bin/true'],
    ['that goes when it has the prompt', () => agent('process.exit(0)')],
    ['that says something, but no result', () => agent("say({ type: 'novelty' }); process.exit(0)")],
    ['that only closes its input first', () => mute('process.stdin.destroy(); setTimeout(() => {}, 100)')],
  ])('[ERR-04] one %s is an error, not a silence', async (_what, path) => {
    await expect(typesOf('hello', { pathToClaudeCodeExecutable: path() })).rejects.toMatchObject(unanswered);
  });

  test('[ERR-04] what it wrote to stderr is in the message', async () => {
    const path = agent("process.stderr.write('nothing to do\\n', () => process.exit(0))");
    await expect(typesOf('hello', { pathToClaudeCodeExecutable: path })).rejects.toMatchObject({
      message: `${unanswered.message}\nnothing to do`,
    });
  });

  test('nobody asked it anything: the stream just ends', async () => {
    expect(await typesOf(items(), { pathToClaudeCodeExecutable: agent('') })).toEqual([]);
    expect(await typesOf(items(), { pathToClaudeCodeExecutable: '/bin/true' })).toEqual([]);
  });

  test('a message that it has refused is answered: the stream just ends; one beside it is not', async () => {
    const refused = { type: 'system', subtype: 'input_error', error: 'sent before', session_id: 's', uuid: 'u' };
    const source = `say(${JSON.stringify(refused)}); setTimeout(() => process.exit(0), 20);`;
    expect(await typesOf(items(hello), { pathToClaudeCodeExecutable: agent(source) })).toEqual(['system']);
    const path = agent(`if (globalThis.seen) { ${source} } globalThis.seen = true;`);
    await expect(typesOf(items(hello, hello), { pathToClaudeCodeExecutable: path })).rejects.toMatchObject(unanswered);
  });

  test('the host closed it: the stream just ends', async () => {
    const run = query({ prompt: 'hello', options: { pathToClaudeCodeExecutable: agent("say({ type: 'novelty' })") } });
    const types: string[] = [];
    for await (const message of run) {
      types.push(message.type);
      run.close().catch(() => {});
    }
    expect(types).toEqual(['novelty']);
  });

  test('[OPT-01] the host aborted it: an AbortError, as ever', async () => {
    const abortController = new AbortController();
    const path = agent("process.on('SIGTERM', () => process.exit(0)); say({ type: 'novelty' })");
    const run = query({ prompt: 'hello', options: { pathToClaudeCodeExecutable: path, abortController } });
    const reading = (async () => {
      for await (const _message of run) abortController.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('an agent that cannot start, and says so by a result', () => {
  test('[ERR-04, ARC-05] the result is delivered, and is all there is to say', async () => {
    const lone = JSON.stringify({ ...RESULT, is_error: true });
    const path = mute(`process.stdout.write(${JSON.stringify(`${lone}\n`)}, () => process.exit(1))`);
    for (let round = 0; round < 3; round++) {
      expect(await typesOf('hello', { pathToClaudeCodeExecutable: path })).toEqual(['result']);
    }
  });

  test('[ERR-04, ARC-05] in this process, too', async () => {
    const transport: Connect = () => {
      const { near, far } = memoryPair();
      far.write(RESULT);
      near.settle({ code: 1, signal: null, stderr: '' });
      far.endInput();
      return near;
    };
    expect(await typesOf('hello', { transport })).toEqual(['result']);
  });
});

describe('a line that is too long', () => {
  test('[TRN-11, K34, K40] ends the stream with a typed error: a message is missing', async () => {
    const transport: Connect = () => {
      const { near, far } = memoryPair();
      far.connect();
      const read = near.readMessages.bind(near);
      near.readMessages = async function* () {
        yield { type: 'novelty' };
        yield new HeddleError('line_too_long', 'Line 2 was skipped: it has 12 bytes, and 10 is the limit');
        yield* read();
      };
      return near;
    };
    const told: string[] = [];
    const failing = typesOf('hello', { transport, onError: ({ code }) => told.push(code) });
    await expect(failing).rejects.toMatchObject({ code: 'line_too_long' });
    expect(told).toEqual([]);
  });
});

describe('an item of the prompt stream that is no message', () => {
  const options = { pathToClaudeCodeExecutable: agent('') };

  test.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['a text that says nothing', ' '],
    ['an array', [hello]],
    ["an object without a 'type'", { role: 'user', content: 'hello' }],
  ])('[ERR-09] %s is named, with its place and what is expected', async (kind, item) => {
    await expect(typesOf(items(hello, item), options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: `Item 2 of the prompt stream is ${kind}; expected a text, or { type: 'user', message: { role: 'user', content: '…' } }`,
      facts: { option: 'prompt' },
    });
  });

  test('[ERR-09] what JSON cannot tell', async () => {
    await expect(typesOf(items({ ...hello, uuid: 7n }), options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(/^Item 1 of the prompt stream cannot be sent: .*BigInt/),
    });
  });

  test('[ERR-09] streamInput refuses it, too', async () => {
    const run = query({ prompt: items(), options: { pathToClaudeCodeExecutable: agent('') } });
    await expect(run.streamInput(items(null))).rejects.toMatchObject({ code: 'invalid_option' });
    await run.close();
  });
});

test.each([
  ['5', 5],
  ['true', true],
  ['undefined', undefined],
  ['an object', {}],
])('[B-004] extraArgs: a value that is %s is named before anything starts', (kind, value) => {
  const extraArgs = { fine: 'x', ide: null, budget: value } as unknown as Record<string, string | null>;
  expect(() => query({ prompt: 'x', options: { extraArgs } })).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: `options.extraArgs.budget must be a string, or null for a flag without a value, got ${kind}`,
    }),
  );
});
