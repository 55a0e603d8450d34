import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type AsyncHookOutput,
  HOOK_EVENTS,
  HookInput,
  type HookInputOf,
  HookOutput,
  hookEvents,
  isHookEvent,
} from '../../../src/wire/hooks/hooks.ts';
import { recordings } from '../recordings.ts';

const inputs = recordings('hookstdin').flatMap(({ name, records }) => records.map(({ stdin }) => ({ name, stdin })));
const base = { session_id: 's', transcript_path: '/t', cwd: '/c' };

describe('hook input', () => {
  test('[HK-17] [FWD-02] recorded inputs of every event are read whole', () => {
    expect(inputs.length).toBeGreaterThan(10);
    for (const { name, stdin } of inputs) {
      expect(HookInput.safeParse(stdin), `${name} ${JSON.stringify(stdin)}`).toMatchObject({
        success: true,
        data: stdin,
      });
    }
  });

  test('[K5] the 33 events are known, others pass', () => {
    expect(hookEvents).toHaveLength(33);
    expect(HOOK_EVENTS).toEqual(hookEvents);
    expect(isHookEvent('PreToolUse') && isHookEvent('MessageDisplay')).toBe(true);
    expect(isHookEvent('toString')).toBe(false);
    expect(HookInput.safeParse({ ...base, hook_event_name: 'FullMoon', phase: 1 }).success).toBe(true);
  });

  test('a known event needs its fields', () => {
    expect(HookInput.safeParse({ ...base, hook_event_name: 'UserPromptSubmit' }).success).toBe(false);
  });
});

describe('hook output', () => {
  test.each([
    {},
    { continue: false, stopReason: 'enough' },
    { async: true, asyncTimeout: 5 },
    { decision: 'block', reason: 'no' },
    { systemMessage: 'note', suppressOutput: true, preventContinuation: true },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', updatedInput: { command: 'ls' } } },
    { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'c', updatedToolOutput: [1] } },
    { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', interrupt: true } } },
    { hookSpecificOutput: { hookEventName: 'FullMoon', howl: true } },
  ])('[HK-31] accepts %j and keeps its keys', (output) => {
    expect(HookOutput.safeParse(output)).toMatchObject({ success: true, data: output });
  });

  test.each([
    { decision: 'perhaps' },
    { continue: 'no' },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'perhaps' } },
    { hookSpecificOutput: { permissionDecision: 'deny' } },
  ])('[HK-25] refuses %j', (output) => {
    expect(HookOutput.safeParse(output).success).toBe(false);
  });
});

test('[HK-18] types: async output is told by its tag, inputs by their event', () => {
  expectTypeOf<AsyncHookOutput>().toEqualTypeOf<{ async: true; asyncTimeout?: number | undefined }>();
  expectTypeOf<HookInputOf<'PreToolUse'>['hook_event_name']>().toEqualTypeOf<'PreToolUse'>();
});
