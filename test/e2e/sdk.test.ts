import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import type { Options, Query, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { hang, reply, text, toolUse } from '../../src/testing/index.ts';
import { Channel } from '../../src/util/channel.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { fakeAgent } from '../support/fake-agent.ts';
import { kindOf, type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

type Prompt = Parameters<typeof sdk.query>[0]['prompt'];

const bash = (command: string) => toolUse('Bash', { command });
const hangs = reply([text('begun')], { fault: { after: { block: 0 }, how: 'hang' } });

function start(place: Place, prompt: Prompt, options: Options = {}): Query {
  const run = sdk.query({ prompt, options: { cwd: place.cwd, env: place.env, ...options } });
  onTestFinished(async () => void (await run.close()));
  return run;
}

function user(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content } } as unknown as SDKUserMessage;
}

async function collect(run: AsyncIterable<SDKMessage>): Promise<Line[]> {
  const seen: Line[] = [];
  for await (const message of run) seen.push(message as unknown as Line);
  return seen;
}

async function nextResult(run: Query): Promise<Line> {
  for (;;) {
    const { value, done } = await run.next();
    if (done) throw new Error('The run ended without another result');
    if (value.type === 'result') return value as unknown as Line;
  }
}

async function pidOf(run: Query): Promise<number> {
  return Number((await run.initializationResult()).pid);
}

describe('a string prompt', () => {
  test('[QRY-01, QRY-08] runs one turn and leaves no process', async () => {
    const place = await makePlace(['Hello.']);
    const run = start(place, 'hi');
    expectTypeOf(run).toExtend<AsyncGenerator<SDKMessage, void>>();
    const pid = await pidOf(run);
    expect((await collect(run)).map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
    expect(isAlive(pid)).toBe(false);
  });

  test('[QRY-02, STD-01] writes exactly one user line', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place);
    await collect(start(place, 'hi', { pathToClaudeCodeExecutable: agent.path }));
    const users = agent.recorded().lines.filter(({ type }) => type === 'user');
    expect(users.map(({ message }) => message?.content)).toEqual([[{ type: 'text', text: 'hi' }]]);
  });

  test('[K19, ARC-13] starts at once, before anybody iterates', async () => {
    const place = await makePlace(['Hello.']);
    const run = start(place, 'hi');
    await eventually(() => place.api.requests.length === 1, 10_000);
    expect((await nextResult(run)).result).toBe('Hello.');
  });

  test('[K2, QM-01, STD-05] the end of the input is not the end of control: interrupt', async () => {
    const place = await makePlace([hangs]);
    const run = start(place, 'hi', { includePartialMessages: true });
    const lines = collect(run);
    await eventually(() => place.api.requests.length === 1);
    await run.interrupt();
    expect((await lines).at(-1)).toMatchObject({ subtype: 'error_during_execution' });
  });

  test('[K2, B-253, QM-13] nor of callbacks and settings', async () => {
    const place = await makePlace([bash('touch allowed'), 'Done.']);
    const run: Query = start(place, 'go', {
      canUseTool: async () => {
        await sleep(200); // the input has ended long ago
        await run.setModel('haiku');
        return { behavior: 'allow' };
      },
    });
    const lines = await collect(run);
    expect(lines.at(-1)).toMatchObject({ result: 'Done.' });
    expect(existsSync(join(place.cwd, 'allowed'))).toBe(true);
  });
});

