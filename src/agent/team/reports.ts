import { LEADER, RUNTIME, type TypedMessage } from './mail.ts';
import type { NewMail } from './mailbox.ts';
import type { Member } from './member.ts';

/**
 * The report for the leader about a state that a member has reached by itself; null when there is nothing to report.
 * Its id comes from the member's last turn, so it is safe to send it again.
 */
export function reportOf(member: Member, timestamp: string): { to: string; mail: NewMail } | null {
  const { name, state, trouble, turnId, color } = member;
  if (state === 'idle') {
    const message: TypedMessage = { type: 'idle_notification', from: name, timestamp, idleReason: 'available' };
    return { to: LEADER, mail: { id: `idle-${turnId}`, from: name, text: JSON.stringify(message), color } };
  }
  if (trouble === undefined) return null;
  const text = state === 'crashed' ? crashText(member, trouble) : stopText(member, trouble);
  return { to: LEADER, mail: { id: `end-${turnId}`, from: RUNTIME, text, summary: `${name} ${state}` } };
}

function crashText({ name, agentId }: Member, trouble: string): string {
  return `Teammate ${name} has crashed: ${trouble}
What it did is kept, and so is mail that it has not read. To have it go on, call Task with resume "${agentId}" and a \
prompt that says how; to do without it, go on with the others.`;
}

function stopText({ name, agentId }: Member, trouble: string): string {
  return `Teammate ${name} was stopped: ${trouble}
It does nothing more. Only if that was a mistake, call Task with resume "${agentId}" and a prompt.`;
}

/** The request that the leader gets once, when the input of the user has ended and the team has nothing left to do. */
export const SHUTDOWN_PROMPT = `The user has nothing more to say, all teammates are idle and no message is unread. \
Shut the team down now:
1. Ask every teammate that is left, with SendMessage, type "shutdown_request".
2. Wait for their answers, which come as messages. If one rejects, let it finish, then ask again.
3. When all have stopped, call TeamDelete.
4. Then give the user your final answer, with everything that the team has found.`;
