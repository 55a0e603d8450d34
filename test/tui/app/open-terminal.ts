import { expect, vi } from 'vitest';
import { App } from '../../../src/tui/app/app.ts';
import type { TuiEnd } from '../../../src/tui/app/tui-options.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { createViewTracker } from '../../../src/view/tracker.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
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
};

/** Opens it, and waits until it shows its first row. `answers`: to control requests, by subtype. */
export async function openTerminal({
  prompt,
  size,
  env = {},
  home = null,
  holds = {},
  sessionId = 'the-session',
  isKept = true,
  cwd = '/project',
  answers = {},
  now = Date.now,
}: {
  prompt?: string;
  size?: { columns: number; rows: number };
  env?: Record<string, string>;
  /** The config home: with one, what is typed is stored. */
  home?: string | null;
  isKept?: boolean;
  sessionId?: string | null;
  /** Answers that wait, by subtype. */
  holds?: Readonly<Record<string, Promise<void>>>;
  cwd?: string;
  answers?: Readonly<Record<string, (request: JsonObject) => JsonObject>>;
  now?: () => number;
} = {}): Promise<OpenTerminal> {
  const terminal = createFakeTerminal(size);
  const { near, far } = memoryPair();
  const received: JsonObject[] = [];
  let ids = 0;
  const app = new App({
    ...{ terminal, cwd, home, isKept, sessionId, version: '1.2.3', tracker: createViewTracker() },
    env: { TERM: 'xterm-256color', NO_COLOR: '1', TERM_PROGRAM: 'vscode', ...env },
    connect: async () => near,
    newId: () => `id-${++ids}`,
    now,
    ...(prompt !== undefined && { prompt }),
  });
  const interrupted = () => {
    const sent = received.filter(({ type }) => type === 'user').map(({ uuid }) => uuid);
    return { cancelled: sent.slice(1), still_queued: [] };
  };
  const answer = async (request_id: string, request: JsonObject) => {
    const own = request.subtype === 'interrupt' ? interrupted : ANSWERS[String(request.subtype)];
    const body = (answers[String(request.subtype)] ?? own)?.(request) ?? {};
    await holds[String(request.subtype)];
    void far.write({ type: 'control_response', response: { subtype: 'success', request_id, response: body } });
  };
  const reading = (async () => {
    for await (const line of far.readMessages()) {
      if (line instanceof Error) continue;
      received.push(line);
      const request = line.request as JsonObject | undefined;
      if (request) void answer(line.request_id as string, request);
    }
    near.settle({ code: 0, signal: null, stderr: '' });
    far.endInput();
  })();
  const ended = app.run();
  afterTest(async () => {
    await app.leave(0);
    await ended;
    await reading;
  });
  const rig: OpenTerminal = {
    ...{ terminal, received, ended, app },
    async send(...lines) {
      for (const line of lines) await far.write(line);
    },
    sees: (text) =>
      vi.waitFor(async () => {
        const shown = await terminal.shown();
        expect(shown).toMatch(text);
        return shown;
      }, 5000),
  };
  await rig.sees('heddle 1.2.3');
  return rig;
}
