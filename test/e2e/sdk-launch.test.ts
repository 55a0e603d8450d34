import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Options } from '../../src/sdk/index.ts';
import { sdk } from '../support/built.ts';
import { fakeAgent } from '../support/fake-agent.ts';
import type { Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

/** Starts the fake agent with these options and runs it to its end. */
async function launch(place: Place, given: Options, agent = fakeAgent(place)) {
  const run = sdk.query({ prompt: 'hello prompt', options: { pathToClaudeCodeExecutable: agent.path, ...given } });
  for await (const _message of run);
  const recorded = agent.recorded();
  const requests = recorded.lines.flatMap((line) => (line.type === 'control_request' ? [line.request] : []));
  return { ...recorded, initialize: requests[0], users: recorded.lines.filter(({ type }) => type === 'user') };
}

describe('the words', () => {
  test('[OPT-39] settings: as they are, objects as JSON', async () => {
    const place = await makePlace();
    const settings = { permissions: { deny: ['Read(secret)'] } };
    const { argv } = await launch(place, { settings });
    expect(argv.slice(-2)).toEqual(['--settings', JSON.stringify(settings)]);
  });

  test('[W-9] a value that looks like a flag stays a value', async () => {
    const place = await makePlace();
    const { argv } = await launch(place, { model: '--settings', extraArgs: { name: '-p' } });
    expect(argv).toContain('--model=--settings');
    expect(argv).toContain('--name=-p');
  });
});

describe('the process', () => {
  test('[OPT-12, K8, DSC-07] env replaces the environment, but for what names the SDK', async () => {
    const place = await makePlace();
    const { env } = await launch(place, { env: { ONLY: 'this', CLAUDE_CODE_ENTRYPOINT: 'other' } });
    expect(env).toEqual({
      ONLY: 'this',
      CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
      CLAUDE_AGENT_SDK_VERSION: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
    });
  });

  test('[OPT-12, DSC-07, DSC-08] without it the environment is inherited', async () => {
    const place = await makePlace();
    const { env } = await launch(place, {});
    expect(env).toMatchObject({
      HEDDLE_HOME: process.env.HEDDLE_HOME,
      CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
      CLAUDE_AGENT_SDK_VERSION: sdk.HEDDLE_VERSION,
    });
  });

  test('[OPT-09] cwd', async () => {
    const place = await makePlace();
    expect((await launch(place, { cwd: place.cwd })).cwd).toBe(place.cwd);
  });

  test('[OPT-31, DSC-10] the stderr callback hears what the agent writes there', async () => {
    const place = await makePlace();
    let heard = '';
    const agent = fakeAgent(place, { atStart: `process.stderr.write('one\\ntwo\\n');` });
    const stderr = (text: string) => {
      heard += text;
    };
    await launch(place, { stderr }, agent);
    expect(heard).toBe('one\ntwo\n');
  });

  test('[OPT-24, DSC-01] a path that is no script is run as it is', async () => {
    const place = await makePlace();
    writeFileSync(join(place.root, 'package.json'), '{"type":"module"}');
    const agent = fakeAgent(place, { name: 'agent-binary' });
    expect((await launch(place, {}, agent)).argv).toContain('--verbose');
  });

  test('[OPT-13] executable chooses what runs a script', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place);
    mkdirSync(join(place.root, 'bin'));
    symlinkSync(process.execPath, join(place.root, 'bin/bun'));
    const PATH = join(place.root, 'bin');
    const { env } = await launch(place, { executable: 'bun', env: { PATH } }, agent);
    expect(env.PATH).toBe(PATH);
    const failing = launch(place, { executable: 'deno', env: { PATH } }, agent);
    await expect(failing).rejects.toMatchObject({ code: 'cli_not_found' });
  });

  test('[ERR-01] an agent that is not there', async () => {
    const place = await makePlace();
    const missing = join(place.root, 'no-such-agent');
    await expect(launch(place, { pathToClaudeCodeExecutable: missing })).rejects.toMatchObject({
      name: 'CliNotFoundError',
      code: 'cli_not_found',
      message: expect.stringContaining(missing),
    });
    await expect(launch(place, { pathToClaudeCodeExecutable: `${missing}.js` })).rejects.toMatchObject({
      name: 'CliNotFoundError',
      message: expect.stringContaining(`${missing}.js`),
    });
  });

  test('[ERR-02] an agent that cannot be run', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, { name: 'agent-binary' });
    chmodSync(agent.path, 0o600);
    await expect(launch(place, {}, agent)).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  test('[ERR-02] a working directory that is not there is named', async () => {
    const place = await makePlace();
    const cwd = join(place.root, 'nowhere');
    await expect(launch(place, { cwd })).rejects.toMatchObject({
      code: expect.stringMatching(/connection_failed|invalid_option/),
      message: expect.stringContaining(cwd),
    });
  });
});

