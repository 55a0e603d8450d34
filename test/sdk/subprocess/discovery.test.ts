import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Options, query } from '../../../src/sdk/index.ts';
import { warnIfOld } from '../../../src/sdk/subprocess/check-version.ts';
import { commandLine, findCli } from '../../../src/sdk/subprocess/command-line.ts';
import { checkVersion } from '../../../src/sdk/subprocess/subprocess.ts';
import { eventually } from '../../support/processes.ts';
import { RESULT } from '../../support/scripted-agent.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'heddle-discovery-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function program(path: string, source = '#!/bin/sh\n', mode = 0o755): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source, { mode });
  return file;
}

/** Looks in a world of its own: `bundled` in the package, `bin` on the PATH. */
const find = () =>
  findCli({
    bundled: [join(base, 'package/cli.js')],
    env: { PATH: [join(base, 'empty'), join(base, 'bin')].join(delimiter) },
    home: join(base, 'home'),
  });

describe('where the agent is', () => {
  test.each(['pathToHeddleExecutable', 'pathToClaudeCodeExecutable'] as const)(
    '[DSC-01, OPT-42, OPT-24] %s wins over everything',
    (name) => {
      const options: Options = { [name]: '/somewhere/agent' };
      expect(commandLine(options, { config: { verbose: true } })).toEqual({
        command: '/somewhere/agent',
        args: ['--verbose'],
      });
    },
  );

  test('[DSC-02] then the one of this package, whatever is on the PATH', () => {
    program('bin/heddle');
    const path = program('package/cli.js');
    expect(find()).toEqual({ path, isOurs: true });
  });

  test('[DSC-03] then the PATH, where only programs count', () => {
    program('empty/heddle', '', 0o644);
    program('home/.local/bin/heddle');
    const path = program('bin/heddle');
    expect(find()).toEqual({ path, isOurs: false });
    expect(commandLine({}, { config: {} }).args[0]).toMatch(/heddle\.cjs$/);
  });

  test.each(['.npm-global/bin', '.local/bin', 'node_modules/.bin', '.yarn/bin', '.heddle/local'])(
    '[DSC-04] then %s in the home',
    (place) => {
      expect(find).toThrow(expect.objectContaining({ code: 'cli_not_found' }));
      const path = program(`home/${place}/heddle`);
      expect(find()).toEqual({ path, isOurs: false });
    },
  );

  test('[ERR-01] nowhere: the error says where it looked and what to do', () => {
    expect(find).toThrow(/^Heddle not found: .*package\/cli\.js .*pathToHeddleExecutable/);
  });

  test('[ERR-01, P10] a script that is not there is told before anything is started', () => {
    const path = join(base, 'nowhere.mjs');
    const run = (options: Options) => () => commandLine(options, { config: {} });
    expect(run({ pathToHeddleExecutable: path })).toThrow(`Heddle not found: ${path} (correct options.pathTo`);
    expect(run({ pathToClaudeCodeExecutable: path })).toThrow(`Claude Code not found: ${path}`);
  });

  test('[OPT-13] a script runs on what runs this program, or on what is chosen', () => {
    const path = program('agent.mjs');
    const run = (options: Options) => commandLine({ pathToHeddleExecutable: path, ...options }, { config: {} });
    expect(run({})).toEqual({ command: process.execPath, args: [path] });
    expect(run({ executable: 'node' })).toEqual({ command: process.execPath, args: [path] });
    expect(run({ executable: 'bun', executableArgs: ['--smol'] })).toEqual({ command: 'bun', args: ['--smol', path] });
    expect(run({ executable: 'deno' })).toEqual({ command: 'deno', args: [path] });
  });
});

describe('its version', () => {
  /** Runs what it is given and collects the warnings of this process. */
  function warnings(): string[] {
    const told: string[] = [];
    const listen = ({ name, message }: Error) => {
      if (name === 'HeddleWarning') told.push(message);
    };
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    return told;
  }

  const asked = () => promisify(execFile)('cat', [join(base, 'asked')]).then(({ stdout }) => stdout);
  const agent = (version: string) => program('agent', `#!/bin/sh\necho "$@" >> ${base}/asked\necho "${version}"\n`);

  test('[DSC-05] an agent that was found is asked for it; an old one is warned about', async () => {
    const told = warnings();
    checkVersion(agent('1.9.9 (Agent)'), [], {});
    await eventually(() => told.length > 0);
    expect(told).toEqual([expect.stringMatching(/version 1\.9\.9, and 2\.0\.0 is the oldest/)]);
    expect(await asked()).toBe('-v\n');
  });

  test('[DSC-05, DSC-06] one that was named by its path is believed when it says it, and not started twice', async () => {
    const told = warnings();
    const path = program(
      'agent.mjs',
      `import { appendFileSync } from 'node:fs';
       appendFileSync('${base}/asked', 'started ');
       const say = (line) => console.log(JSON.stringify(line));
       for (let turn = 0; turn < 2; turn++) say({ type: 'system', subtype: 'init', claude_code_version: '1.9.9' });
       say(${JSON.stringify(RESULT)});`,
    );
    const run = async (env: Options['env']) => {
      const options: Options = { pathToClaudeCodeExecutable: path, env: { ...process.env, ...env }, onError: () => {} };
      for await (const _message of query({ prompt: 'hi', options }));
    };
    await run({ CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '1' });
    await run({});
    await eventually(() => told.length > 0);
    expect(told).toHaveLength(1);
    expect(await asked()).toBe('started started ');
  });

  test.each(['2.0.0', '2.1.44 (Heddle 0.1.0)', '10.0.0', 'unknown'])('[DSC-05] %s is fine', async (version) => {
    const told = warnings();
    warnIfOld(version, {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
  });

  test('[DSC-06] it can be skipped: then nobody is asked', async () => {
    const told = warnings();
    const env = { CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '1' };
    checkVersion(agent('1.9.9'), [], env);
    warnIfOld('1.9.9', env);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(told).toEqual([]);
    await expect(asked()).rejects.toThrow();
  });
});
