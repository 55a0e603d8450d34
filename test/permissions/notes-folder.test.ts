import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { notesJudge } from '../../src/permissions/notes-folder.ts';
import { bash, edit, policyFor, read, rules, write } from './policy-for.ts';

const FOLDER = '/home/me/.heddle/agent-memory/reviewer';
const NOTE = `${FOLDER}/MEMORY.md`;
const notes = notesJudge({ path: FOLDER, onlyHere: ['Write'] });
const behaviorOf = (call: Parameters<typeof decide>[0], more: Parameters<typeof policyFor>[0] = {}) =>
  decide(call, policyFor({ notes, protectedPath: (path) => path.startsWith('/home/me/.heddle'), ...more })).behavior;

describe('the notes of an agent', () => {
  test.each(['default', 'acceptEdits', 'dontAsk', 'auto'] as const)(
    'are read and written without asking in %s, though the folder is a protected place',
    (mode) => {
      expect(
        [read(NOTE), edit(NOTE), write(`${FOLDER}/more/details.md`)].map((call) => behaviorOf(call, { mode })),
      ).toEqual(['allow', 'allow', 'allow']);
    },
  );

  test('are only read in plan mode, and asked for in delegate mode', () => {
    const calls = [read(NOTE), edit(NOTE)];
    expect(calls.map((call) => behaviorOf(call, { mode: 'plan' }))).toEqual(['allow', 'ask']);
    expect(calls.map((call) => behaviorOf(call, { mode: 'delegate' }))).toEqual(['ask', 'ask']);
    expect(behaviorOf(edit(NOTE), { mode: 'default', outerModes: ['plan'] })).toBe('ask');
  });

  test('deny rules and ask rules go first', () => {
    expect(behaviorOf(edit(NOTE), { deny: rules('Edit') })).toBe('deny');
    expect(behaviorOf(read(NOTE), { deny: rules(`Read(/${FOLDER}/**)`) })).toBe('deny');
    expect(behaviorOf(edit(NOTE), { ask: rules('Edit') })).toBe('ask');
  });

  test.each([
    ['beside it', '/home/me/.heddle/agent-memory/reviewer2/MEMORY.md'],
    ['above it', '/home/me/.heddle/settings.json'],
    ['out of it by its name', `${FOLDER}/../../settings.json`],
    ['of git', `${FOLDER}/.git/config`],
    ['of a shell', `${FOLDER}/.bashrc`],
    ['of this program', `${FOLDER}/sub/.claude/settings.json`],
    ['that instructs others', `${FOLDER}/sub/CLAUDE.md`],
  ])('a file %s is none of them', (_what, path) => {
    expect(behaviorOf(edit(path))).toBe('ask');
  });

  test('a link in the folder leads where it leads', () => {
    const realPath = (path: string) => (path === NOTE ? '/home/me/.ssh/authorized_keys' : path);
    expect(behaviorOf(edit(NOTE), { realPath })).toBe('ask');
  });

  test('a tool that is there for them does nothing else, whatever the mode', () => {
    const outside = write('/project/a');
    expect(behaviorOf(outside, { mode: 'acceptEdits' })).toBe('deny');
    expect(behaviorOf(outside, { mode: 'bypassPermissions', bypassAllowed: true })).toBe('deny');
    expect(behaviorOf(outside, { ask: rules('Write') })).toBe('deny');
    expect(behaviorOf(edit('/project/a'), { mode: 'acceptEdits' })).toBe('allow');
  });

  test('commands are judged as everywhere', () => {
    expect(behaviorOf(bash(`echo x > ${NOTE}`))).toBe('ask');
  });
});
