import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Query, SDKUserMessage } from '../../../src/sdk/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import type { InteropCase } from '../case.ts';
import { bash, next, nextResult, user } from '../talk.ts';

const only = '0.3.325';

/** Methods that the SDK has had since 0.3 and ours has under other names or not at all. */
type LaterQuery = Query & {
  readFile(path: string): Promise<{ contents: string; absPath: string } | null>;
  reloadOutputStyles(): Promise<unknown>;
  reinitialize(): Promise<{ commands: unknown[] }>;
  updateSettings(source: 'localSettings' | 'userSettings', settings: object): Promise<void>;
};

/** What a query has learned since 0.3. */
export const laterControlCases: InteropCase[] = [
  {
    id: 'flag-settings',
    title: 'applyFlagSettings() changes the rules of a running session',
    only,
    script: [bash('touch a'), 'Done.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      await run.applyFlagSettings({ permissions: { allow: ['Bash(touch:*)'] } });
      input.push(user('go'));
      assert.deepEqual((await nextResult(run)).permission_denials, []);
      input.end();
    },
  },
  {
    id: 'update-settings',
    title: 'updateSettings() writes to the settings of the user',
    only,
    async run({ start, home }) {
      const run = start(new Channel<SDKUserMessage>()) as LaterQuery;
      await run.updateSettings('userSettings', { model: 'haiku' });
      assert.equal(JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')).model, 'haiku');
    },
  },
  {
    id: 'supported-agents',
    title: 'supportedAgents() is a list',
    only,
    async run({ start }) {
      assert(Array.isArray(await start(new Channel<SDKUserMessage>()).supportedAgents()));
    },
  },
  {
    id: 'context-usage',
    title: 'getContextUsage() says what fills the context window',
    only,
    script: ['Hello.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      input.push(user('hi'));
      await nextResult(run);
      const { totalTokens = 0, maxTokens = 0, categories } = await run.getContextUsage();
      assert(totalTokens > 0 && maxTokens >= totalTokens);
      assert(categories.every(({ name, tokens }) => name.length > 0 && tokens >= 0));
      input.end();
    },
  },
  {
    id: 'read-file',
    title: 'readFile() reads a file of the working directory, and nothing that may not be read',
    only,
    async run({ start, cwd }) {
      writeFileSync(join(cwd, 'notes.txt'), 'a note\n');
      const run = start(new Channel<SDKUserMessage>()) as LaterQuery;
      assert.equal((await run.readFile('notes.txt'))?.contents, 'a note\n');
      assert.equal(await run.readFile('missing.txt').catch(() => null), null);
    },
  },
  {
    id: 'reload-output-styles',
    title: 'reloadOutputStyles() answers',
    only,
    async run({ start }) {
      assert(await (start(new Channel<SDKUserMessage>()) as LaterQuery).reloadOutputStyles());
    },
  },
  {
    id: 'interrupt-receipt',
    title: 'interrupt() resolves with the messages that still wait',
    only,
    script: [bash('sleep 30'), 'Next.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { allowedTools: ['Bash'] });
      input.push(user('go'));
      await next(run, ({ type }) => type === 'assistant');
      const uuid = randomUUID();
      input.push(user('later', { uuid }));
      await run.supportedCommands(); // the lines are read in order, but only once they are written
      const receipt = (await run.interrupt()) as unknown as { still_queued: string[] };
      assert.deepEqual(receipt.still_queued, [uuid]);
      await nextResult(run);
      assert.equal((await nextResult(run)).result, 'Next.');
      input.end();
    },
  },
  {
    id: 'managed-settings',
    title: 'managedSettings can only forbid, and are above all others',
    only,
    script: [bash('mkdir made'), 'I may not.'],
    async run({ resultOf, cwd }) {
      await resultOf('go', { allowedTools: ['Bash'], managedSettings: { permissions: { deny: ['Bash(mkdir:*)'] } } });
      assert(!existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'session-title',
    title: 'title names the session for listSessions()',
    only,
    script: ['Hello.'],
    async run({ resultOf, sdk, cwd }) {
      await resultOf('hi', { title: 'About looms' });
      const [session] = await sdk.listSessions({ dir: cwd });
      assert.equal(session?.customTitle, 'About looms');
    },
  },
];