describe('a stream of prompts', () => {
  test('[QRY-03, QRY-05, STD-04] the process waits between turns; every result is delivered', async () => {
    const place = await makePlace(['First.', 'Second.', 'Third.']);
    const input = new Channel<SDKUserMessage>();
    const run = start(place, input);
    const pid = await pidOf(run);
    for (const [prompt, answer] of Object.entries({ one: 'First.', two: 'Second.', three: 'Third.' })) {
      input.push(user(prompt));
      expect((await nextResult(run)).result).toBe(answer);
      await sleep(50);
      expect(isAlive(pid)).toBe(true);
    }
    input.end();
    expect(await run.next()).toMatchObject({ done: true });
    expect(isAlive(pid)).toBe(false);
    expect(conversationText(place.api.requests[2])).toMatch(/one[\s\S]*First[\s\S]*two[\s\S]*Second[\s\S]*three/);
  });

  test('[QRY-04] a message pushed during a turn is answered by the same process', async () => {
    const place = await makePlace((_request, index) => (index === 0 ? bash('sleep 0.3') : 'ok'));
    const input = new Channel<SDKUserMessage>();
    const run = start(place, input, { allowedTools: ['Bash'] });
    input.push(user('first'));
    await eventually(() => place.api.requests.length === 1, 10_000);
    input.push(user('in between'));
    input.end();
    const lines = await collect(run);
    expect(lines.filter(({ subtype }) => subtype === 'init').length).toBeGreaterThan(0);
    expect(lines.at(-1)).toMatchObject({ subtype: 'success' });
    expect(conversationText(place.api.requests.at(-1))).toContain('in between');
  });

  test('[QM-10] streamInput feeds another stream into the same conversation', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const input = new Channel<SDKUserMessage>();
    const run = start(place, input);
    input.push(user('one'));
    await nextResult(run);
    const more = new Channel<SDKUserMessage>();
    more.push(user('two'));
    const fed = run.streamInput(more);
    expect((await nextResult(run)).result).toBe('Second.');
    more.end();
    input.end();
    await fed;
    expect((await run.next()).done).toBe(true);
  });

  test('[QM-03, CTL-06] setPermissionMode holds for the calls after it', async () => {
    const place = await makePlace((request, index) => {
      if (index % 2 === 1) return 'ok';
      const cwd = /Working directory: (.*)/.exec(conversationText(request))?.[1];
      return toolUse('Write', { file_path: `${cwd}/new-${index}.txt`, content: 'x' });
    });
    const input = new Channel<SDKUserMessage>();
    const run = start(place, input);
    input.push(user('one'));
    await nextResult(run);
    await run.setPermissionMode('acceptEdits');
    input.push(user('two'));
    await nextResult(run);
    input.end();
    expect([0, 2].map((index) => existsSync(join(place.cwd, `new-${index}.txt`)))).toEqual([false, true]);
  });

  test('[QM-04, QM-05, CTL-10] setModel and setMaxThinkingTokens hold for later turns', async () => {
    const place = await makePlace(() => 'ok');
    const input = new Channel<SDKUserMessage>();
    const run = start(place, input, { model: 'claude-sonnet-4-5-20250929' });
    const turn = async () => {
      input.push(user('go'));
      await nextResult(run);
    };
    await turn();
    await run.setModel('claude-haiku-4-5-20251001');
    await run.setMaxThinkingTokens(3000);
    await turn();
    await run.setModel();
    await run.setMaxThinkingTokens(null);
    await turn();
    input.end();
    const sent = place.api.requests.map(bodyOf);
    expect(sent.map(({ model }) => model)).toEqual([
      'claude-sonnet-4-5-20250929',
      'claude-haiku-4-5-20251001',
      'claude-sonnet-4-5-20250929',
    ]);
    expect(sent.map(({ thinking }) => thinking)).toEqual([
      undefined,
      { type: 'enabled', budget_tokens: 3000 },
      undefined,
    ]);
  });

  test('[PRM-18, OPT-04] a mode that was not permitted at the start is refused', async () => {
    const place = await makePlace();
    const run = start(place, new Channel<SDKUserMessage>());
    await expect(run.setPermissionMode('bypassPermissions')).rejects.toMatchObject({ name: 'ControlError' });
    await run.close();
  });
});

describe('what the agent tells of itself', () => {
  test('[ARC-12, QM-07, QM-09] the answer to initialize is kept', async () => {
    const place = await makePlace(['ok']);
    const run = start(place, 'hi');
    const [once, twice] = await Promise.all([run.initializationResult(), run.initializationResult()]);
    expect(once).toBe(twice);
    expect(await run.supportedModels()).toContainEqual(
      expect.objectContaining({ value: expect.any(String), displayName: expect.any(String) }),
    );
    expect(await run.accountInfo()).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' });
    await collect(run);
  });

  test('[ARC-04, ARC-05] a slow consumer misses nothing', async () => {
    const pieces = Array.from({ length: 300 }, (_, at) => `${at} `);
    const place = await makePlace([reply([text(...pieces)])]);
    const run = start(place, 'hi', { includePartialMessages: true });
    await sleep(500);
    const deltas = (await collect(run)).filter((line) => kindOf(line) === 'content_block_delta');
    expect(deltas.length).toBe(300);
  });
});

