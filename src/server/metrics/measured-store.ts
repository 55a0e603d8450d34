import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isObject, type JsonObject } from '../../util/json.ts';
import { toHeddleError } from '../../wire/errors.ts';
import type { ServerStore } from '../ports/server-store.ts';
import type { TurnRecord } from '../ports/turns.ts';
import type { Metrics } from './metrics.ts';

const NANOSECONDS = 1e9;

/** A store whose writes are counted and timed. It behaves as the one that it is given. */
export function measuredStore(store: ServerStore, metrics: Metrics, now: () => number): ServerStore {
  const appended = metrics.histogram('heddle_append_seconds', 'Time until lines of a session are stored');
  const fenced = metrics.counter('heddle_fenced_writes_total', 'Writes of runs that had lost their session');
  const turned = metrics.counter('heddle_turns_total', 'Turns that have ended, by how');
  const took = metrics.histogram('heddle_turn_seconds', 'Time from the begin of a turn to its end');
  const continued = metrics.counter('heddle_takeovers_total', 'Turns that another run has continued');
  const used = metrics.counter('heddle_tokens_total', 'Tokens of models, by kind');
  const posted = metrics.counter('heddle_messages_total', 'Messages that were acknowledged');
  const asked = metrics.counter('heddle_questions_total', 'Questions that sessions have asked');
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  metrics.gauge('heddle_loop_lag_seconds', 'The longest delay of the event loop since it was last read', () => {
    const longest = lag.max / NANOSECONDS;
    lag.reset();
    return Number.isFinite(longest) ? longest : 0;
  });

  const counted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (toHeddleError(error).code === 'session_taken') fenced();
      throw error;
    }
  };
  const note = (turn: TurnRecord) => {
    const { state, result, startedAt } = turn;
    turned({ end: state === 'abandoned' ? 'abandoned' : String(result?.subtype ?? 'unknown') });
    took((now() - startedAt) / 1000);
    for (const [kind, count] of usageIn(result)) used({ kind }, count);
  };
  const { events, turns, engine, questions } = store;
  return {
    ...boundTo(store),
    events: {
      ...boundTo(events),
      async append(holding, lines) {
        const begin = performance.now();
        await counted(events.append(holding, lines));
        appended((performance.now() - begin) / 1000);
      },
    },
    turns: {
      ...boundTo(turns),
      async begin(holding, messages) {
        const turn = await counted(turns.begin(holding, messages));
        if (turn.attempts > 1) continued();
        return turn;
      },
      async end(holding, end) {
        const turn = await counted(turns.end(holding, end));
        note(turn);
        return turn;
      },
    },
    questions: {
      ...boundTo(questions),
      async ask(holding, question) {
        asked();
        return counted(questions.ask(holding, question));
      },
    },
    engine: {
      ...boundTo(engine),
      async post(message) {
        const answer = await engine.post(message);
        if (answer.isNew) posted();
        return answer;
      },
    },
  };
}

/** The members of a port as an object of their own, so that some can be replaced. */
function boundTo<Port extends object>(port: Port): Port {
  const members: Record<string, unknown> = {};
  for (let at: object | null = port; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name === 'constructor' || Object.hasOwn(members, name)) continue;
      const value: unknown = Reflect.get(port, name);
      members[name] = typeof value === 'function' ? value.bind(port) : value;
    }
  }
  return members as Port;
}

function usageIn(result: JsonObject | null): [string, number][] {
  const usage = isObject(result?.usage) ? result.usage : {};
  const kinds = { input: 'input_tokens', output: 'output_tokens', cache_read: 'cache_read_input_tokens' };
  return Object.entries(kinds).flatMap(([kind, field]): [string, number][] => {
    const count = usage[field];
    return typeof count === 'number' ? [[kind, count]] : [];
  });
}
