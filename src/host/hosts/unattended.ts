import type { Clock } from '../../util/runtime.ts';
import { MAX_TIMER_MS, startTimer } from '../../util/timer.ts';
import type { HostHub } from './host-hub.ts';

/** What a session does that no terminal shows any more. */
export type HangupPolicy = 'finish' | 'detach' | 'stop';

export interface UnattendedOptions {
  hub: HostHub;
  policy: HangupPolicy;
  clock: Pick<Clock, 'now'>;
  /** Interrupts what runs. */
  stop: () => void;
  limits?: Partial<UnattendedLimits>;
}

/** Milliseconds. */
export interface UnattendedLimits {
  /** `finish`: how long the turn may go on, and how long a question waits for a host. */
  finish: number;
  /** How long a turn may still take after its questions were denied. */
  grace: number;
  /** `detach`: how long an idle session waits for a host, and how long a question does. */
  idle: number;
}

const LIMITS: UnattendedLimits = { finish: 10 * 60_000, grace: 60_000, idle: 60 * 60_000 };

/**
 * Decides how long a session continues while nobody drives it, from now until the returned function is called. A host that
 * attaches has the session as long as it stays; when the last one leaves, the time begins again.
 */
export function whileUnattended({ hub, policy, clock, stop, limits }: UnattendedOptions): () => void {
  const { finish, grace, idle } = { ...LIMITS, ...limits };
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const disarm = (name: string) => {
    clearTimeout(timers.get(name));
    timers.delete(name);
  };
  const arm = (name: string, ms: number, act: () => void) => {
    if (timers.has(name)) return;
    timers.set(name, startTimer(ms, act));
  };
  const deny = (waited: number) => {
    const at = new Date(clock.now()).toISOString();
    hub.denyQuestions(`Nobody was there to answer: denied at ${at}, after ${minutes(waited)} without a host`);
  };
  const end = () => {
    deny(policy === 'finish' ? finish : idle);
    hub.endInput();
    arm('grace', grace, stop);
  };

  function look(): void {
    if (hub.isDriven) {
      for (const name of [...timers.keys()]) disarm(name);
      hub.denyQuestions(null);
      return;
    }
    const isResting = !hub.activity.isBusy && hub.openQuestions === 0;
    if (policy === 'stop') {
      stop();
      return;
    }
    if (policy === 'finish') {
      arm('finish', finish, end);
      if (isResting) hub.endInput();
      return;
    }
    if (isResting) arm('idle', idle, end);
    else disarm('idle');
    if (hub.openQuestions > 0) arm('question', idle, () => deny(idle));
    else disarm('question');
    // A process without a timer and without a connection would end in the middle of a turn.
    arm('alive', MAX_TIMER_MS, () => {});
  }

  let isOver = false;
  const onChange = () => {
    if (!isOver) look();
  };
  hub.on('attached', onChange);
  hub.on('activity', onChange);
  look();
  return () => {
    isOver = true;
    for (const name of [...timers.keys()]) disarm(name);
  };
}

function minutes(ms: number): string {
  return ms >= 60_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms / 1000)} s`;
}