describe('the end', () => {
  test('[OPT-01, ERR-10] abort rejects with AbortError, and the process and its tools are gone', async () => {
    const place = await makePlace([bash('touch started; sleep 600')]);
    const abortController = new AbortController();
    const run = start(place, 'go', { abortController, allowedTools: ['Bash'] });
    const pid = await pidOf(run);
    const outcome = collect(run);
    await eventually(() => existsSync(join(place.cwd, 'started')));
    const all = [pid, ...descendantsOf(pid)];
    expect(all.length).toBeGreaterThan(2);
    abortController.abort();
    const started = Date.now();
    await expect(outcome).rejects.toBeInstanceOf(sdk.AbortError);
    await eventually(() => !all.some(isAlive), 5000);
    expect(Date.now() - started).toBeLessThan(5000);
  });

  test('[ERR-10] aborted before the start: nothing runs', async () => {
    const place = await makePlace(['never']);
    const run = start(place, 'go', { abortController: abortedController() });
    await expect(collect(run)).rejects.toMatchObject({ name: 'AbortError', code: 'aborted' });
    await sleep(200);
    expect(place.api.requests.length).toBe(0);
  });

  test('[OPT-01, ERR-10] abort in this process, too', async () => {
    const place = await makePlace([hang()]);
    const engine = engineModule.createEngine({ cwd: place.cwd, env: place.env });
    onTestFinished(() => engine.close());
    const abortController = new AbortController();
    const run = start(place, 'go', { abortController, transport: engineModule.inProcess(engine) });
    await eventually(() => place.api.requests.length === 1);
    abortController.abort();
    await expect(collect(run)).rejects.toBeInstanceOf(sdk.AbortError);
  });

  test('[QM-11] close ends the process and the iterator', async () => {
    const place = await makePlace([hang()]);
    const run = start(place, 'go');
    const pid = await pidOf(run);
    await eventually(() => place.api.requests.length === 1);
    await run.close();
    expect(isAlive(pid)).toBe(false);
    await collect(run); // whatever was said before; no error
  });

  test('[QM-11] close tells how it ended; pid is that of the process', async () => {
    const place = await makePlace([hang()]);
    const run = start(place, 'go');
    expect(run.pid).toBeUndefined();
    expect(await pidOf(run)).toBe(run.pid);
    expect(await run.close()).toMatchObject({ code: 143, signal: null });
  });

  test('[QRY-08] the end of its scope ends the process', async () => {
    const place = await makePlace([hang()]);
    let pid = 0;
    {
      await using run = start(place, 'go');
      pid = await pidOf(run);
    }
    expect(isAlive(pid)).toBe(false);
  });

  test('[QRY-08] leaving the loop ends the process', async () => {
    const place = await makePlace([hang()]);
    const run = start(place, 'go');
    const pid = await pidOf(run);
    for await (const message of run) if (message.type === 'system') break;
    expect(isAlive(pid)).toBe(false);
  });

  test('[ERR-04] an agent that dies: exit code and stderr, also for pending calls', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, {
      onUser: `process.stderr.write('it broke\\n'); setTimeout(() => process.exit(3), 50)`,
    });
    const run = start(place, 'go', { pathToClaudeCodeExecutable: agent.path });
    const died = { name: 'ProcessError', exitCode: 3, stderr: 'it broke\n' };
    await Promise.all([
      expect(run.setModel('x')).rejects.toMatchObject(died),
      expect(collect(run)).rejects.toMatchObject(died),
    ]);
  });

  test('[ERR-04] an agent that is killed: the signal', async () => {
    const place = await makePlace([hang()]);
    const run = start(place, 'go');
    const pid = await pidOf(run);
    await eventually(() => place.api.requests.length === 1);
    process.kill(pid, 'SIGKILL');
    await expect(collect(run)).rejects.toMatchObject({ name: 'ProcessError', exitCode: null, signal: 'SIGKILL' });
  });

  test('an error result is delivered, not thrown', async () => {
    const place = await makePlace([bash('echo 1')]);
    const lines = await collect(start(place, 'go', { maxTurns: 1, allowedTools: ['Bash'] }));
    expect(toolResult(lines.at(-2))?.content).toBe('1');
    expect(lines.at(-1)).toMatchObject({ subtype: 'error_max_turns', is_error: true });
  });
});

describe('options', () => {
  test.each([
    [{ modle: 'x' }, "There is no option 'modle'"],
    [{ Model: 'x' }, "did you mean 'model'?"],
    [{ maxTurns: 0 }, 'options.maxTurns must be a whole number above 0'],
    [{ allowedTools: 'Bash' }, 'options.allowedTools must be an array of strings'],
    [{ permissionMode: 'yolo' }, 'options.permissionMode must be one of'],
    [{ permissionMode: 'bypassPermissions' }, 'needs allowDangerouslySkipPermissions: true'],
    [{ canUseTool: true }, 'options.canUseTool must be a function'],
    [{ abortController: {} }, 'options.abortController must be an AbortController'],
    [{ settingSources: ['global'] }, 'options.settingSources[0] must be one of user, project, local, got "global"'],
  ])('[K19] %j is refused before anything starts', (options, message) => {
    const call = () => sdk.query({ prompt: 'x', options: options as Options });
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

function abortedController(): AbortController {
  const controller = new AbortController();
  controller.abort();
  return controller;
}
