import { Aborted, abortReason, raceAbort } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import { type Mail, promptOf, RUNTIME, shutdownRequestOf } from './mail.ts';
import type { Mailbox } from './mailbox.ts';
import type { Member } from './member.ts';
import { reportOf } from './reports.ts';
import type { Roster } from './roster.ts';
import { hasEnded } from './states.ts';
import { createWakeupSignal } from './wakeup-signal.ts';

/** The services that a team needs from the runtime. */
export interface TeamRuntimePort {
  /**
   * Runs one turn of a member on this prompt. `onRecorded` is awaited when the prompt is on disk in its transcript.
   * Resolves with the last text when the turn is over; rejects when it crashed (Aborted: stopped).
   */
  runTurn(
    member: Member,
    prompt: string,
    how: { onRecorded(): Promise<void>; signal: AbortSignal },
  ): Promise<{ text: string }>;
  /** Called when the leader has unread mail, so that a turn begins within 500 ms, or when a member has left. */
  wakeLeader(): void;
  /** Fires the TeammateIdle hook. Null, or the reason why the member must continue. */
  onIdle(member: Member): Promise<string | null>;
  /** Called when a member runs no more turns, unless it is resumed. Never rejects. */
  onGone(name: string): Promise<void>;
  /**
   * The ids of the mails in the recorded prompts of a member, or of the leader (null): `messageIdsIn` of each. Called
   * when a team is restored or a member is resumed, so that these mails are not delivered again.
   */
  seenIds(member: Member | null): Promise<Iterable<string>>;
  runtime: Runtime;
}

export interface LoopParts {
  roster: Roster;
  mailbox: Mailbox;
  port: TeamRuntimePort;
  /** True when the team ends with its process: the files then stay as they are for a restore. */
  isClosed(): boolean;
}

/**
 * Runs a teammate from its first mail to its end: all unread mail together becomes a turn; without mail the teammate
 * reports that it is idle and waits. Ends when the teammate leaves or crashes, or when `signal` aborts. Never rejects.
 */
export async function runMember(name: string, parts: LoopParts, signal: AbortSignal): Promise<void> {
  const { roster, mailbox } = parts;
  const wakeup = createWakeupSignal();
  const stopListening = mailbox.onMail(name, wakeup.ring);
  try {
    while (!hasEnded(roster.get(name).state)) {
      wakeup.hush();
      const mails = await mailbox.unread(name);
      if (signal.aborted) throw abortReason(signal);
      if (mails.length > 0) await takeTurn(name, mails, parts, signal);
      else if (roster.get(name).state === 'leaving') await leave(name, parts);
      else if (await rest(name, parts, signal)) await wakeup.wait(signal);
    }
  } catch (error) {
    await endMember(name, signal.aborted ? abortReason(signal) : error, parts);
  } finally {
    stopListening();
    await parts.port.onGone(name);
  }
}

async function takeTurn(
  name: string,
  mails: readonly Mail[],
  { roster, mailbox, port }: LoopParts,
  signal: AbortSignal,
): Promise<void> {
  const { state, requests: open } = roster.get(name);
  const requests = [...open, ...mails.map(shutdownRequestOf).filter((id) => id !== null)];
  const isAsked = requests.length > 0 && state !== 'leaving';
  // On disk before the turn begins, so that `idle` in the file means that no turn was cut off.
  await roster.move(name, isAsked ? 'asked' : 'turn', { turnId: port.runtime.ids.uuid(), requests });
  let isRecorded = false;
  const onRecorded = async () => {
    if (isRecorded) return;
    await mailbox.acknowledge(
      name,
      mails.map(({ id }) => id),
    );
    isRecorded = true;
  };
  await port.runTurn(roster.get(name), promptOf(mails), { onRecorded, signal });
  await onRecorded(); // a turn that is over was recorded, even if the port did not report it
}

/** Sends no mail, but a caller that waits for the end of the team has to look again. */
async function leave(name: string, { roster, port }: LoopParts): Promise<void> {
  await roster.move(name, 'left');
  port.wakeLeader();
}

/**
 * Called after a turn without further mail. False when the member has to look again, because a hook made it continue.
 */
async function rest(name: string, { roster, mailbox, port }: LoopParts, signal: AbortSignal): Promise<boolean> {
  const member = roster.get(name);
  if (member.state !== 'working' && member.state !== 'asked') return true;
  const objection = await raceAbort(port.onIdle(member), signal);
  if (objection !== null) {
    await mailbox.post(name, { from: RUNTIME, text: objection, summary: 'You are not done yet' });
    return false;
  }
  await roster.move(name, 'done');
  await reportState(name, { roster, mailbox, port });
  return true;
}

/** Records that a member has ended, and reports it to the leader. Never rejects. */
export async function endMember(name: string, error: unknown, parts: LoopParts): Promise<void> {
  const { roster, port } = parts;
  if (parts.isClosed()) return;
  try {
    const event = error instanceof Aborted ? 'aborted' : 'crashed';
    await roster.move(name, event, { trouble: messageOf(error) });
    await reportState(name, parts);
  } catch (cause) {
    port.runtime.log('error', `Teammate ${name} has ended, which cannot be written down: ${messageOf(cause)}`);
  }
}

/** Reports the member's state to the leader. A second report about the same turn has no effect. */
export async function reportState(
  name: string,
  { roster, mailbox, port }: Pick<LoopParts, 'roster' | 'mailbox' | 'port'>,
): Promise<void> {
  const report = reportOf(roster.get(name), new Date(port.runtime.clock.now()).toISOString());
  if (report !== null) await mailbox.post(report.to, report.mail);
}
