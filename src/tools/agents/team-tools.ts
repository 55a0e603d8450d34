import { type InputOf, objectInput, optional, string } from '../input-schema.ts';
import type { Tool } from '../tool.ts';
import { sendMessageTool, teamOf } from './send-message.ts';

const newTeam = objectInput({
  team_name: string('Letters, digits, _ and -'),
  description: optional(string('What the team is for')),
  agent_type: optional(string('Your own role in it')),
});

export const teamCreateTool: Tool<InputOf<typeof newTeam>> = {
  name: 'TeamCreate',
  description: `Starts a team that you lead, for work that several agents do side by side and talk about.

- Then start each teammate with Task, with team_name and a name of its own. It works, tells you when it is idle, and waits for messages.
- Messages to you come by themselves, as new turns: end your turn instead of waiting.
- When the work is done, ask every teammate to shut down (SendMessage), then call TeamDelete.
- One team at a time. For one task whose result is all you need, Task alone is enough.`,
  input: newTeam,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run({ team_name: name, agent_type, ...rest }, { service }) {
    const agentType = agent_type === undefined ? {} : { agentType: agent_type };
    const data = await teamOf(service).create({ name, ...rest, ...agentType });
    return { content: [{ type: 'text', text: JSON.stringify(data) }], data };
  },
};

const nothing = objectInput({});

export const teamDeleteTool: Tool<InputOf<typeof nothing>> = {
  name: 'TeamDelete',
  description: `Removes the team that you lead, with its messages.

Refused while a teammate is still in it, also an idle one: ask each to shut down with SendMessage and wait for the answers.`,
  input: nothing,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(_input, { service, signal }) {
    const data = await teamOf(service).delete(signal);
    return { content: [{ type: 'text', text: JSON.stringify(data) }], data };
  },
};

/** The tools of a team's leader in addition to Task, in the order in which requests list them (wire.md 9.4). */
export const teamTools: readonly Tool[] = [teamCreateTool, teamDeleteTool, sendMessageTool] as unknown as Tool[];
