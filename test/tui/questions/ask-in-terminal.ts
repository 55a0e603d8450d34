import { expect, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { type OpenTerminal, openTerminal } from '../app/open-terminal.ts';

const init = {
  ...{ type: 'system', subtype: 'init', session_id: 's-1', model: 'sonnet', permissionMode: 'default' },
  ...{ cwd: '/project', tools: [] },
};
const begin = {
  ...{ type: 'stream_event', parent_tool_use_id: null, session_id: 's-1', uuid: 'e' },
  event: { type: 'message_start', message: { id: 'm1', role: 'assistant', content: [], usage: {} } },
};

export interface AskingTerminal extends OpenTerminal {
  /** Asks, and waits until the question is shown and takes keys. */
  ask(...requests: JsonObject[]): Promise<string>;
  /** Types keys, one after the other, each when the one before has been drawn. */
  keys(...keys: string[]): Promise<void>;
  /** The answer to the question with this number, the first is 1. */
  answer(number?: number): Promise<unknown>;
  /** The answers so far. */
  answers(): unknown[];
}

/** Longer than a question ignores keys after it was painted. */
export const GUARD_MS = 320;

export const KEYS = {
  ...{ up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D', enter: '\r', esc: '\x1b', tab: '\t' },
  ...{ shiftTab: '\x1b[Z', pageDown: '\x1b[6~', ctrlU: '\x15', backspace: '\x7f' },
};

/** What the status row says when a question has the keys. */
const HINT = /esc: (?:no|cancel|go on planning)/;

/** A terminal with a turn that asks. `answers`: what the session says to requests. */
export async function terminalThatAsks(options: Parameters<typeof openTerminal>[0] = {}): Promise<AskingTerminal> {
  let passed = 0;
  const now = () => Date.now() + passed;
  const rig = await openTerminal({ size: { columns: 100, rows: 40 }, now, ...options });
  rig.terminal.type('go\r');
  await vi.waitFor(() => expect(rig.received.some(({ type }) => type === 'user')).toBe(true));
  await rig.send(init, begin);
  let asked = 0;
  // Nobody has typed for a while: the question takes the keys at once.
  passed += 1000;
  const found = (id: string) =>
    rig.received.find(
      ({ type, response }) => type === 'control_response' && (response as JsonObject).request_id === id,
    );
  return {
    ...rig,
    async ask(...requests) {
      // The one before is gone.
      await vi.waitFor(async () => expect(await rig.terminal.shown()).not.toMatch(HINT), 5000);
      for (const request of requests) {
        const subtype = request.subtype ?? 'can_use_tool';
        const body = { subtype, tool_use_id: `t-${asked + 1}`, ...request };
        await rig.send({ type: 'control_request', request_id: `q-${++asked}`, request: body });
      }
      await rig.sees(HINT);
      passed += GUARD_MS;
      return rig.terminal.shown();
    },
    async keys(...keys) {
      for (const key of keys) {
        rig.terminal.type(key);
        // An escape is complete when nothing follows it for a moment.
        await new Promise((resolve) => setTimeout(resolve, key === KEYS.esc ? 60 : 5));
      }
    },
    async answer(number = 1) {
      await vi.waitFor(() => expect(found(`q-${number}`)).toBeDefined(), 5000);
      const { response } = found(`q-${number}`) as { response: JsonObject };
      return response.response;
    },
    answers: () => rig.received.filter(({ type }) => type === 'control_response'),
  };
}
