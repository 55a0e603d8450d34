import { oneAtATime } from '../../util/one-at-a-time.ts';
import { LEADER, promptOf, RUNTIME } from './mail.ts';
import type { LoopParts } from './member-loop.ts';
import { SHUTDOWN_PROMPT } from './reports.ts';
import { hasEnded, isActive } from './states.ts';

/** Mail for the leader, handed out once: as long as it is neither acknowledged nor given back, no other is. */
export interface LeaderMail {
  prompt: string;
  /** The names of those who have written. */
  from: readonly string[];
  /** When the prompt is recorded in the leader's transcript, not before. */
  acknowledge(): Promise<void>;
  /** When no turn came of it: it is handed out again to whoever asks next. Wakes nobody, as that may fail as well. */
  giveBack(): void;
}

/** What reaches the leader, and when it is told that its team has nothing left to do. */
export interface LeaderDesk {
  leaderMail(): Promise<LeaderMail | null>;
  isSettled(): Promise<boolean>;
  inputEnded(): Promise<LeaderMail | null>;
  inputArrived(): Promise<void>;
  /** What the leader's transcript holds already is not handed out again. */
  skipSeen(): Promise<void>;
  wakeIfUnread(): Promise<void>;
  /** Wakes nobody any more. */
  close(): void;
}

export function createLeaderDesk({ roster, mailbox, seams, isClosed }: LoopParts): LeaderDesk {
  const inTurn = oneAtATime();
  let isHandedOut = false;
  const states = () => roster.record().members.map(({ state }) => state);
  const isOver = () => isClosed() || roster.record().state === 'deleted';
  /** The same for one end of input, so that it cannot be posted twice. */
  const shutdownId = () => `shutdown-${roster.record().createdAt}-${roster.record().episode}`;
  const stopListening = mailbox.onMail(LEADER, ({ id }) => {
    // Who asks for the shutdown prompt gets it in the answer.
    if (id !== shutdownId()) seams.wakeLeader();
  });

  async function wakeIfUnread(): Promise<void> {
    if (!isOver() && (await mailbox.unread(LEADER)).length > 0) seams.wakeLeader();
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
          await wakeIfUnread(); // what came meanwhile was announced when it could not be handed out
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
      // The mail first: who dies in between posts it again under the same id.
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
      await mailbox.acknowledge(LEADER, await seams.seenIds(null));
    },
    wakeIfUnread,
    close: stopListening,
  };
}
