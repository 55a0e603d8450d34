import { describe, expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import type { EngineOptions } from '../../../src/host/engine/engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { type Options, prompt, query } from '../../../src/sdk/index.ts';
import { warningsIn } from '../../../src/sdk/subprocess/stderr-warnings.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { scriptedModel, toolUse } from '../../../src/testing/index.ts';
import { fakeAgent } from '../../support/fake-agent.ts';
import { makePlace } from '../../support/place.ts';

type Warning = Error & { detail?: string };

/** The warnings of this process, from now on. */
function warnings(): Warning[] {
  const heard: Warning[] = [];
  const listen = (warning: Error) => {
    if (warning.name === 'HeddleWarning') heard.push(warning);
  };
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  return heard;
}

const texts = async (heard: Warning[]) => {
  await new Promise((resolve) => setImmediate(resolve));
  return heard.map(({ message }) => message);
};

describe('[K51] what an agent process writes to stderr', () => {
  const says = (...lines: string[]) =>
    `process.stderr.write(${JSON.stringify(`${lines.join('\n')}\n`)}); await new Promise((done) => setTimeout(done, 50));`;

  test('without a callback, warnings are those of this process; what is none is left alone', async () => {
    const place = await makePlace();
    const heard = warnings();
    const { path } = fakeAgent(place, {
      atStart: says('heddle: one', '  and more of it', 'a word of somebody else', 'heddle: two'),
    });
    await prompt('hi', { cwd: place.cwd, env: place.env, pathToHeddleExecutable: path });
    expect(await texts(heard)).toEqual(['one\nand more of it', 'two']);
  });

  test('with a callback, that has all of it', async () => {
    const place = await makePlace();
    const heard = warnings();
    let written = '';
    const { path } = fakeAgent(place, { atStart: says('heddle: one', 'other words') });
    const stderr = (text: string) => {
      written += text;
    };
    await prompt('hi', { cwd: place.cwd, env: place.env, pathToHeddleExecutable: path, stderr });
    expect(written).toBe('heddle: one\nother words\n');
    expect(await texts(heard)).toEqual([]);
  });

  test('of an agent that ends before it has said anything, the error has it, once', async () => {
    const place = await makePlace();
    const heard = warnings();
    const { path } = fakeAgent(place, { atStart: `${says('heddle: no such flag')} process.exit(1);` });
    const run = prompt('hi', { cwd: place.cwd, env: place.env, pathToHeddleExecutable: path });
    await expect(run).rejects.toThrow('Process failed with exit code 1\nheddle: no such flag');
    expect(await texts(heard)).toEqual([]);
  });

  test.each([
    ['whole lines', ['heddle: a\nheddle: b\n'], ['a', 'b']],
    ['pieces', ['hed', 'dle: a', 'b\nhed', 'dle: c\n'], ['ab', 'c']],
    ['several lines', ['heddle: a\n  b\n  c\nother\n  d\nheddle: e\n'], ['a\nb\nc', 'e']],
    ['no end', ['heddle: a'], []],
  ])('%s', (_what, pieces, found) => {
    const told: string[] = [];
    const hear = warningsIn((message) => told.push(message));
    for (const piece of pieces) hear(piece);
    expect(told).toEqual(found);
  });
});

describe('[K51] an engine in this process', () => {
  const bad: Options = { allowedTools: ['Terraform'] };
  const TOLD = 'The rule Terraform (--allowedTools) matches nothing: there is no tool Terraform.';

  async function run(options: Options, engineOptions: Partial<EngineOptions> = {}, times = 1): Promise<void> {
    const answers = Array.from({ length: times }, () => 'Hello.');
    const engine = createEngine({
      cwd: '/',
      store: createMemoryStore(),
      model: scriptedModel(answers),
      ...engineOptions,
    });
    onTestFinished(() => engine.close());
    for (const _ of answers) await prompt('hi', { ...options, transport: inProcess(engine) });
  }

  test('without a log, warnings are those of the process, each once', async () => {
    const heard = warnings();
    await run(bad, {}, 3);
    expect(await texts(heard)).toEqual([TOLD]);
  });

  test('with a log, that has them', async () => {
    const heard = warnings();
    const logged: string[] = [];
    await run(bad, { log: (level, message) => level === 'warn' && logged.push(message) });
    expect(logged).toEqual([TOLD]);
    expect(await texts(heard)).toEqual([]);
  });

  test('a session with stderr hears its own', async () => {
    const heard = warnings();
    const logged: string[] = [];
    let written = '';
    const stderr = (text: string) => {
      written += text;
    };
    await run({ ...bad, stderr });
    expect(written).toBe(`heddle: ${TOLD}\n`);
    expect(await texts(heard)).toEqual([]);
    await run({ ...bad, stderr }, { log: (level, message) => level === 'warn' && logged.push(message) });
    expect(logged).toEqual([TOLD]);
  });

  test('nothing in a warning acts on the terminal', async () => {
    const heard = warnings();
    const canUseTool = async () => {
      throw new Error('\u001b[2Kgone');
    };
    const call = toolUse('Bash', { command: 'touch x' });
    await run({ canUseTool }, { model: scriptedModel([call, 'Well.']) });
    const told = (await texts(heard)).join() + heard.map(({ detail }) => detail).join();
    expect(told).toContain('\\u{1b}[2Kgone');
    expect(told).not.toContain('\u001b');
  });

  test('no credential is in a warning', async () => {
    const heard = warnings();
    await run({ allowedTools: ['key_of_the_engine_0123'] }, { env: { ANTHROPIC_API_KEY: 'key_of_the_engine_0123' } });
    expect((await texts(heard)).join()).toContain('[credential hidden]');
    expect((await texts(heard)).join()).not.toContain('key_of_the_engine');
  });
});

describe('[K51] what the functions of the program do wrong', () => {
  const boom = async () => {
    throw new TypeError('boom');
  };
  const call = toolUse('Bash', { command: 'touch x' });

  async function run(options: Options): Promise<void> {
    const engine = createEngine({ cwd: '/', store: createMemoryStore(), model: scriptedModel([call, 'Well.']) });
    onTestFinished(() => engine.close());
    await prompt('hi', { ...options, transport: inProcess(engine) });
  }

  test('goes to onError, with the error itself as the cause', async () => {
    const heard = warnings();
    const errors: Error[] = [];
    await run({ canUseTool: boom, onError: (error) => errors.push(error) });
    expect(errors).toEqual([expect.objectContaining({ code: 'callback_failed', facts: { callback: 'canUseTool' } })]);
    expect(errors[0]?.cause).toBeInstanceOf(TypeError);
    expect(await texts(heard)).toEqual([]);
  });

  test('else to stderr, else to the process, with the stack', async () => {
    const heard = warnings();
    let written = '';
    await run({
      canUseTool: boom,
      stderr: (text) => {
        written += text;
      },
    });
    expect(written).toMatch(
      /^heddle: canUseTool threw TypeError: boom\. The call of Bash was denied\.\nTypeError: boom\n {4}at .*warnings\.test/,
    );
    expect(heard).toEqual([]);
    await run({ canUseTool: boom });
    await texts(heard);
    expect(heard[0]?.detail).toMatch(/^TypeError: boom\n {4}at .*warnings\.test/);
  });

  test('an onError that throws hides neither error', async () => {
    const heard = warnings();
    await run({
      canUseTool: boom,
      onError: () => {
        throw new Error('worse');
      },
    });
    expect(await texts(heard)).toEqual([
      'onError threw: worse',
      'canUseTool threw TypeError: boom. The call of Bash was denied.',
    ]);
  });

  test('a hook that throws is told once, and the stream says what came of it', async () => {
    const heard = warnings();
    const engine = createEngine({ cwd: '/', store: createMemoryStore(), model: scriptedModel([call, 'Well.']) });
    onTestFinished(() => engine.close());
    const options: Options = {
      allowedTools: ['Bash'],
      hooks: { PreToolUse: [{ hooks: [boom] }] },
      transport: inProcess(engine),
    };
    const notices: unknown[] = [];
    for await (const message of query({ prompt: 'hi', options })) {
      const { subtype, content } = message as { subtype?: string; content?: unknown };
      if (subtype === 'informational') notices.push(content);
    }
    expect(notices).toEqual([expect.stringMatching(/The callback failed: boom\. It counts as an objection\.$/)]);
    expect(await texts(heard)).toEqual([expect.stringMatching(/^The PreToolUse hook threw TypeError: boom\./)]);
  });

  test('what it gives up because it was withdrawn is no mistake', async () => {
    const heard = warnings();
    const engine = createEngine({ cwd: '/', store: createMemoryStore(), model: scriptedModel([call, 'Well.']) });
    onTestFinished(() => engine.close());
    const running = query({
      prompt: 'hi',
      options: {
        transport: inProcess(engine),
        canUseTool: (_name, _input, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('withdrawn')));
            running.interrupt().catch(() => {});
          }),
      },
    });
    for await (const _message of running);
    expect(await texts(heard)).toEqual([]);
  });
});
