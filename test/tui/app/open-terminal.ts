import { expect, vi } from 'vitest';
import { App } from '../../../src/tui/app/app.ts';
import type { TuiEnd } from '../../../src/tui/app/tui-options.ts';
import type { SessionTarget } from '../../../src/tui/stage/stage.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { createViewTracker } from '../../../src/view/tracker.ts';
import { type MemoryTransport, memoryPair } from '../../../src/wire/link/memory-transport.ts';
import { afterTest } from '../../support/after-test.ts';
import { createFakeTerminal, type FakeTerminal } from '../../support/fake-terminal.ts';

/** The terminal in an emulator, with an agent that the test plays. */
export interface OpenTerminal {
  terminal: FakeTerminal;
  /** Lines of the agent. */
  send(...lines: JsonObject[]): Promise<void>;
  /** What the terminal has sent to the agent. */
  received: JsonObject[];
  ended: Promise<TuiEnd>;
  /** Waits until the screen shows this. */
  sees(text: string | RegExp): Promise<string>;
  app: App;
  /** The sessions that it has opened; undefined: that of the launch. */
  targets: (SessionTarget | undefined)[];
}

const READY = {
  commands: [],
  models: [],
  account: {},
  output_style: 'default',
  available_output_styles: [],
  capabilities: [],
};

const ANSWERS: Readonly<Record<string, (request: JsonObject) => JsonObject>> = {
  initialize: () => READY,
  // Whatever else is sent to the window is what a test looks for.
  get_settings: () => ({ sources: [{ source: 'userSettings', settings: QUIET }] }),
};

/** No title, no notifications. */
const QUIET = { terminal: { title: false }, preferredNotifChannel: 'notifications_disabled' };

/** Opens it, and waits until it shows its first row. `answers`: to control requests, by subtype. */
export async function openTerminal({
  prompt,
  size,
  env = {},
  home = null,
  holds = {},
  sessionId = 'the-session',
  isKept = true,
  isGuest = false,
  cwd = '/project',
  answers = {},
  now = Date.now,
  refuses,
}: {
  prompt?: string;
  size?: { columns: number; rows: number };
  env?: Record<string, string>;
  /** The config home: with one, what is typed is stored. */
  home?: string | null;
  isKept?: boolean;
  /** It has joined a session of another process. */
  isGuest?: boolean;
  sessionId?: string | null;
  /** Answers that wait, by subtype. */
  holds?: Readonly<Record<string, Promise<void>>>;
  cwd?: string;
  answers?: Readonly<Record<string, (request: JsonObject) => JsonObject>>;
  now?: () => number;
  /** Why no other session can be opened. */
  refuses?: string;
} = {}): Promise<OpenTerminal> {
  const terminal = createFakeTerminal(size);
  const targets: (SessionTarget | undefined)[] = [];
  const reading: Promise<void>[] = [];
  let far: MemoryTransport;
  const received: JsonObject[] = [];
  let ids = 0;
  const app = new App({
    ...{ terminal, cwd, home, isKept, isGuest, sessionId, version: '1.2.3', tracker: createViewTracker() },
    env: { TERM: 'xterm-256color', NO_COLOR: '1', TERM_PROGRAM: 'vscode', ...env },
    connect: async (_stderr, target) => {
      targets.push(target);
      if (target && refuses !== undefined) throw new Error(refuses);
      const pair = memoryPair();
      far = pair.far;
      reading.push(read(pair));
      return pair.near;
    },
    newId: () => `id-${++ids}`,
    now,
    ...(prompt !== undefined && { prompt }),
  });
  const interrupted = () => {
    const sent = received.filter(({ type }) => type === 'user').map(({ uuid }) => uuid);
    return { cancelled: sent.slice(1), still_queued: [] };
  };
  const answer = async (to: MemoryTransport, request_id: string, request: JsonObject) => {
    const own = request.subtype === 'interrupt' ? interrupted : ANSWERS[String(request.subtype)];
    const body = (answers[String(request.subtype)] ?? own)?.(request) ?? {};
    await holds[String(request.subtype)];
    void to.write({ type: 'control_response', response: { subtype: 'success', request_id, response: body } });
  };
  const read = async (pair: ReturnType<typeof memoryPair>) => {
    for await (const line of pair.far.readMessages()) {
      if (line instanceof Error) continue;
      received.push(line);
      const request = line.request as JsonObject | undefined;
      if (request) void answer(pair.far, line.request_id as string, request);
    }
    pair.near.settle({ code: 0, signal: null, stderr: '' });
    pair.far.endInput();
  };
  const ended = app.run();
  afterTest(async () => {
    await app.leave(0);
    await ended;
    await Promise.all(reading);
  });
  const rig: OpenTerminal = {
    ...{ terminal, received, ended, app, targets },
    async send(...lines) {
      for (const line of lines) await far.write(line);
    },
    sees: (text) =>
      vi.waitFor(async () => {
        const shown = await terminal.shown();
        expect(shown).toMatch(text);
        return shown;
      }, 15_000),
  };
  await rig.sees('heddle 1.2.3');
  return rig;
}