describe('lines', () => {
  const kinds = async (run: AsyncIterable<unknown>) => {
    const seen: string[] = [];
    for await (const message of run) seen.push((message as Line).type);
    return seen;
  };

  test('[K40, QRY-06, ERR-05] a line that is no JSON goes to onError, and the stream goes on', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, { onUser: `say('half {"a":'); say('[1, 2]'); result('after');` });
    const errors: string[] = [];
    const onError: Options['onError'] = ({ code }) => errors.push(code);
    const given: Options = { pathToClaudeCodeExecutable: agent.path, onError };
    expect(await kinds(sdk.query({ prompt: 'x', options: given }))).toEqual(['result']);
    expect(errors).toEqual(['json_decode', 'message_parse']);
  });

  test('[ERR-06, K40] so does a known type of the wrong shape; unknown types pass', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, {
      onUser: `say({ type: 'assistant' }); say({ type: 'novelty' }); result('after');`,
    });
    const errors: string[] = [];
    const given: Options = { pathToClaudeCodeExecutable: agent.path, onError: ({ code }) => errors.push(code) };
    expect(await kinds(sdk.query({ prompt: 'x', options: given }))).toEqual(['novelty', 'result']);
    expect(errors).toEqual(['message_parse']);
  });

  test('[K40, K2] a result that cannot be read still ends the input, or the run would wait for ever', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, { onUser: `say({ type: 'result' })` });
    const errors: string[] = [];
    const given: Options = { pathToClaudeCodeExecutable: agent.path, onError: ({ code }) => errors.push(code) };
    expect(await kinds(sdk.query({ prompt: 'x', options: given }))).toEqual([]);
    expect(errors).toEqual(['message_parse']);
  });

  test('[K40] without onError there is a warning on stderr', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, { onUser: `say('oops'); result('after');` });
    const code = `
      import { query } from ${JSON.stringify(join(ROOT, 'dist/index.js'))};
      const options = { pathToClaudeCodeExecutable: ${JSON.stringify(agent.path)} };
      for await (const { type } of query({ prompt: 'x', options })) console.log(type);`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(run.stdout).toBe('result\n');
    expect(run.stderr).toMatch(/[Ss]kipped a line/);
  });

  test('[K2] an agent that does not know end_input: its stdin is closed at the result', async () => {
    const place = await makePlace();
    const agent = fakeAgent(place, { onUser: `setTimeout(() => result('late'), 100)` });
    const { lines } = await launch(place, {}, agent);
    expect(lines.map(({ type }) => type)).toEqual(['control_request', 'user']);
  });

  test('[CTL-04, ERR-07] an agent that never answers initialize', async () => {
    const place = await makePlace();
    const agent = join(place.root, 'silent.mjs');
    writeFileSync(agent, 'setInterval(() => {}, 1000);');
    const given: Options = { pathToClaudeCodeExecutable: agent, initializeTimeoutMs: 200 };
    await expect(kinds(sdk.query({ prompt: 'x', options: given }))).rejects.toMatchObject({
      name: 'ControlTimeoutError',
      message: expect.stringContaining('initialize'),
    });
  });
});
