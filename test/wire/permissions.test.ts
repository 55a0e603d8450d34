import { expect, expectTypeOf, test } from 'vitest';
import {
  type PermissionMode,
  PermissionResult,
  PermissionSuggestion,
  PermissionUpdate,
  permissionModes,
  toPermissionMode,
} from '../../src/wire/permissions.ts';

const rules = [{ toolName: 'Bash', ruleContent: 'git:*' }, { toolName: 'Read' }];
const destination = 'session';

test('[K4] modes: every one by its name, manual means default, others are no mode', () => {
  for (const mode of permissionModes) expect(toPermissionMode(mode)).toBe(mode);
  expect(toPermissionMode('manual')).toBe('default');
  expect(toPermissionMode('banana')).toBeUndefined();
  expectTypeOf<'delegate'>().toExtend<PermissionMode>();
});

test.each([
  ['[PRM-07] [PRM-13]', { type: 'addRules', rules, behavior: 'allow', destination }],
  ['[PRM-08]', { type: 'replaceRules', rules, behavior: 'deny', destination: 'userSettings' }],
  ['[PRM-09]', { type: 'removeRules', rules, behavior: 'ask', destination: 'projectSettings' }],
  ['[PRM-10]', { type: 'setMode', mode: 'acceptEdits', destination }],
  ['[PRM-11]', { type: 'addDirectories', directories: ['/d'], destination: 'localSettings' }],
  ['[PRM-12] [B-016]', { type: 'removeDirectories', directories: ['/d'], destination: 'cliArg' }],
])('%s permission updates', (_rows, update) => {
  expect(PermissionUpdate.safeParse(update)).toMatchObject({ success: true, data: update });
});

test('[PRM-14] an update of a kind, place or mode that we do not know is not applied', () => {
  const update = { type: 'addRules', rules, behavior: 'allow', destination };
  expect(PermissionUpdate.safeParse({ ...update, type: 'grantAll' }).success).toBe(false);
  expect(PermissionUpdate.safeParse({ ...update, destination: 'moon' }).success).toBe(false);
  expect(PermissionUpdate.safeParse({ type: 'setMode', mode: 'banana', destination }).success).toBe(false);
});

test('[PRM-15] a suggestion of an unknown kind can still be shown', () => {
  expect(PermissionSuggestion.safeParse({ type: 'grantAll', destination }).success).toBe(true);
  expect(PermissionSuggestion.safeParse({ type: 'setMode', destination }).success).toBe(false);
});

test('[PRM-02] [PRM-04] [PRM-06] answers to a question', () => {
  for (const answer of [
    { behavior: 'allow' },
    { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: [], toolUseID: 't' },
    { behavior: 'deny', message: 'no', interrupt: true },
  ]) {
    expect(PermissionResult.safeParse(answer)).toMatchObject({ success: true, data: answer });
  }
  for (const answer of [{ behavior: 'deny' }, { behavior: 'ask' }, {}, { behavior: 'allow', updatedInput: 'ls' }]) {
    expect(PermissionResult.safeParse(answer).success).toBe(false);
  }
});
