import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpawnProcess } from '../../../src/sdk/index.ts';
import { reply, text } from '../../../src/testing/index.ts';
import { descendantsOf, eventually, isAlive } from '../../support/processes.ts';
import type { InteropCase } from '../case.ts';
import { bash, drain, initOf, namesOf, toolText } from '../talk.ts';

/** The process of the agent: where it runs, what it sees, which settings it reads, how it ends. */
export const processCases: InteropCase[] = [
  {
    id: 'cwd',
    title: 'cwd is where the agent works',
    script: [bash('pwd'), 'Done.'],
    async run({ ask, cwd }) {
      const inner = join(cwd, 'inner');
      mkdirSync(inner);
      const lines = await ask('go', { cwd: inner, allowedTools: ['Bash'] });
      assert.equal(initOf(lines).cwd, inner);
      assert.equal(toolText(lines).trim(), inner);
    },
  },
  {
    id: 'env',
    title: 'env is the environment of the agent and of its commands, without the key',
    script: [bash('echo "colour=$COLOUR key=$ANTHROPIC_API_KEY"'), 'Done.'],
    async run({ ask, env }) {
      const lines = await ask('go', { env: { ...env, COLOUR: 'blue' }, allowedTools: ['Bash'] });
      assert.match(toolText(lines), /colour=blue key=\s*$/);
    },
  },
  {
    id: 'stderr',
    title: 'stderr gets what the agent writes there',
    script: ['Hello.'],
    async run({ ask }) {
      const heard: string[] = [];
      await ask('hi', { extraArgs: { 'no-chrome': null }, stderr: (data) => void heard.push(data) });
      assert.match(heard.join(''), /--no-chrome/);
    },
  },
  {
    id: 'debug-file',
    title: 'debugFile is written',
    script: ['Hello.'],
    async run({ ask, cwd }) {
      const debugFile = join(cwd, 'debug.log');
      await ask('hi', { debugFile });
      assert(existsSync(debugFile));
    },
  },
  {
    id: 'executable',
    title: 'executable and executableArgs choose the runtime',
    script: ['Hello.'],
    async run({ resultOf }) {
      const result = await resultOf('hi', { executable: 'node', executableArgs: ['--no-warnings'] });
      assert.equal(result.result, 'Hello.');
    },
  },
  {
    id: 'executable-itself',
    title: 'the command line runs when it is started without a runtime',
    script: ['Hello.'],
    async run({ resultOf, cli }) {
      const spawnClaudeCodeProcess: SpawnProcess = ({ args, cwd, env, signal }) =>
        spawn(cli, args.slice(args.indexOf(cli) + 1), { cwd, env, signal, stdio: ['pipe', 'pipe', 'ignore'] });
      assert.equal((await resultOf('hi', { spawnClaudeCodeProcess })).result, 'Hello.');
    },
  },
  {
    id: 'spawn-override',
    title: 'spawnClaudeCodeProcess starts the process in place of the SDK',
    script: ['Hello.'],
    async run({ resultOf }) {
      const commands: string[] = [];
      const spawnClaudeCodeProcess: SpawnProcess = ({ command, args, cwd, env, signal }) => {
        commands.push(command);
        return spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'ignore'] });
      };
      assert.equal((await resultOf('hi', { spawnClaudeCodeProcess })).result, 'Hello.');
      assert.equal(commands.length, 1);
    },
  },
  {
    id: 'abort',
    title: 'abortController ends the run with AbortError, and no process is left',
    script: [bash('sleep 30')],
    async run({ start, sdk, api }) {
      const abortController = new AbortController();
      const before = new Set(descendantsOf(process.pid));
      const run = start('go', { abortController, allowedTools: ['Bash'] });
      await eventually(() => api.requests.length === 1, 10_000);
      const ours = descendantsOf(process.pid).filter((pid) => !before.has(pid));
      setTimeout(() => abortController.abort(), 100);
      await assert.rejects(drain(run), sdk.AbortError);
      await eventually(() => ours.every((pid) => !isAlive(pid)), 8000);
    },
  },
  {
    id: 'break',
    title: 'a host that breaks out of the loop leaves no process, at the latest when the answer is over',
    script: [reply([text(...'A long answer.')], { deltaMs: 50 })],
    async run({ start }) {
      const before = new Set(descendantsOf(process.pid));
      for await (const message of start('go', { includePartialMessages: true })) {
        if (message.type === 'stream_event') break;
      }
      const mine = () => descendantsOf(process.pid).filter((pid) => !before.has(pid) && isAlive(pid));
      await eventually(() => mine().length === 0, 8000);
    },
  },
  {
    id: 'settings-object',
    title: 'settings are stronger than files',
    only: '0.3.325',
    script: [bash('mkdir made'), 'Done.'],
    async run({ resultOf, cwd }) {
      await resultOf('go', { settings: { permissions: { allow: ['Bash(mkdir:*)'] } } });
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'settings-extra-arg',
    title: 'settings as a flag of extraArgs',
    script: [bash('mkdir made'), 'Done.'],
    async run({ resultOf, cwd }) {
      const settings = JSON.stringify({ permissions: { allow: ['Bash(mkdir:*)'] } });
      await resultOf('go', { extraArgs: { settings } });
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'settings-none',
    title: 'no settings are read when there are no sources',
    script: [bash('mkdir made'), 'I may not.'],
    async run({ resultOf, home, cwd }) {
      settingsFile(home, { permissions: { allow: ['Bash(mkdir:*)'] } });
      const result = await resultOf('go', { settingSources: [] });
      assert.deepEqual(namesOf(result.permission_denials), ['Bash']);
      assert(!existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'settings-user',
    title: 'the source user reads the settings of the config home',
    script: [bash('mkdir made'), 'Done.'],
    async run({ resultOf, home, cwd }) {
      settingsFile(home, { permissions: { allow: ['Bash(mkdir:*)'] } });
      await resultOf('go', { settingSources: ['user'] });
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'settings-project',
    title: 'the source project reads the settings of the project: the host vouches for it',
    script: [bash('mkdir made'), 'Done.'],
    async run({ resultOf, cwd }) {
      settingsFile(join(cwd, '.claude'), { permissions: { allow: ['Bash(mkdir:*)'] } });
      await resultOf('go', { settingSources: ['project'] });
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'startup',
    title: 'startup() has the process ready before the prompt is known',
    only: '0.3.325',
    script: ['Hello.'],
    async run({ sdk, options }) {
      const warm = await sdk.startup({ options: options() });
      const run = warm.query('hi');
      let result: unknown;
      for await (const message of run) if (message.type === 'result') result = message;
      assert.equal((result as { result: string }).result, 'Hello.');
    },
  },
];

function settingsFile(folder: string, settings: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
}
