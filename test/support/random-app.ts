import { setImmediate } from 'node:timers/promises';
import { App } from '../../src/tui/app/app.ts';
import type { TuiEnd } from '../../src/tui/app/tui-options.ts';
import type { Terminal, TerminalEvents } from '../../src/tui/term/terminal.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createViewTracker } from '../../src/view/tracker.ts';
import { type MemoryTransport, memoryPair } from '../../src/wire/link/memory-transport.ts';
import { seededRandom } from './fuzz.ts';
import { RANDOM_BYTES } from './random-keys.ts';
import { randomAnswer, randomLine, randomQuestion } from './random-session.ts';

/** What a person would write, between the random keys. */
const WORDS = [
  ...[
    'hello\r',
    '!ls\r',
    '!!ls\r',
    '/help\r',
    '/model\r',
    '/mode\r',
    '/permissions\r',
    '/mcp\r',
    '/tasks\r',
    '/tree\r',
  ],
  ...[
    '/rewind\r',
    '/transcript\r',
    '/status\r',
    '/context\r',
    '/cost\r',
    '/keys\r',
    '/agents\r',
    '/team\r',
    '/todos\r',
  ],
  ...['/fork\r', '/redraw 3\r', '/effort high\r', '/thinking on\r', '/add-dir /x\r', '/clear\r', '/nothing\r', '@a\t'],
];
/** They start programs of this machine: the editor program, and those that read a clipboard. */
const STARTS_PROGRAMS = new Set(['\u0005', '\u0007', '\u0016']);
const BYTES = RANDOM_BYTES.filter((bytes) => !STARTS_PROGRAMS.has(bytes));
const SIZES: readonly (readonly [number, number])[] = [
  ...([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 9],
    [10, 3],
    [23, 7],
    [24, 8],
    [60, 20],
    [100, 30],
    [300, 4],
  ] as const),
];

export interface RandomApp {
  keys: number;
  /** Questions that were approved although the clock had not moved since they came. */
  approvals: JsonObject[];
  /** Ends that nobody asked for. */
  faults: string[];
}

/**
 * Presses random keys in the whole terminal, against a session that says random things and opens questions. While a
 * question is open the clock stands still, so that no key may answer it. Throws what the code throws.
 */
export async function pressKeysInApp({ keys, seed }: { keys: number; seed: number }): Promise<RandomApp> {
  const random = seededRandom(seed);
  const pick = <Value>(items: readonly Value[]): Value => items[Math.floor(random() * items.length)] as Value;
  const seen: RandomApp = { keys, approvals: [], faults: [] };
  let app: Running | null = null;
  for (let at = 0; at < keys; at++) {
    app ??= await openApp({ pick, seen });
    if (random() < 0.02) app.resize(...pick(SIZES));
    if (random() < 0.05) await app.say(randomLine(pick, at));
    if (random() < 0.004) await app.ask(`q${at}`);
    if (random() < 0.004) await app.withdraw();
    const bytes = random() < 0.03 ? Buffer.from([Math.floor(random() * 256)]) : Buffer.from(pick(BYTES));
    if (!STARTS_PROGRAMS.has(bytes.toString('latin1'))) app.type(random() < 0.04 ? Buffer.from(pick(WORDS)) : bytes);
    app.wait(Math.floor(random() ** 4 * 2000));
    if (at % 20 === 0) await setImmediate();
    if (at % 5000 === 4999 || app.hasEnded) app = await app.close();
  }
  await app?.close();
  return seen;
}

interface Running {
  readonly hasEnded: boolean;
  type(bytes: Buffer): void;
  resize(columns: number, rows: number): void;
  say(line: JsonObject): Promise<void>;
  ask(id: string): Promise<void>;
  withdraw(): Promise<void>;
  /** Moves the clock on, unless a question is open. */
  wait(ms: number): void;
  close(): Promise<null>;
}

async function openApp({
  pick,
  seen,
}: {
  pick: <Value>(items: readonly Value[]) => Value;
  seen: RandomApp;
}): Promise<Running> {
  const open = new Map<string, JsonObject>();
  const listeners = new Map<string, (bytes: Uint8Array) => void>();
  let size = { columns: 80, rows: 24 };
  let now = 0;
  let ids = 0;
  let end: TuiEnd | null = null;
  const terminal: Terminal = {
    get size() {
      return size;
    },
    write: () => true,
    on: (event, listener) => void listeners.set(event, listener as (bytes: Uint8Array) => void),
    suspend: async () => true,
    ...{ enter: () => {}, leave: () => {}, keep: () => {}, replied: () => {}, close: () => {} },
  };
  const emit = (event: keyof TerminalEvents, bytes: Uint8Array = Buffer.alloc(0)) => listeners.get(event)?.(bytes);
  let far: MemoryTransport;
  const read = async ({ far: end, near }: ReturnType<typeof memoryPair>) => {
    for await (const line of end.readMessages()) {
      if (!(line instanceof Error)) receive(line);
    }
    near.settle({ code: 0, signal: null, stderr: '' });
    end.endInput();
  };
  const receive = (line: JsonObject) => {
    const { request_id, request, response } = line as Record<string, JsonObject>;
    if (request) {
      const body = randomAnswer(pick, request);
      void far.write({ type: 'control_response', response: { subtype: 'success', request_id, response: body } });
    }
    const id = String(response?.request_id);
    const said = response?.response as JsonObject | undefined;
    if (open.has(id) && (said?.behavior === 'allow' || said?.action === 'accept')) seen.approvals.push(line);
    open.delete(id);
  };
  const reading: Promise<void>[] = [];
  const app = new App({
    ...{
      terminal,
      cwd: '/p',
      home: null,
      isKept: false,
      sessionId: 's-1',
      version: '1.2.3',
      tracker: createViewTracker(),
    },
    env: { TERM: 'xterm-256color', EDITOR: 'true' },
    async connect() {
      const pair = memoryPair();
      far = pair.far;
      reading.push(read(pair));
      return pair.near;
    },
    newId: () => `id-${++ids}`,
    now: () => now,
    report: (error) => {
      seen.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return [];
    },
  });
  const ended = app.run().then((how) => {
    end = how;
    if (how.exitCode !== 0) seen.faults.push(JSON.stringify(how));
  });
  await setImmediate();
  return {
    get hasEnded() {
      return end !== null;
    },
    type: (bytes) => emit('input', bytes),
    resize(columns, rows) {
      size = { columns, rows };
      emit('resize');
    },
    async say(line) {
      await far.write(line);
    },
    async ask(id) {
      open.set(id, {});
      await far.write(randomQuestion(pick, id));
    },
    async withdraw() {
      const [id] = open.keys();
      if (id === undefined) return;
      open.delete(id);
      await far.write({ type: 'control_cancel_request', request_id: id });
    },
    wait(ms) {
      if (open.size === 0) now += ms;
    },
    async close() {
      await app.leave(0);
      await ended;
      await Promise.all(reading);
      return null;
    },
  };
}
