import { boolean, type InputOf, objectInput, oneOf, optional, string } from '../input-schema.ts';
import { refusal, type Tool, type ToolContext } from '../tool.ts';
import { agentsPort } from './agents-port.ts';
import type { TeamMessage, TeamPort } from './team-port.ts';

const input = objectInput({
  type: oneOf(
    [
      'message',
      'broadcast',
      'shutdown_request',
      'shutdown_response',
      'plan_approval_request',
      'plan_approval_response',
    ],
    'What kind of message it is',
  ),
  recipient: optional(string('Name of the agent; team-lead for the leader, * for all')),
  content: optional(string('The text; for an answer, the reason')),
  summary: optional(string('The text in five to ten words')),
  approve: optional(boolean('For answers')),
  request_id: optional(string('For answers: which request is meant')),
});

type Input = InputOf<typeof input>;

export const sendMessageTool: Tool<Input> = {
  name: 'SendMessage',
  description: `Sends a message to another agent, which reads it with its next turn. What you merely write, others do not see.

- message: to one agent, by name. broadcast: to the whole team, rarely.
- shutdown_request (leader): asks a teammate to end. shutdown_response: its answer, approve true, or false with the reason in content.
- plan_approval_request: content is your plan. plan_approval_response (leader): the answer to it.`,
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(fields, { service }) {
    const data = await teamOf(service).send(toMessage(fields));
    return { content: [{ type: 'text', text: JSON.stringify(data) }], data };
  },
};

/** Throws when a field is missing that this kind of message needs. */
function toMessage({ type, recipient, content, summary, approve, request_id }: Input): TeamMessage {
  const need = <T>(value: T | undefined, field: string): T => value ?? missing(type, field);
  const about = summary === undefined ? {} : { summary };
  const words = content === undefined ? {} : { content };
  switch (type) {
    case 'message':
      return { type, recipient: need(recipient, 'recipient'), content: need(content, 'content'), ...about };
    case 'broadcast':
      return { type, content: need(content, 'content'), ...about };
    case 'shutdown_request':
      return { type, recipient: need(recipient, 'recipient'), ...words };
    case 'shutdown_response':
      return { type, approve: need(approve, 'approve'), ...words };
    case 'plan_approval_request':
      return { type, content: need(content, 'content') };
    case 'plan_approval_response': {
      const request = request_id === undefined ? {} : { request_id };
      const to = need(recipient, 'recipient');
      return { type, recipient: to, approve: need(approve, 'approve'), ...request, ...words };
    }
  }
}

function missing(type: string, field: string): never {
  throw refusal(`A ${type} needs ${field}.`);
}

/** The team port of the session. Without one the tools are not offered; a call is refused all the same. */
export function teamOf(service: ToolContext['service']): TeamPort {
  const { team } = service(agentsPort);
  if (team === undefined) throw refusal('There are no teams in this session.');
  return team;
}
