import { Aborted, abortReason, raceAbort } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import { createBell } from './bell.ts';
import { type Mail, promptOf, RUNTIME, shutdownRequestOf } from './mail.ts';
import type { Mailbox } from './mailbox.ts';
import type { Member } from './member.ts';
import { reportOf } from './reports.ts';
import type { Roster } from './roster.ts';
import { hasEnded } from './states.ts';

/** What a team needs of the runtime around it. */
export interface TeamSeams {
  /**
   * Runs one turn of a member on this prompt. `onRecorded` is awaited when the prompt is on disk in its transcript.
   * Resolves with the last text when the turn is over; rejects when it crashed (Aborted: stopped).
   */
  runTurn(
    member: Member,
    prompt: string,
    how: { onRecorded(): Promise<void>; signal: AbortSignal },
  ): Promise<{ text: string }>;
  /** There is unread mail for the leader: a turn should begin within 500 ms. Or somebody has left. */
  wakeLeader(): void;
  /** Hook TeammateIdle: null, or the reason why the member must go on. */
  onIdle(member: Member): Promise<string | null>;
  /** A member runs no more turns, unless it is resumed. Never rejects. */
  onGone(name: string): Promise<void>;
  /**
   * The ids of the mails in the recorded prompts of a member, or of the leader (null): `messageIdsIn` of each. Asked
   * when a team is restored or a member is resumed; what is in there is not delivered again.
   */
  seenIds(member: Member | null): Promise<Iterable<string>>;
  runtime: Runtime;
}

export interface LoopParts {
  roster: Roster;
  mailbox: Mailbox;
  seams: TeamSeams;
  /** True when the team goes down with its process: then what is on disk stays as it is, for whoever restores it. */
  isClosed(): boolean;
}

/**
 * The life of a teammate, from its first mail until it has ended: all unread mail together becomes a turn; when none is
 * left it says that it is idle and waits for more. Ends only of itself, by a crash, or when `signal` aborts. Never
 * rejects.
 */
export async function runMember(name: string, parts: LoopParts, signal: AbortSignal): Promise<void> {
  const { roster, mailbox } = parts;
  const bell = createBell();
  const stopListening = mailbox.onMail(name, bell.ring);
  try {
    while (!hasEnded(roster.get(name).state)) {
      bell.hush();
      const mails = await mailbox.unread(name);
      if (signal.aborted) throw abortReason(signal);
      if (mails.length > 0) await takeTurn(name, mails, parts, signal);
      else if (roster.get(name).state === 'leaving') await leave(name, parts);
      else if (await rest(name, parts, signal)) await bell.wait(signal);
    }
  } catch (error) {
    await endMember(name, signal.aborted ? abortReason(signal) : error, parts);
  } finally {
    stopListening();
    await parts.seams.onGone(name);
  }
}

async function takeTurn(
  name: string,
  mails: readonly Mail[],
  { roster, mailbox, seams }: LoopParts,
  signal: AbortSignal,
): Promise<void> {
  const { state, requests: open } = roster.get(name);
  const requests = [...open, ...mails.map(shutdownRequestOf).filter((id) => id !== null)];
  const isAsked = requests.length > 0 && state !== 'leaving';
  // On disk before the turn begins: who finds `idle` there may be sure that no turn was cut off.
  await roster.move(name, isAsked ? 'asked' : 'turn', { turnId: seams.runtime.ids.uuid(), requests });
  let isRecorded = false;
  const onRecorded = async () => {
    if (isRecorded) return;
    await mailbox.acknowledge(
      name,
      mails.map(({ id }) => id),
    );
    isRecorded = true;
  };
  await seams.runTurn(roster.get(name), promptOf(mails), { onRecorded, signal });
  await onRecorded(); // a turn that is over was recorded, whoever forgot to say so
}

/** No mail tells of it, but whoever waits for the end of the team has to look again. */
async function leave(name: string, { roster, seams }: LoopParts): Promise<void> {
  await roster.move(name, 'left');
  seams.wakeLeader();
}

/** After a turn without further mail. False when it has to look again: a hook had it go on. */
async function rest(name: string, { roster, mailbox, seams }: LoopParts, signal: AbortSignal): Promise<boolean> {
  const member = roster.get(name);
  if (member.state !== 'working' && member.state !== 'asked') return true;
  const objection = await raceAbort(seams.onIdle(member), signal);
  if (objection !== null) {
    await mailbox.post(name, { from: RUNTIME, text: objection, summary: 'You are not done yet' });
    return false;
  }
  await roster.move(name, 'done');
  await tell(name, { roster, mailbox, seams });
  return true;
}

/** Writes down that a member has ended, and tells the leader. Never rejects. */
export async function endMember(name: string, error: unknown, parts: LoopParts): Promise<void> {
  const { roster, seams } = parts;
  if (parts.isClosed()) return;
  try {
    const event = error instanceof Aborted ? 'aborted' : 'crashed';
    await roster.move(name, event, { trouble: messageOf(error) });
    await tell(name, parts);
  } catch (cause) {
    seams.runtime.log('error', `Teammate ${name} has ended, which cannot be written down: ${messageOf(cause)}`);
  }
}

/** Tells the leader in which state a member is now. Twice for the same turn is once. */
export async function tell(
  name: string,
  { roster, mailbox, seams }: Pick<LoopParts, 'roster' | 'mailbox' | 'seams'>,
): Promise<void> {
  const report = reportOf(roster.get(name), new Date(seams.runtime.clock.now()).toISOString());
  if (report !== null) await mailbox.post(report.to, report.mail);
}
