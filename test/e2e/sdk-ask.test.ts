import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type { Options } from '../../src/sdk/index.ts';
import { type FakeApiRequest, fail, hang, type Script, text, toolUse } from '../../src/testing/index.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';

/** The built package, as a program uses it: with an agent in a process of its own, and with one in this process. */
const WAYS: [string, (place: Place) => Options][] = [
  ['a subprocess', (place) => ({ cwd: place.cwd, env: place.env })],
  [
    'an engine in this process',
    (place) => {
      const engine = engineModule.createEngine({ cwd: place.cwd, env: place.env });
      onTestFinished(() => engine.close());
      return { transport: engineModule.inProcess(engine) };
    },
  ],
];

describe.each(WAYS)('with %s', (_way, optionsFor) => {
  async function at(script: Script<FakeApiRequest>) {
    const place = await makePlace(script);
    const base = optionsFor(place);
    const open = <Output>(options: Options<Output> = {}) => {
      const session = sdk.createSession<Output>({ ...(base as Options<Output>), ...options });
      onTestFinished(async () => void (await session.close()));
      return session;
    };
    return { place, base, open };
  }

  test('ask: questions one after the other, and at the same time', async () => {
    const { open } = await at((_request, index) => `Answer ${index}.`);
    const session = open();
    const first = await session.ask('one');
    expect(first).toMatchObject({ text: 'Answer 0.', result: { is_error: false, user_message_uuids: [first.uuid] } });
    const both = await Promise.all([session.ask('two'), session.ask('three')]);
    expect(both.map((answer) => answer.text).sort()).toEqual(['Answer 1.', 'Answer 2.']);
    expect(both.map(({ result, uuid }) => result.user_message_uuids?.includes(uuid))).toEqual([true, true]);
  });

  test('[K24] ask: an API that refuses the key is an error, not an answer; an interrupt is one, too', async () => {
    const { place, open } = await at([fail(401, 'authentication_error', 'no'), hang(), 'Fine.']);
    const session = open();
    await expect(session.ask('one')).rejects.toMatchObject({ code: 'failed_result', status: 401 });
    const waiting = session.ask('two');
    waiting.catch(() => {});
    await eventually(() => place.api.requests.length === 2);
    await session.interrupt();
    await expect(waiting).rejects.toMatchObject({ code: 'failed_result', reason: 'aborted_streaming' });
    expect(await session.ask('three')).toMatchObject({ text: 'Fine.' });
  });

  test('ask: a session that is not there says so', async () => {
    const { base } = await at([]);
    const session = sdk.resumeSession('00000000-0000-4000-8000-000000000000', base);
    onTestFinished(async () => void (await session.close()));
    await expect(session.ask('hello')).rejects.toMatchObject({
      code: 'failed_result',
      facts: { errorCode: 'session_not_found' },
    });
  });

  test('a question that is taken back before its turn is rejected', async () => {
    const { place, open } = await at([hang(), 'Fine.']);
    const session = open();
    const running = session.ask('one');
    running.catch(() => {});
    await eventually(() => place.api.requests.length === 1);
    const uuid = '11111111-1111-4111-8111-111111111111';
    const queued = session.ask({ type: 'user', uuid, message: { role: 'user', content: 'two' } });
    queued.catch(() => {});
    await session.cancelAsyncMessage(uuid);
    await expect(queued).rejects.toMatchObject({ code: 'aborted' });
  });

  test('[USE-02] textStream: pieces as they come, in a query, a session and a warm query, without any option', async () => {
    const { base, open } = await at(() => text('one ', 'two ', 'three'));
    const pieces = ['one ', 'two ', 'three'];
    const warm = await sdk.startup({ options: base });
    const begin = [
      () => sdk.query({ prompt: 'hi', options: base }),
      () => warm.query('hi'),
      () => sdk.query({ prompt: 'hi', options: { ...base, includePartialMessages: true } }),
    ];
    for (const each of begin) {
      const run = each();
      const texts: string[] = [];
      for await (const piece of run.textStream) texts.push(piece);
      expect(texts).toEqual(pieces);
      expect(run.result).toMatchObject({ subtype: 'success', result: pieces.join('') });
    }
    const session = open();
    for (let round = 0; round < 2; round++) {
      await session.send('hi');
      const texts: string[] = [];
      for await (const piece of session.stream().textStream) texts.push(piece);
      // The first prompt was sent before anybody wanted pieces: a quick answer to it may come as one.
      expect(round === 0 ? [texts.join('')] : texts).toEqual(round === 0 ? [pieces.join('')] : pieces);
    }
    await session.send('hi');
    const kinds = new Set<string>();
    for await (const { type } of session.stream()) kinds.add(type);
    expect([...kinds]).toEqual(['system', 'assistant', 'result']);
  });

  test('textStream: across tool calls, and an error at the end', async () => {
    const looking = [text('Let me ', 'look.'), toolUse('Glob', { pattern: '*' })];
    const { base } = await at([looking, 'Empty.', fail(400, 'invalid_request_error', 'no')]);
    const read = async () => {
      let all = '';
      for await (const piece of sdk.query({ prompt: 'hi', options: base }).textStream) all += piece;
      return all;
    };
    expect(await read()).toBe('Let me look.\n\nEmpty.');
    await expect(read()).rejects.toMatchObject({ code: 'failed_result', status: 400 });
  });

  test('[CHK-04] edit: the new prompt hangs where the old one hung, on the files of that moment', async () => {
    const said = (request: FakeApiRequest) => JSON.stringify((request.body.messages as unknown[]).at(-1));
    const { place, open } = await at((request) => {
      const [, content] = /write (\w+)/.exec(said(request)) ?? [];
      return content && !said(request).includes('tool_result')
        ? toolUse('Write', { file_path: join(place.cwd, 'a.txt'), content })
        : 'Done.';
    });
    const path = join(place.cwd, 'a.txt');
    const session = open({ enableFileCheckpointing: true, permissionMode: 'acceptEdits' });
    await session.ask('hello');
    const mistaken = await session.ask('write wfet');
    expect(readFileSync(path, 'utf8')).toBe('wfet');
    const planned = await session.edit(mistaken.uuid, 'write weft', { restoreFiles: true, dryRun: true });
    expect(planned.files).toMatchObject({ canRewind: true, filesChanged: [path] });
    expect(existsSync(path)).toBe(true);

    const edited = await session.edit(mistaken.uuid, 'just look', { restoreFiles: true });
    expect(edited.files).toEqual({ canRewind: true, filesChanged: [path] });
    for await (const _ of session.stream());
    expect(existsSync(path)).toBe(false);
    const branches = await session.branches();
    expect(branches.map(({ preview, active }) => `${preview} ${active}`)).toEqual([
      'write wfet false',
      'just look true',
    ]);

    // The same by `ask`, which waits for the answer.
    const { uuid } = await session.ask('write more', { edits: edited.uuid });
    expect(readFileSync(path, 'utf8')).toBe('more');
    await session.ask('look', { edits: uuid, restoreFiles: true });
    expect(existsSync(path)).toBe(false);
  });

  test('[CHK-05] edit: without checkpoints, and of what is no prompt, rejects, and nothing is sent', async () => {
    const { place, open } = await at(() => 'Done.');
    const session = open();
    const { uuid } = await session.ask('hello');
    await expect(session.edit(uuid, 'hi', { restoreFiles: true })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(/started without enableFileCheckpointing/),
    });
    await expect(session.edit('00000000-0000-4000-8000-000000000000', 'hi')).rejects.toMatchObject({
      code: 'unknown_parent',
    });
    expect(place.api.requests).toHaveLength(1);
  });

  test('[OPT-23] outputFormat: a schema of zod, 4 and 3, and what it makes of the answer', async () => {
    const { place, base, open } = await at(() => toolUse('StructuredOutput', { title: 'Twill', threads: '240' }));
    const cloth = z.object({
      title: z.string(),
      threads: z.string().transform(Number),
      colour: z.string().default('grey'),
    });
    const session = open({ outputFormat: cloth });
    const { result } = await session.ask('Which cloth is this?');
    expect(result.structured_output).toEqual({ title: 'Twill', threads: 240, colour: 'grey' });
    const tools = (place.api.requests[0]?.body.tools ?? []) as { name: string; input_schema: unknown }[];
    const sent = tools.find(({ name }) => name === 'StructuredOutput');
    expect(sent?.input_schema).toMatchObject({
      type: 'object',
      properties: { title: { type: 'string' }, threads: { type: 'string' }, colour: { type: 'string' } },
      required: ['title', 'threads'],
    });
    const schema = z3.object({ title: z3.string().transform((title) => title.length), threads: z3.string() });
    const wrapped = await sdk.prompt('Which?', { ...base, outputFormat: { type: 'json_schema', schema } });
    expect(sdk.successOf(wrapped).structured_output).toEqual({ title: 5, threads: '240' });
    const json = { type: 'object', properties: { title: { type: 'string' } } };
    const plain = await sdk.prompt('Which?', { ...base, outputFormat: { type: 'json_schema', schema: json } });
    expect(sdk.successOf(plain).structured_output).toEqual({ title: 'Twill', threads: '240' });
  });

  test('[OPT-23] outputFormat: what only zod can refuse is an error result; what describes no object is an error', async () => {
    const { base } = await at(() => toolUse('StructuredOutput', { threads: 3 }));
    const outputFormat = z.object({ threads: z.number().refine((threads) => threads % 2 === 0, 'must be even') });
    const result = await sdk.prompt('Which?', { ...base, outputFormat });
    expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true });
    expect(result.errors).toEqual(['The structured output does not fit options.outputFormat: threads: must be even']);
    expect(result).not.toHaveProperty('structured_output');
    const failing = sdk.prompt('Which?', { ...base, outputFormat: z.array(z.string()) });
    await expect(failing).rejects.toMatchObject({
      code: 'invalid_option',
      message: 'options.outputFormat cannot be used: it must describe an object: use z.object()',
    });
  });

  test('[MCP-05] tools: those of the program, under their own names, beside names', async () => {
    const { place, base } = await at((_request, index) =>
      index === 0 ? toolUse('in_stock', { cloth: 'linen' }, 'call-7') : 'Twelve.',
    );
    const calls: unknown[] = [];
    const inStock = sdk.tool(
      'in_stock',
      'How many bolts there are',
      { cloth: z.string().transform((cloth) => cloth.toUpperCase()), unit: z.string().default('bolts') },
      ({ cloth, unit }, { toolUseId, signal }) => {
        calls.push({ cloth, unit, toolUseId, isAborted: signal.aborted });
        return `12 ${unit} of ${cloth}`;
      },
    );
    const warnings: string[] = [];
    const options = {
      ...base,
      tools: ['Read', inStock],
      allowedTools: ['in_stock'],
      stderr: (line: string) => warnings.push(line),
    };
    const lines: unknown[] = [];
    for await (const message of sdk.query({ prompt: 'How much?', options })) lines.push(message);
    expect(lines[0]).toMatchObject({ subtype: 'init', tools: ['Read', 'in_stock'] });
    expect(lines.at(-1)).toMatchObject({ result: 'Twelve.', permission_denials: [] });
    expect(calls).toEqual([{ cloth: 'LINEN', unit: 'bolts', toolUseId: 'call-7', isAborted: false }]);
    expect(JSON.stringify(place.api.requests[1]?.body.messages)).toContain('12 bolts of LINEN');
    expect(warnings.join('')).toBe('');
  });

  test('tools: a handler that throws, an input that only zod refuses, an interrupt', async () => {
    const { place, open } = await at((_request, index) => {
      if (index === 0) return [toolUse('fail', { n: 1 }, 'a'), toolUse('fail', { n: 2 }, 'b')];
      return index === 2 ? toolUse('wait', {}, 'c') : 'Well.';
    });
    const failing = sdk.tool('fail', 'Fails', { n: z.number().refine((n) => n !== 2, 'not 2') }, ({ n }) => {
      throw new Error(`failed with ${n}`);
    });
    let isWaiting = false;
    let isAborted = false;
    const wait = sdk.tool('wait', 'Waits', {}, (_args, { signal }) => {
      isWaiting = true;
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      return new Promise<never>(() => {});
    });
    const session = open({ tools: [failing, wait], allowedTools: ['fail', 'wait'] });
    await session.ask('go');
    const told = JSON.stringify(place.api.requests[1]?.body.messages);
    expect(told).toContain('failed with 1');
    expect(told).toContain('n: not 2');
    const waiting = session.ask('wait');
    waiting.catch(() => {});
    await eventually(() => isWaiting);
    await session.interrupt();
    await eventually(() => isAborted);
    await expect(waiting).rejects.toMatchObject({ code: 'failed_result' });
  });

  test('[QRY-03] a prompt stream of texts and of messages that say no more than they must', async () => {
    const { place, base } = await at((_request, index) => `Answer ${index}.`);
    async function* prompts() {
      yield 'a text';
      yield { type: 'user' as const, message: { role: 'user' as const, content: 'a message' } };
    }
    const results: unknown[] = [];
    for await (const message of sdk.query({ prompt: prompts(), options: base })) {
      if (message.type === 'result') results.push(sdk.successOf(message).result);
    }
    expect(results).toEqual(['Answer 0.', 'Answer 1.']);
    expect(JSON.stringify(place.api.requests[1]?.body.messages)).toMatch(/a text.*a message/);
  });
});

test('[ERR-09] tools: what is no tool is refused, and so are those that cannot be told apart', () => {
  const add = sdk.tool('add', 'Adds', { a: z.number() }, ({ a }) => String(a));
  const named = (name: string) => ({ ...add, name });
  expect(() => sdk.query({ prompt: 'x', options: { tools: [add, add] } })).toThrow('Two tools are named add');
  expect(() => sdk.query({ prompt: 'x', options: { tools: [named('Bash')] } })).toThrow(
    'A tool cannot be named Bash: that is a built-in tool.',
  );
  expect(() => sdk.query({ prompt: 'x', options: { tools: ['Read', { name: 'add' } as never] } })).toThrow(
    'options.tools[1] must be the name of a tool, or one that tool() has made, got an object',
  );
});

test('tools: an agent that does not take them says so', async () => {
  const add = sdk.tool('add', 'Adds', { a: z.number() }, ({ a }) => String(a));
  const other = scriptedAgent();
  await expect(sdk.prompt('x', { tools: [add], transport: other.connect })).rejects.toMatchObject({
    code: 'not_supported',
    message: expect.stringMatching(/createSdkMcpServer/),
  });
});
