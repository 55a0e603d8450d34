import * as z from 'zod';
import type { HookEvent, Options, Query, SDKUserMessage } from '../../src/sdk/index.ts';
import { sdk } from '../support/built.ts';

/** What the program did whose dialog with the agent was recorded. */
export interface Program {
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
  /** Done with each message, as it comes. */
  onMessage?: (message: { type: string }, query: Query) => void;
}

/** Fresh for each run: servers and streams are used up. */
export const programs: Record<string, () => Program> = {
  'sdk-hello': () => ({ prompt: 'hi @scenario:hello' }),
  'sdk-stream': () => ({ prompt: messages('one @scenario:hello', 'two @scenario:pieces') }),
  'sdk-canuse': () => ({
    prompt: 'hi @scenario:wwrite',
    options: { canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }) },
  }),
  'sdk-candeny': () => ({
    prompt: 'hi @scenario:wwrite',
    options: { canUseTool: async () => ({ behavior: 'deny', message: 'no' }) },
  }),
  'sdk-canthrow': () => ({
    prompt: 'hi @scenario:wwrite',
    options: {
      canUseTool: async () => {
        throw new Error('broken');
      },
    },
  }),
  'sdk-hooks': () => ({ prompt: 'hi @scenario:wread', options: { hooks: silentHooks() } }),
  'sdk-mcp': () => ({
    prompt: 'hi @scenario:wmcp',
    options: { mcpServers: { calc: calculator() }, allowedTools: ['mcp__calc__add'] },
  }),
  'sdk-mcperr': () => ({
    prompt: 'hi @scenario:wmcperr',
    options: { mcpServers: { calc: calculator() }, allowedTools: ['mcp__calc__boom'] },
  }),
  // Of the recorded program another request never reached the agent: its input had ended (ruling K2).
  'sdk-mcpdyn': () => ({
    prompt: messages('one @scenario:hello', 'two @scenario:wmcp'),
    options: { allowedTools: ['mcp__calc__add'] },
  }),
  'sdk-interrupt': () => ({
    prompt: messages('one @scenario:slow', 'two @scenario:hello'),
    options: { includePartialMessages: true },
  }),
  'sdk-schema': () => ({
    prompt: 'hi @scenario:wschema',
    options: { outputFormat: { type: 'json_schema', schema: SCHEMA } },
  }),
  'sdk-abort': () => {
    const abortController = new AbortController();
    return {
      prompt: 'one @scenario:slow',
      options: { includePartialMessages: true, abortController },
      onMessage(message) {
        if (JSON.stringify(message).includes('tick0')) abortController.abort();
      },
    };
  },
};

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, n: { type: 'number' } },
  required: ['name', 'n'],
  additionalProperties: false,
};

const EVENTS: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PermissionRequest',
];

function silentHooks(): NonNullable<Options['hooks']> {
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [async () => ({})] }]]));
}

function calculator() {
  const add = sdk.tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const boom = sdk.tool('boom', 'Fails', {}, async () => {
    throw new Error('kaboom');
  });
  return sdk.createSdkMcpServer({ name: 'calc', tools: [add, boom] });
}

async function* messages(...texts: string[]): AsyncGenerator<SDKUserMessage, void> {
  for (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
  }
}
