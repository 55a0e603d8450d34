import * as z from 'zod';
import type { Options, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { Channel } from '../../src/util/channel.ts';
import { sdk } from './built.ts';
import type { Line } from './lines.ts';
import type { Place } from './place.ts';

export const PROMPTS = ['a string', 'a stream that ends', 'a stream that stays open'] as const;
export type PromptKind = (typeof PROMPTS)[number];

/** Everything that calls back into a program: a hook, a permission and a tool of its own. `called` tells what was. */
export function callingProgram(callers: { main: string; agent: string }, matcher?: string) {
  const called: string[] = [];
  const note = sdk.tool('note', 'Takes a note', { text: z.string() }, async ({ text }) => {
    called.push(`tool: ${text}`);
    return { content: [{ type: 'text', text: 'noted' }] };
  });
  const noteCall = async (input: object) => {
    called.push(`hook: ${(input as { tool_name: string }).tool_name}`);
    return {};
  };
  const options: Options = {
    mcpServers: { own: sdk.createSdkMcpServer({ name: 'own', tools: [note] }) },
    allowedTools: ['mcp__own'],
    async canUseTool(name, input, { agentID }) {
      called.push(`asked: ${name} by ${agentID === undefined ? callers.main : callers.agent}`);
      return { behavior: 'allow', updatedInput: input };
    },
    hooks: { PreToolUse: [{ ...(matcher !== undefined && { matcher }), hooks: [noteCall] }] },
  };
  return { options, called };
}

/** Sends one prompt in the given form. A stream that stays open is ended when the program has what it wanted. */
export async function* askedAs(
  { kind, prompt }: { kind: PromptKind; prompt: string },
  { place, options, isEnough }: { place: Place; options: Options; isEnough(line: Line): boolean },
): AsyncGenerator<Line, void> {
  const input = new Channel<SDKUserMessage>();
  input.push({ type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null, session_id: '' });
  if (kind === 'a stream that ends') input.end();
  const run = sdk.query({
    prompt: kind === 'a string' ? prompt : input,
    options: { cwd: place.cwd, env: place.env, stderr: () => {}, ...options },
  });
  for await (const message of run as AsyncIterable<SDKMessage>) {
    const line = message as unknown as Line;
    yield line;
    if (isEnough(line)) input.end();
  }
}
