import type { JsonObject } from '../../util/json.ts';
import type { CallView, View } from '../../view/index.ts';
import { TokenCount } from '../../view/token-count.ts';
import { createViewTracker } from '../../view/tracker.ts';

/** What a run is doing, as its view tells. */
export interface ProgressState {
  /** The activity of the conversation itself, when no tool runs. */
  readonly doing: string;
  /** The time of the next attempt to call the model. */
  readonly retry: { at: number; attempt: number; of: number } | null;
  /** Calls without a result, also of agents, in the order in which they came. */
  readonly calls: ReadonlyMap<string, Call>;
  /** The ids of the agents at work. */
  readonly agents: ReadonlySet<string>;
  /** The number of running background tasks. */
  readonly background: number;
  readonly tokens: { in: number; out: number };
}

export interface Call {
  name: string;
  /** The main argument of the call, as the model wrote it: not yet safe for a terminal. */
  subject: string;
  /** The progress of the call, where the tool reports it. */
  share: string;
}

export interface ProgressTracker {
  readonly state: ProgressState;
  /** Takes a line of the run. */
  note(line: JsonObject, now: number): void;
}

/** Follows a run by its lines; it has no side effects, so that it can be tested without a terminal. */
export function trackProgress(): ProgressTracker {
  const tracker = createViewTracker();
  const { view } = tracker;
  const count = new TokenCount();
  const state: ProgressState = {
    get doing() {
      return doingText(view);
    },
    get retry() {
      return retryOf(view);
    },
    get calls() {
      return new Map([...view.calls].map(([id, call]) => [id, callOf(call)]));
    },
    get agents() {
      return new Set(view.tasks.flatMap(({ id, agent }) => (agent === null ? [] : id)));
    },
    get background() {
      return view.tasks.filter(({ isBackground }) => isBackground).length;
    },
    get tokens() {
      return count.tokens;
    },
  };
  return {
    state,
    note(line, now) {
      count.note(line);
      tracker.note(line, now);
    },
  };
}

const WAITING = 'waiting for the model';

function doingText({ phase, doing }: View): string {
  if (phase === 'compacting') return 'compacting';
  switch (doing?.what) {
    case 'thinking':
    case 'writing':
      return doing.what;
    case 'calling':
      return `writing a call of ${doing.tool || 'a tool'}`;
    case undefined:
      if (phase === 'starting') return 'starting';
      return phase === 'idle' ? 'waiting for what runs in the background' : WAITING;
    default:
      return WAITING;
  }
}

function retryOf({ doing }: View): ProgressState['retry'] {
  if (doing?.what !== 'retry') return null;
  const { at, attempt, of } = doing;
  return { at, attempt, of };
}

function callOf({ name, subject, progress: { done, total } }: CallView): Call {
  const share = done === null ? '' : total === null ? `${done}` : `${done}/${total}`;
  return { name, subject, share };
}
