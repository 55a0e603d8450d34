import type { SendMessageOutput, TeamMessage } from '../../tools/agents/team-port.ts';
import { ToolError } from '../../tools/tool.ts';
import type { Runtime } from '../../util/runtime.ts';
import { LEADER, type MessageType, messageTypeOf, type TypedMessage } from './mail.ts';
import type { Mailbox } from './mailbox.ts';
import { LEADER_COLOR, type Member } from './member.ts';
import type { Roster } from './roster.ts';
import { hasEnded } from './states.ts';

export interface SendParts {
  roster: Roster;
  mailbox: Mailbox;
  runtime: Runtime;
}

/** The recipient that stands for all members. */
const ALL = '*';

/**
 * Sends a message of `sender` and resolves when it is on disk for every recipient. Throws for a message that cannot be
 * delivered, so that the sender never takes it for sent.
 */
export function sendMessage(sender: string, message: TeamMessage, parts: SendParts): Promise<SendMessageOutput> {
  switch (message.type) {
    case 'message':
      return sendWords(sender, message, parts);
    case 'broadcast':
      return sendWords(sender, { ...message, recipient: ALL }, parts);
    case 'shutdown_request':
      return askToShutDown(sender, message, parts);
    case 'shutdown_response':
      return answerShutdown(sender, message, parts);
    case 'plan_approval_request':
      return askForApproval(sender, message, parts);
    case 'plan_approval_response':
      return answerPlan(sender, message, parts);
  }
}

type Said<Type> = Extract<TeamMessage, { type: Type }>;
type Words = Pick<Said<'message'>, 'recipient' | 'content' | 'summary'>;

async function sendWords(sender: string, words: Words, parts: SendParts): Promise<SendMessageOutput> {
  const { recipient, content: text, summary } = words;
  const type = messageTypeOf(text);
  if (type !== null) throw new ToolError(`This text is a ${type}. Send it with that type, not as words.`);
  const targets = targetsOf(sender, recipient, parts.roster);
  await post(sender, targets, { text, ...(summary === undefined ? {} : { summary }) }, parts);
  return {
    success: true,
    message: `Message sent to ${targets.join(', ')}.`,
    routing: {
      sender,
      senderColor: colorOf(sender, parts.roster),
      target: targets.map((name) => `@${name}`).join(' '),
      ...(targets.length === 1 ? { targetColor: colorOf(targets[0] ?? '', parts.roster) } : {}),
      ...(summary === undefined ? {} : { summary }),
      content: text,
    },
  };
}

async function askToShutDown(
  sender: string,
  { recipient, content }: Said<'shutdown_request'>,
  parts: SendParts,
): Promise<SendMessageOutput> {
  if (sender !== LEADER) throw new ToolError(`Only ${LEADER} can ask others to shut down.`);
  const targets = targetsOf(sender, recipient, parts.roster);
  const requestId = parts.runtime.ids.uuid();
  const reason = content === undefined ? {} : { reason: content };
  await post(sender, targets, { text: typed('shutdown_request', sender, { requestId, ...reason }, parts) }, parts);
  const names = targets.join(', ');
  return {
    success: true,
    message: `${names} asked to shut down. The answer comes as a message; until then ${names} may be at work.`,
    request_id: requestId,
  };
}

async function answerShutdown(
  sender: string,
  { approve, content }: Said<'shutdown_response'>,
  parts: SendParts,
): Promise<SendMessageOutput> {
  const { roster } = parts;
  const member = roster.find(sender);
  if (member?.state !== 'asked')
    throw new ToolError('Nobody has asked you to shut down, or you have answered already.');
  if (!approve && !content) throw new ToolError('Say in content why you cannot shut down now.');
  const requestId = member.requests.at(-1) ?? '';
  const reason = content === undefined ? {} : { reason: content };
  const text = typed('shutdown_response', sender, { requestId, approve, ...reason }, parts);
  // The id comes from the turn, so that a second answer in the same turn counts as the same answer.
  await post(sender, [LEADER], { id: `answer-${member.turnId}`, text }, parts);
  if (roster.get(sender).state === 'asked')
    await roster.move(sender, approve ? 'approved' : 'rejected', { requests: [] });
  const next = approve ? 'You stop when this turn is over: say what is left to say, and end it.' : 'Go on.';
  return { success: true, message: `${LEADER} knows. ${next}`, request_id: requestId };
}

