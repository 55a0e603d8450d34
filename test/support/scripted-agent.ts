import { Channel } from '../../src/util/channel.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { memoryPair } from '../../src/wire/link/memory-transport.ts';
import type { Connect, Launch } from '../../src/wire/run-config.ts';
import type { Line } from './lines.ts';

export interface ScriptedAgent {
  /** For `options.transport`. */
  connect: Connect;
  /** Every line it got, in order. */
  readonly lines: Line[];
  /** The control requests among them. */
  readonly requests: JsonObject[];
  readonly launches: Launch[];
  /** What was done to its transport, in order. */
  readonly deeds: string[];
  say(line: object): void;
  /** Ends as a process would. */
  exit(code?: number): void;
}

export interface Script {
  /** The body of the answer to a control request; a throw is an error response. Default: an empty one. */
  answer?: (request: JsonObject) => unknown;
  /** What a successful answer has beside its body. */
  beside?: (request: JsonObject) => object;
  /** Answers no control request at all. */
  isDeaf?: boolean;
  /** Called for each user line. Default: one result. */
  onUser?: (line: Line, agent: ScriptedAgent) => void;
}

/** An agent in this process whose every line is written by the test. */
export function scriptedAgent({
  answer = () => ({}),
  beside = () => ({}),
  isDeaf = false,
  onUser = (_line, agent) => agent.say(RESULT),
}: Script = {}) {
  let out = new Channel<object>();
  let exit: (code: number) => void = () => {};
  const agent: ScriptedAgent = {
    connect,
    lines: [],
    requests: [],
    launches: [],
    deeds: [],
    say: (line) => out.push(line),
    exit: (code = 0) => exit(code),
  };

  function connect(launch: Launch) {
    agent.launches.push(launch);
    const { near, far } = memoryPair();
    const own = new Channel<object>();
    out = own;
    exit = (code) => {
      near.settle({ code, signal: null, stderr: '' });
      far.close().catch(() => {});
    };
    const [endInput, close] = [near.endInput.bind(near), near.close.bind(near)];
    near.endInput = () => {
      agent.deeds.push('endInput');
      endInput();
    };
    near.close = () => {
      agent.deeds.push('close');
      return close();
    };
    const saying = say();
    read(far.readMessages()).then(() => exit(0));
    return near;

    async function say(): Promise<void> {
      for await (const line of own) await Promise.resolve(far.write(line as JsonObject)).catch(() => {});
    }

    async function read(lines: AsyncIterable<JsonObject | Error>): Promise<void> {
      for await (const line of lines) take(line as unknown as Line);
      own.end();
      await saying;
    }
  }

  function take(line: Line): void {
    agent.lines.push(line);
    if (line.type === 'user') onUser(line, agent);
    if (line.type !== 'control_request') return;
    const request = line.request as unknown as JsonObject;
    agent.requests.push(request);
    if (isDeaf) return;
    agent.say({ type: 'control_response', response: { request_id: line.request_id, ...respond(request) } });
  }

  function respond(request: JsonObject): object {
    try {
      return { subtype: 'success', response: answer(request), ...beside(request) };
    } catch (error) {
      return { subtype: 'error', error: (error as Error).message };
    }
  }

  return agent;
}

export const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 1,
  duration_api_ms: 1,
  num_turns: 1,
  result: 'done',
  stop_reason: null,
  session_id: 's',
  total_cost_usd: 0,
  usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  modelUsage: {},
  permission_denials: [],
  uuid: 'u',
};
