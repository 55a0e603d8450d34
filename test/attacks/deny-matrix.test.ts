import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tool } from '../../src/define/tool.ts';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { createHouse, type House } from '../host/support.ts';

/** Calls that leave a mark when they run, and the rule that forbids them. */
const CALLS = {
  Bash: { call: toolUse('Bash', { command: 'touch canary' }), rule: 'Bash(touch:*)' },
  Write: { call: toolUse('Write', { file_path: 'canary', content: 'x' }), rule: 'Edit(canary)' },
  custom: { call: toolUse('mark', {}), rule: 'mark' },
};

/** A hook as a command, and as a callback of the host; what it answers depends on nothing. */
function hooksFor(answer: unknown, more: object = {}) {
  const command = `cat > /dev/null; printf '%s' '${JSON.stringify(answer)}'`;
  return { hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command, ...more }] }] } };
}

function verdict(permissionDecision: string) {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } };
}

const BYPASS: RunConfig = { permissionMode: 'bypassPermissions', allowedTools: ['Bash', 'Write', 'mark'] };

/** How a call is forbidden, with everything else as open as it can be. */
const DENIALS = {
  'a deny rule in bypass mode': (rule: string) => ({ config: { ...BYPASS, disallowedTools: [rule] } }),
  'a deny rule in settings': (rule: string) => ({
    config: { ...BYPASS, settings: JSON.stringify({ permissions: { deny: [rule] } }) },
  }),
  'the host, asked by an ask rule': (rule: string) => ({
    config: {
      allowedTools: ['Bash', 'Write', 'mark'],
      permissionPromptTool: 'stdio',
      settings: JSON.stringify({ permissions: { ask: [rule] } }),
    },
    answer: () => ({ behavior: 'deny', message: 'not now' }),
  }),
  'a hook, in bypass mode': () => ({ config: { ...BYPASS, settings: JSON.stringify(hooksFor(verdict('deny'))) } }),
  'a hook that fails and says that this closes': () => ({
    config: {
      ...BYPASS,
      settings: JSON.stringify(hooksFor({ decision: 'perhaps' }, { onFailure: 'block', timeout: 5 })),
    },
  }),
  'a hook that asks where nobody is there': () => ({
    config: { ...BYPASS, settings: JSON.stringify(hooksFor(verdict('ask'))) },
  }),
  'a deny rule, though a hook allows it': (rule: string) => ({
    config: { ...BYPASS, disallowedTools: [rule], settings: JSON.stringify(hooksFor(verdict('allow'))) },
  }),
  'an ask rule, though a hook allows it': (rule: string) => ({
    config: { ...BYPASS, settings: JSON.stringify({ permissions: { ask: [rule] }, ...hooksFor(verdict('allow')) }) },
  }),
  'a callback that denies': () => ({
    config: BYPASS,
    initialize: { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } },
    answer: () => verdict('deny'),
  }),
  'a callback that never answers': () => ({
    config: BYPASS,
    initialize: { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'], timeout: 0.2 }] } },
    answer: () => undefined,
  }),
};

interface Denial {
  config: RunConfig;
  /** What the host asks for before it speaks. */
  initialize?: JsonObject;
  answer?: () => unknown;
}

function house(call: unknown): House & { isMarked(): boolean } {
  let marked = false;
  const mark = tool('mark', 'Leaves a mark', {}, () => {
    marked = true;
    return 'marked';
  });
  const made = createHouse(['Ready.', call as string, 'Done.', call as string, 'Done.'], { tools: [mark] });
  const canary = join(made.dir, 'canary');
  return { ...made, isMarked: () => marked || existsSync(canary) };
}

describe.each(Object.entries(CALLS))('[R-3] %s', (_name, { call, rule }) => {
  describe.each(Object.entries(DENIALS))('forbidden by %s', (_how, denial) => {
    test.each(['main', 'resumed'])('does not run in the %s session', async (which) => {
      const place = house(call);
      const { config, initialize, ...options } = denial(rule) as Denial;
      const open = async (more: RunConfig = {}) => {
        const client = place.connect({ ...config, ...more }, options);
        if (initialize) await client.control({ subtype: 'initialize', ...initialize });
        return client;
      };
      const first = await open();
      const { session_id } = await first.ask('hello');
      if (which === 'resumed') await first.end();
      const client = which === 'main' ? first : await open({ resume: session_id });
      const result = await client.ask('go');
      expect(result).toMatchObject({ result: 'Done.' });
      expect(place.isMarked()).toBe(false);
    });
  });

  test('[R-6] runs where nothing forbids it', async () => {
    const place = house(call);
    const client = place.connect(BYPASS);
    await client.ask('hello');
    await client.ask('go');
    expect(place.isMarked()).toBe(true);
  });
});
