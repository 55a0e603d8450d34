import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnswerLike, fail, toolUse } from '../../src/testing/index.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import type { Client, House } from '../host/support.ts';

/** How an event is brought about, and how to see whether what it is about has happened. */
export interface Scene {
  event: string;
  script: readonly AnswerLike[];
  config?: RunConfig;
  env?: Record<string, string>;
  /** What the host says when it is asked. */
  hostSays?: 'allow' | 'deny';
  /** Default: two prompts. */
  play?: (client: Client, house: House) => Promise<void>;
  /** Default: nothing of the kind can be seen. */
  happened?: (house: House, client: Client) => boolean;
}

const touch = toolUse('Bash', { command: 'touch canary' });
/** What the column `input` has run in its place. */
export const OTHER_INPUT = { command: 'touch other' };
const BYPASS = { permissionMode: 'bypassPermissions' } as const;

const ranAny = ({ dir }: House) => existsSync(join(dir, 'canary')) || existsSync(join(dir, 'other'));
const CALL = { script: [touch, 'done', 'done'], happened: ranAny };
const TASKS = { env: { CLAUDE_CODE_ENABLE_TASKS: '1' } };
const create = toolUse('TaskCreate', { subject: 'one', description: 'do one' });

export const SCENES: Readonly<Record<string, Scene>> = {
  PreToolUse: { ...CALL, event: 'PreToolUse', config: BYPASS },
  'PreToolUse, asking': { ...CALL, event: 'PreToolUse', hostSays: 'deny' },
  PermissionRequest: { ...CALL, event: 'PermissionRequest' },
  PermissionDenied: { ...CALL, event: 'PermissionDenied', config: { disallowedTools: ['Bash(touch:*)'] } },
  PostToolUse: { ...CALL, event: 'PostToolUse', config: BYPASS },
  PostToolUseFailure: {
    event: 'PostToolUseFailure',
    script: [toolUse('Bash', { command: 'exit 3' }), 'done', 'done'],
    config: BYPASS,
  },
  PostToolBatch: { ...CALL, event: 'PostToolBatch', config: BYPASS },
  UserPromptSubmit: {
    event: 'UserPromptSubmit',
    script: ['done', 'done'],
    happened: ({ model }) => model.requests.length > 0,
  },
  SessionStart: {
    event: 'SessionStart',
    script: ['done', 'done'],
    happened: ({ model }) => JSON.stringify(model.requests[0]?.messages).includes('first prompt'),
  },
  SessionEnd: {
    event: 'SessionEnd',
    script: ['done'],
    async play(client) {
      await client.ask('first prompt');
      // As the SDK does it: no more input, but callbacks are still answered.
      await client.control({ subtype: 'end_input' });
      await client.until(() => false).catch(() => {}); // until the session has ended
    },
  },
  Stop: {
    event: 'Stop',
    script: Array.from({ length: 60 }, () => 'done'),
    happened: ({ model }) => model.requests.length === 2,
  },
  StopFailure: { event: 'StopFailure', script: [fail(400, 'invalid_request_error', 'no'), 'done'] },
  PreCompact: compaction('PreCompact'),
  PostCompact: compaction('PostCompact'),
  Notification: {
    ...CALL,
    event: 'Notification',
    async play(client) {
      await client.ask('first prompt');
      await client.until(() => client.of('system/hook_response').length > 0); // nothing waits for it
      await client.ask('second prompt');
    },
  },
  ConfigChange: {
    event: 'ConfigChange',
    script: ['done', touch, 'done', 'done'],
    config: BYPASS,
    async play(client, { dir }) {
      await client.ask('first prompt');
      const home = join(dir, '..', '.heddle');
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, 'settings.json'), '{"permissions":{"deny":["Bash(touch:*)"]}}');
      await client.ask('second prompt');
      await client.ask('third prompt');
    },
    happened: ({ dir }) => !existsSync(join(dir, 'canary')),
  },
  CwdChanged: {
    event: 'CwdChanged',
    script: [toolUse('Bash', { command: 'mkdir sub; cd sub' }), 'done', 'done'],
    config: BYPASS,
  },
  TaskCreated: {
    ...TASKS,
    event: 'TaskCreated',
    script: [create, 'done', 'done'],
    happened: ({ model }) => !toldWith(model.requests[1], /was not created/),
  },
  TaskCompleted: {
    ...TASKS,
    event: 'TaskCompleted',
    script: [create, toolUse('TaskUpdate', { taskId: '1', status: 'completed' }), 'done', 'done'],
    happened: ({ model }) => !toldWith(model.requests[2], /is not completed/),
  },
};

function compaction(event: string): Scene {
  return {
    event,
    script: ['done', 'a summary', 'done', 'done'],
    async play(client) {
      await client.ask('first prompt');
      await client.ask('/compact');
      await client.ask('second prompt');
    },
    happened: (_house, client) => client.of('system/compact_boundary').length > 0,
  };
}

function toldWith(request: { messages: unknown } | undefined, words: RegExp): boolean {
  return words.test(JSON.stringify(request?.messages ?? null));
}
