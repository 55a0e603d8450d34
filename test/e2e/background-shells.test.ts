import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SDKUserMessage, SpawnProcess } from '../../src/sdk/index.ts';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { tryParseJson } from '../../src/util/json.ts';
import { sdk } from '../support/built.ts';
import { cast, lastText } from '../support/cast.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { isResult, kindOf, type Line } from '../support/lines.ts';
import { ORPHAN_LOADS, type OrphanLoad, pidOfLoad } from '../support/orphan-loads.ts';
import { makePlace } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';

const inBackground = (command: string) => toolUse('Bash', { command, run_in_background: true });

const script = (command: string) =>
  cast<FakeApiRequest>({
    MAIN: [
      inBackground(command),
      'I go on.',
      (request) => (lastText(request).includes('<status>completed</status>') ? 'I heard of it.' : 'I heard nothing.'),
    ],
  });

describe('a command in the background', () => {
  test('[BG-01, BG-03, BG-04] is answered at once; its end is told behind the result; its output can be read all along', async () => {
    const place = await makePlace(script('echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended'));
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
    cli.say('MAIN go');
    const first = await cli.nextResult();
    expect(first).toMatchObject({ result: 'I go on.', pending_tasks: [{ task_type: 'local_bash' }] });
    const answer = cli.lines.find(({ type }) => type === 'user')?.tool_use_result as Record<string, unknown>;
    const [pending] = first.pending_tasks as { task_id: string }[];
    expect(answer).toMatchObject({ stdout: '', stderr: '', backgroundTaskId: pending?.task_id });
    expect(cli.lines.map(kindOf)).not.toContain('system/task_notification');

    const output = /\S+\.output/.exec(lastText(place.api.requests[1] as FakeApiRequest))?.[0] ?? '';
    await eventually(() => readFileSync(output, 'utf8') === 'begun\n');
    expect(cli.lines.filter(isResult)).toHaveLength(1);
    writeFileSync(join(place.cwd, 'go'), '');
    expect(await cli.nextResult()).toMatchObject({ result: 'I heard of it.', pending_tasks: [] });
    const told = cli.lines.filter((line) => kindOf(line) === 'system/task_notification');
    const end = { task_id: pending?.task_id, status: 'completed', output_file: output };
    expect(told).toEqual([expect.objectContaining(end)]);
    expect(readFileSync(output, 'utf8')).toBe('begun\nended\n');
    cli.endInput();
    expect((await cli.finished).code).toBe(0);
  });

  test('[BG-06, STD-02, STD-06] outlasts the end of the input; stdin is closed when all has been said', async () => {
    const runs = await Promise.all(['a string', 'a stream that ends'].map((kind) => lifeOf(kind)));
    for (const { results, order } of runs) {
      expect(results).toEqual(['I go on.', 'I heard of it.']);
      expect(order.filter((each) => each !== 'initialize')).toEqual([
        ...['user', 'end_input'],
        ...['result', 'result', 'stdout ends', 'stdin ends'],
      ]);
    }
  });
});

test('[K2] what is waited for and then stopped by the host does not keep the process', async () => {
  const place = await makePlace([inBackground('sleep 600'), 'Started.']);
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  cli.say('go');
  const [task] = (await cli.nextResult()).pending_tasks as { task_id: string }[];
  await cli.control({ subtype: 'end_input' });
  await cli.control({ subtype: 'stop_task', task_id: task?.task_id });
  const { code, lines } = await cli.finished;
  expect(code).toBe(0);
  expect(lines.filter(isResult)).toHaveLength(1);
});

/** What a run of the SDK writes and reads, in order. */
async function lifeOf(kind: string): Promise<{ results: unknown[]; order: string[] }> {
  const place = await makePlace(script('sleep 2'));
  const order: string[] = [];
  async function* once(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: 'MAIN go' }, parent_tool_use_id: null, session_id: '' };
  }
  const results: unknown[] = [];
  const prompt = kind === 'a string' ? 'MAIN go' : once();
  const options = { cwd: place.cwd, env: place.env, allowedTools: ['Bash'], stderr: () => {} };
  for await (const message of sdk.query({
    prompt,
    options: { ...options, spawnClaudeCodeProcess: overheard(order) },
  })) {
    if (message.type !== 'result') continue;
    order.push('result');
    results.push((message as unknown as Line).result);
  }
  await eventually(() => order.includes('stdin ends'));
  return { results, order };
}

/** Starts the process and notes what becomes of its pipes. */
function overheard(order: string[]): SpawnProcess {
  return ({ command, args, env, cwd, signal }) => {
    const child = spawn(command, args, { env, cwd, signal, stdio: ['pipe', 'pipe', 'ignore'] });
    const write = child.stdin.write.bind(child.stdin);
    child.stdin.write = ((...given: Parameters<typeof write>) => {
      for (const line of String(given[0]).trim().split('\n')) order.push(nameOf(tryParseJson(line)));
      return write(...given);
    }) as typeof write;
    child.stdin.on('close', () => order.push('stdin ends'));
    child.stdout.on('end', () => order.push('stdout ends'));
    return child;
  };
}

function nameOf(line: unknown): string {
  const { type, request } = line as { type: string; request?: { subtype: string } };
  return request?.subtype ?? type;
}

describe('what a command in the background has started', () => {
  const loads: OrphanLoad[] = ['background', 'nohup', 'setsid', 'daemon'];
  const all = loads.map((load) => `(${ORPHAN_LOADS[load]}) &`).join('\n');

  test.each([
    ['[H-3] ends with the session', 'end'],
    ['[H-2] ends with kill -9 of the agent', 'SIGKILL'],
  ])('%s, grandchildren and daemons included', async (_title, how) => {
    const place = await makePlace([inBackground(`${all}\nsleep 600`), 'Started.']);
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash', '--on-end', 'stop'], { place });
    cli.say('go');
    await cli.nextResult();
    const pids = await Promise.all(loads.map((load) => pidOfLoad(place.cwd, load)));
    const started = [...pids, ...descendantsOf(cli.pid)];
    expect(pids.every(isAlive)).toBe(true);
    if (how === 'SIGKILL') cli.kill('SIGKILL');
    else cli.endInput();
    const { lines } = await cli.finished;
    if (how === 'end') expect(lines.at(-1)).toMatchObject({ terminal_reason: 'background_stopped' });
    await eventually(() => !started.some(isAlive), 6000);
  });
});
