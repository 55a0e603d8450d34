import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Options, SDKMessage } from '../../src/sdk/index.ts';
import { sdk } from '../support/built.ts';
import { CLI } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { isAlive } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';

test('[B-109] a real agent is up before there is a prompt, and answers it in that same process', async () => {
  const place = await makePlace(() => 'fine');
  const pids: number[] = [];
  const options: Options = {
    cwd: place.cwd,
    env: place.env,
    pathToHeddleExecutable: CLI,
    spawnClaudeCodeProcess({ command, args, cwd, env, signal }) {
      const child = spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'inherit'] });
      pids.push(child.pid ?? -1);
      return child;
    },
  };
  const warm = await sdk.startup({ options });
  expect(pids.map(isAlive)).toEqual([true]);
  expect(place.api.requests).toEqual([]);
  const messages: SDKMessage[] = [];
  for await (const message of warm.query('What is here?')) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'fine' });
  expect(place.api.requests.map(conversationText)).toEqual([expect.stringContaining('What is here?')]);
  expect(pids).toHaveLength(1);
});
