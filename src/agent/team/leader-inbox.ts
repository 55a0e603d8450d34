import { oneAtATime } from '../../util/one-at-a-time.ts';
import { LEADER, promptOf, RUNTIME } from './mail.ts';
import type { LoopParts } from './member-loop.ts';
import { SHUTDOWN_PROMPT } from './reports.ts';
import { hasEnded, isActive } from './states.ts';

/** Mail for the leader. Until it is acknowledged or given back, no other mail is handed out. */
export interface LeaderMail {
  prompt: string;
  /** The names of the senders. */
  from: readonly string[];
  /** Call it when the prompt is recorded in the leader's transcript, not before. */
  acknowledge(): Promise<void>;
  /**
   * Call it when the mail led to no turn: the next caller gets it again. Does not wake the leader, because that may
   * fail as well.
   */
  giveBack(): void;
}

/** Delivers mail to the leader, and decides when the leader gets the request to shut down the team. */
export interface LeaderInbox {
  leaderMail(): Promise<LeaderMail | null>;
  isSettled(): Promise<boolean>;
  inputEnded(): Promise<LeaderMail | null>;
  inputArrived(): Promise<void>;
  /** Skips mail that the leader's transcript already holds. */
  skipSeen(): Promise<void>;
  wakeIfUnread(): Promise<void>;
  /** Stops waking the leader. */
  close(): void;
}

export function createLeaderInbox({ roster, mailbox, port, isClosed }: LoopParts): LeaderInbox {
  const inTurn = oneAtATime();
  let isHandedOut = false;
  const states = () => roster.record().members.map(({ state }) => state);
  const isOver = () => isClosed() || roster.record().state === 'deleted';
  /** The same for one end of input, so that it cannot be posted twice. */
  const shutdownId = () => `shutdown-${roster.record().createdAt}-${roster.record().episode}`;
  const stopListening = mailbox.onMail(LEADER, ({ id }) => {
    // The caller that asks for the shutdown prompt gets it as the return value.
    if (id !== shutdownId()) port.wakeLeader();
  });

  async function wakeIfUnread(): Promise<void> {
    if (!isOver() && (await mailbox.unread(LEADER)).length > 0) port.wakeLeader();
  }

  const leaderMail = () =>
    inTurn(async (): Promise<LeaderMail | null> => {
      if (isHandedOut || isOver()) return null;
      const mails = await mailbox.unread(LEADER);
      if (mails.length === 0) return null;
      isHandedOut = true;
      return {
        prompt: promptOf(mails),
        from: [...new Set(mails.map(({ from }) => from))],
        async acknowledge() {
          const ids = mails.map(({ id }) => id);
          await mailbox.acknowledge(LEADER, ids);
          isHandedOut = false;
          await wakeIfUnread(); // mail that came meanwhile was announced while it could not be handed out
        },
        giveBack() {
          isHandedOut = false;
        },
      };
    });

  async function isSettled(): Promise<boolean> {
    if (states().some(isActive)) return false;
    const alive = roster.record().members.filter(({ state }) => !hasEnded(state));
    for (const name of [LEADER, ...alive.map((each) => each.name)]) {
      if ((await mailbox.unread(name)).length > 0) return false;
    }
    return !states().some(isActive);
  }

  return {
    leaderMail,
    isSettled,
    async inputEnded() {
      if (isOver()) return null;
      await roster.moveTeam('input-ended');
      const isDue = !states().every(hasEnded) && (await isSettled());
      if (!isDue || roster.record().state !== 'ending') return null;
      // Posts the mail first: if the process dies in between, the next one posts it again under the same id.
      await mailbox.post(LEADER, { id: shutdownId(), from: RUNTIME, text: SHUTDOWN_PROMPT });
      if (roster.record().state === 'ending') await roster.moveTeam('told');
      return leaderMail();
    },
    async inputArrived() {
      if (isOver()) return;
      await mailbox.acknowledge(LEADER, [shutdownId()]); // no longer true
      await roster.moveTeam('input');
    },
    async skipSeen() {
      await mailbox.acknowledge(LEADER, await port.seenIds(null));
    },
    wakeIfUnread,
    close: stopListening,
  };
}
