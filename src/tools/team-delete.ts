import { type InputOf, objectInput } from './input-schema.ts';
import { teamOf } from './team-of.ts';
import type { Tool } from './tool.ts';

const input = objectInput({});

export const teamDeleteTool: Tool<InputOf<typeof input>> = {
  name: 'TeamDelete',
  description: `Removes the team that you lead, with its messages.

Refused while a teammate is still in it, also an idle one: ask each to shut down with SendMessage and wait for the answers.`,
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(_input, { session, signal }) {
    const data = await teamOf(session).delete(signal);
    return { content: [{ type: 'text', text: JSON.stringify(data) }], data };
  },
};
