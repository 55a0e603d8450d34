import { describe, expect, test } from 'vitest';
import { answerOfCommand, NO_ANSWER, readAnswer } from '../../src/hooks/answer.ts';
import { createHooks } from '../../src/hooks/dispatch.ts';
import { EVENT_NAMES } from '../../src/hooks/events.ts';
import { joinAnswers } from '../../src/hooks/join-answers.ts';
import { readMatcher } from '../../src/hooks/matcher.ts';
import { readHooks } from '../../src/hooks/read-hooks.ts';
import { hookEvents } from '../../src/wire/hooks/hooks.ts';

const SOURCE = { scope: 'userSettings', where: 'settings.json' };

test('[K5] the events are those of the wire', () => {
  expect([...EVENT_NAMES].sort()).toEqual([...hookEvents].sort());
});

describe('[HK-13] a matcher', () => {
  const fits = (text: unknown, subject?: string) => {
    const matcher = readMatcher(text);
    return matcher.ok && matcher.matches(subject);
  };

  test.each([
    [undefined, 'Bash', true],
    [null, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['bash', 'Bash', false],
    ['Edit|Write', 'Write', true],
    ['Edit | Write', 'Write', true],
    ['Edit|Write', 'MultiEdit', false],
    ['mcp__.*__write', 'mcp__files__write', true],
    ['^Notebook', 'NotebookEdit', true],
    ['Edit.*', 'Read', false],
    ['Agent', 'Task', true],
    ['Task', 'Agent', true],
    ['KillShell', 'TaskStop', true],
    ['Bash.*', 'TaskOutput', false],
    ['Ag.*', 'Task', true],
    ['Bash', undefined, true],
    ['(', 'Bash', false],
    [7, 'Bash', false],
  ])('%j for %j: %s', (text, subject, expected) => {
    expect(fits(text, subject)).toBe(expected);
  });
});

describe('[HK-14, B-021] what hooks say of themselves', () => {
  const command = { type: 'command', command: 'true' };

  test('the time is 60 s, that of the group, or its own', () => {
    const given = { Stop: [{ hooks: [command] }, { timeout: 5, hooks: [command, { ...command, timeout: 0.5 }] }] };
    expect(readHooks(given, SOURCE).hooks.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 5000, 500]);
  });

  test('a time or an onFailure that is none is said; the stricter is taken', () => {
    const given = { Stop: [{ hooks: [{ ...command, timeout: 'long', onFailure: 'explode' }] }] };
    const { hooks, problems } = readHooks(given, SOURCE);
    expect(hooks).toMatchObject([{ timeoutMs: 60_000, onFailure: 'block' }]);
    expect(problems).toHaveLength(2);
  });

  test.each([null, [], 'x', 7])('%j is no set of hooks', (given) => {
    expect(readHooks(given, SOURCE)).toMatchObject({ hooks: [], problems: [expect.any(String)] });
  });
});

describe('what a command says', () => {
  const end = (exitCode: number | null, stdout = '', stderr = '') => ({ exitCode, stdout, stderr, isCut: false });

  test('plain output is context only where that is meant', () => {
    expect(answerOfCommand('UserPromptSubmit', end(0, 'hello\n'))).toMatchObject({
      context: 'hello',
      isPlainContext: true,
    });
    expect(answerOfCommand('PreToolUse', end(0, 'hello\n'))).toEqual(NO_ANSWER);
  });

  test('exit 2 objects with what is on stderr, whatever stdout says', () => {
    expect(answerOfCommand('PreToolUse', end(2, '{"decision":"approve"}', ' why \n'))).toMatchObject({
      block: 'why',
      decision: null,
    });
    expect(answerOfCommand('Stop', end(2))).toMatchObject({ block: 'No reason was given' });
  });

  test.each([
    ['another exit code', end(1, '{"decision":"approve"}', 'oops')],
    ['a signal', end(null)],
    ['half a JSON text', end(0, '{"decision":')],
    ['output that was cut', { ...end(0, '{"decision":"approve"}'), isCut: true }],
  ])('%s is a failure', (_name, given) => {
    expect(answerOfCommand('PreToolUse', given)).toMatchObject({ failure: expect.any(String), decision: null });
  });
});

describe('what an answer says', () => {
  test('[HK-25] what is for another event is not taken, and said', () => {
    const answer = {
      hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'allow', additionalContext: 'x' },
    };
    expect(readAnswer('PreToolUse', answer)).toMatchObject({
      failure: expect.stringContaining('PostToolUse'),
      decision: null,
      context: null,
    });
  });

  test('of garbage only what closes is taken', () => {
    const answer = {
      decision: 'block',
      reason: 'no',
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'maybe', updatedInput: {} },
    };
    expect(readAnswer('PreToolUse', answer)).toMatchObject({
      block: 'no',
      failure: expect.any(String),
      updatedInput: null,
    });
  });

  test.each([undefined, null, {}])('%j says nothing', (answer) => {
    expect(readAnswer('Stop', answer)).toEqual(NO_ANSWER);
  });

  test.each(['x', 7, [], true])('%j is a failure', (answer) => {
    expect(readAnswer('Stop', answer)).toMatchObject({ failure: expect.any(String) });
  });
});

describe('several answers', () => {
  const [hook] = readHooks({ PreToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }] }, SOURCE).hooks;
  const fold = (...answers: unknown[]) =>
    joinAnswers(
      'PreToolUse',
      'PreToolUse:Bash',
      answers.map((each) => ({ hook: hook as NonNullable<typeof hook>, answer: readAnswer('PreToolUse', each) })),
    );
  const vote = (permissionDecision: string) => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision },
  });

  test.each([
    [['allow', 'ask', 'deny', 'defer'], 'deny'],
    [['allow', 'ask', 'defer'], 'defer'],
    [['allow', 'ask'], 'ask'],
    [['allow', 'allow'], 'allow'],
  ])('[HK-26] %j: %s', (votes, expected) => {
    expect(fold(...votes.map(vote)).decision?.behavior).toBe(expected);
    expect(fold(...votes.map(vote).reverse()).decision?.behavior).toBe(expected);
  });

  test('[HK-22] an objection is a denial', () => {
    expect(fold(vote('allow'), { decision: 'block', reason: 'no' }).decision).toMatchObject({ behavior: 'deny' });
  });

  test('[K-4] long texts are cut', () => {
    const { decision } = fold({ decision: 'block', reason: 'x'.repeat(1_000_000) });
    expect(decision?.reason.length).toBeLessThan(11_000);
  });
});

test('an event that no hook waits for costs next to nothing', async () => {
  const { hooks } = readHooks(
    { PreToolUse: [{ matcher: 'Nothing', hooks: [{ type: 'command', command: 'exit 2' }] }] },
    SOURCE,
  );
  const never = () => {
    throw new Error('nothing is run');
  };
  const dispatcher = createHooks({
    hooks: () => hooks,
    sessionId: 's',
    base: never,
    permissionMode: never,
    environment: { processes: { run: never, close: never }, cwd: '/', env: {}, hide: never },
    callHost: never,
    newId: never,
    log: never,
    send: never,
    announcesAll: true,
  });
  const { signal } = new AbortController();
  const before = process.cpuUsage();
  for (let i = 0; i < 1000; i++) await dispatcher.fire('PreToolUse', { tool_name: 'Bash' }, signal);
  const { user, system } = process.cpuUsage(before);
  // A turn of ten calls fires about thirty events: far below 2 ms.
  expect((user + system) / 1000 / 1000).toBeLessThan(0.05);
});