async function askForApproval(
  sender: string,
  { content: plan }: Said<'plan_approval_request'>,
  parts: SendParts,
): Promise<SendMessageOutput> {
  if (sender === LEADER) throw new ToolError('You lead the team: nobody approves your plans here.');
  const requestId = parts.runtime.ids.uuid();
  const text = typed('plan_approval_request', sender, { requestId, plan }, parts);
  await post(sender, [LEADER], { text }, parts);
  return { success: true, message: `${LEADER} has your plan. The answer comes as a message.`, request_id: requestId };
}

async function answerPlan(
  sender: string,
  { recipient, request_id, approve, content }: Said<'plan_approval_response'>,
  parts: SendParts,
): Promise<SendMessageOutput> {
  if (sender !== LEADER) throw new ToolError(`Only ${LEADER} can approve plans.`);
  if (recipient === ALL) throw new ToolError('Answer one teammate at a time.');
  const targets = targetsOf(sender, recipient, parts.roster);
  const details = {
    ...(request_id === undefined ? {} : { requestId: request_id }),
    approve,
    ...(content === undefined ? {} : { reason: content }),
  };
  await post(sender, targets, { text: typed('plan_approval_response', sender, details, parts) }, parts);
  return { success: true, message: `${recipient} knows that its plan is ${approve ? 'approved' : 'rejected'}.` };
}

/**
 * The recipients of a message. The check and the posts happen without an await between them, so that a teammate that
 * agrees to leave afterwards still reads the mail.
 */
function targetsOf(sender: string, recipient: string, roster: Roster): string[] {
  if (recipient === sender) throw new ToolError('That is you.');
  const { members } = roster.record();
  const reachable = members.filter(({ state }) => !hasEnded(state) && state !== 'leaving').map(({ name }) => name);
  if (recipient === ALL) {
    const all = [LEADER, ...reachable].filter((name) => name !== sender);
    if (all.length === 0) throw new ToolError('There is nobody else in the team who could read it.');
    return all;
  }
  if (recipient === LEADER || reachable.includes(recipient)) return [recipient];
  const member = roster.find(recipient);
  throw new ToolError(member === undefined ? unknownText(recipient, members) : unreachableText(member));
}

async function post(
  from: string,
  targets: readonly string[],
  mail: { id?: string; text: string; summary?: string },
  { roster, mailbox }: SendParts,
): Promise<void> {
  const color = colorOf(from, roster);
  // Mail for a member that has just joined is delivered only when the member itself is on disk.
  await Promise.all([...targets.map((to) => mailbox.post(to, { ...mail, from, color })), roster.saved()]);
}

function typed(
  type: MessageType,
  from: string,
  details: Partial<TypedMessage>,
  { runtime }: Pick<SendParts, 'runtime'>,
): string {
  const message: TypedMessage = { type, from, timestamp: new Date(runtime.clock.now()).toISOString(), ...details };
  return JSON.stringify(message);
}

function colorOf(name: string, roster: Roster): string {
  return roster.find(name)?.color ?? LEADER_COLOR;
}

function unknownText(name: string, members: readonly Member[]): string {
  const names = [LEADER, ...members.map((each) => each.name)];
  return `There is no teammate ${JSON.stringify(name)}. The team: ${names.join(', ')}.`;
}

function unreachableText({ name, state, agentId }: Member): string {
  if (state === 'leaving') return `${name} has agreed to shut down and takes no more messages.`;
  return `${name} has ${state}. To have it go on, call Task with resume "${agentId}" and a prompt.`;
}
