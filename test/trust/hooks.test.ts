import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { command, printing } from '../hooks/support.ts';
import { type Finished, runCli, STREAM_OUT, startCli } from '../support/cli.ts';
import { seededRandom } from '../support/fuzz.ts';
import { isResult, toolResult } from '../support/lines.ts';
import { ORPHAN_LOADS, type OrphanLoad } from '../support/orphan-loads.ts';
import { makePlace, type Place } from '../support/place.ts';
import { isAlive } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';
import { brokenHooks } from './hooks-broken.ts';
import { trustSize } from './size.ts';
import { tally } from './tally.ts';

const seed = trustSize('SEED', 1);
const rounds = Array.from({ length: trustSize('ROUNDS', 15) }, (_, round) => ({
  round,
  random: seededRandom(seed + round),
}));

const touch = toolUse('Bash', { command: 'touch canary' });
const BYPASS = ['--permission-mode', 'bypassPermissions'];
/** Every event of a turn with a tool, from the start of the session to its end. */
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop', 'SessionEnd'];

type Random = () => number;
const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;
const some = <T>(items: readonly T[], most: number, random: Random): T[] =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(items, random));

const decide = (permissionDecision: string, more: JsonObject = {}) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
});
const DENIERS = [
  command('echo not today >&2; exit 2'),
  command(printing(decide('deny', { permissionDecisionReason: 'not today' }))),
  command(printing({ decision: 'block', reason: 'not today' })),
  command('echo not today >&2; exit 7', { onFailure: 'block' }),
];
const OTHERS = [
  command('exit 0'),
  command('echo fine'),
  command('exit 1'),
  command('kill -9 $$'),
  command('printf "{"'),
  command(printing(decide('allow'))),
  command(printing(decide('ask'))),
  command(printing(decide('allow', { updatedInput: { command: 'touch other' } }))),
  command(printing({ decision: 'approve' })),
  command(printing({ async: true })),
];
const FAILURES = [
  'exit 1',
  'exit 127',
  'kill -9 $$',
  'kill -SEGV $$',
  'exec <&-; exit 0',
  'exec <&- >&- 2>&-; exit 3',
  'printf "{not json"',
  'printf "[1]"; exit 1',
  'head -c 300 /dev/urandom',
  'printf "{\\"decision\\": 7}"',
  'no-such-program-here',
];

describe(`[K-1] what any of several hooks denies does not run, and the model is told why, seed ${seed}`, () => {
  const check = tally(['K-1'], 'denied calls', 'run');

  test.each(rounds)('round $round', async ({ random }) => {
    const hooks = [...some(OTHERS, 3, random), pick(DENIERS, random), ...some(OTHERS, 3, random)];
    const matcher = pick(['', '*', 'Bash', 'Edit|Bash', 'B.*h$'], random);
    const place = await placeWith({ PreToolUse: [{ matcher, hooks }] }, [touch, 'Done.']);
    const mode = pick([BYPASS, ['--allowedTools', 'Bash'], []], random);
    const { code, lines } = await runCli([...STREAM_OUT, 'go', ...mode], { place });
    expect(code).toBe(0);
    check(['canary', 'other'].filter((name) => existsSync(join(place.cwd, name))));
    expect(lines.map(toolResult).find(Boolean)).toMatchObject({ is_error: true });
    expect(conversationText(place.api.requests[1])).toContain('not today');
    expect(lines.find(isResult)?.permission_denials).toHaveLength(1);
  });
});

describe(`[K-2] hooks that fail in any way do not hold up the turn, seed ${seed}`, () => {
  const check = tally(['K-2'], `turns with ${EVENTS.length} failing hooks each`, 'held up');

  test.each(rounds)('round $round', async ({ random }) => {
    const hooks = EVENTS.map((event) => [event, [{ hooks: [command(pick(FAILURES, random))] }]] as const);
    const place = await placeWith(Object.fromEntries(hooks), [touch, 'Done.']);
    const { code, lines } = await runCli([...STREAM_OUT, 'go', ...BYPASS], { place });
    expect({ code, result: lines.find(isResult)?.result }).toEqual({ code: 0, result: 'Done.' });
    check(existsSync(join(place.cwd, 'canary')) ? [] : ['the tool did not run']);
  });
});

describe('[K-3] a time-out bounds every event and ends the whole tree of the hook', () => {
  const loads = Object.keys(ORPHAN_LOADS).filter((load) => load !== 'untagged') as OrphanLoad[];
  const cases = EVENTS.flatMap((event, at) => [0, 3].map((step) => ({ event, load: pickAt(loads, at + step) })));

  const check = tally(['K-3'], 'hooks without end', 'left, or over the time-out + 2 s');

  test.each(cases)('$event: $load', async ({ event, load }) => {
    const timeout = 0.5;
    const hook = command(ORPHAN_LOADS[load], { timeout });
    const place = await placeWith({ [event]: [{ hooks: [hook] }] }, [touch, 'Done.']);
    const bare = await timed(await placeWith({}, [touch, 'Done.']));
    const { ms, finished } = await timed(place);
    expect(finished.code).toBe(0);
    const pid = Number(readFileSync(join(place.cwd, load), 'utf8'));
    expect(pid).toBeGreaterThan(0);
    const lateMs = ms - bare.ms - timeout * 1000;
    check([...(isAlive(pid) ? ['it still lives'] : []), ...(lateMs < 2000 ? [] : [`${lateMs} ms late`])]);
  });
});

describe('[K-4] 50 MB of output reach neither the model nor the heap nor the lines', () => {
  const flood = 'head -c 50000000 /dev/zero | tr "\\0" x';
  const ways: Record<string, string> = {
    'plain text': flood,
    'on stderr, objecting': `(${flood}) >&2; exit 2`,
    'a JSON that does not end': `printf '{"systemMessage":"'; ${flood}`,
    'a JSON that is whole': `printf '{"hookSpecificOutput":{"additionalContext":"'; ${flood}; printf '"}}'`,
    'after it said that nobody shall wait': `printf '{"async":true}\\n'; ${flood}`,
  };

  const check = tally(['K-4'], 'floods of 50 MB', 'over 5 MB sent or 200 MB held');

  test.each(
    Object.entries(ways).flatMap(([way, text]) =>
      ['SessionStart', 'PostToolUse', 'Stop'].map((event) => ({ way, text, event })),
    ),
  )('$event: $way', async ({ text, event }) => {
    const place = await placeWith({ [event]: [{ hooks: [command(text)] }] }, (_request, index) =>
      index ? 'Done.' : touch,
    );
    const cli = startCli([...STREAM_OUT, 'go', ...BYPASS, '--include-hook-events'], { place });
    cli.endInput();
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, peakMegabytes(cli.pid));
    }, 20);
    const { code, lines } = await cli.finished;
    clearInterval(timer);
    expect(code).toBe(0);
    const sent = JSON.stringify(place.api.requests.map(({ body }) => body)).length;
    expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(1_000_000);
    expect(peak).toBeGreaterThan(20);
    check([...(sent < 5_000_000 ? [] : [`${sent} bytes sent`]), ...(peak < 200 ? [] : [`${peak} MB held`])]);
  });
});

const checkStops = tally(['K-5'], 'Stop hooks that object for ever', 'over 60 requests');

test.each(
  DENIERS.filter(({ command: text }) => !String(text).includes('PreToolUse')).map(
    (hook) => [hook.command, hook] as const,
  ),
)('[K-5] a Stop hook that objects for ever is bounded: %s', async (_text, hook) => {
  const place = await placeWith({ Stop: [{ hooks: [hook] }] }, () => 'Done.');
  const { code, lines } = await runCli([...STREAM_OUT, 'go'], { place });
  expect({ code, result: lines.find(isResult)?.subtype }).toEqual({ code: 0, result: 'success' });
  checkStops(place.api.requests.slice(60));
});

describe(`[K-6] a prompt that is blocked is not sent, seed ${seed}`, () => {
  const ways = [
    'echo no >&2; exit 2',
    printing({ decision: 'block', reason: 'no' }),
    printing({ continue: false, stopReason: 'no' }),
    printing({ preventContinuation: true }),
  ];

  const check = tally(['K-6'], 'prompts', 'blocked and sent all the same');

  test.each(rounds)('round $round', async ({ random }) => {
    const guard = `if grep -q xyzzy; then ${pick(ways, random).replace('cat > /dev/null; ', '')}; fi`;
    const hooks = [...some(FAILURES, 2, random), guard, ...some(['echo by the way', 'exit 0'], 2, random)];
    const groups = [{ hooks: hooks.map((text) => command(text)) }];
    const place = await placeWith({ UserPromptSubmit: groups }, () => 'Done.');
    const cli = startCli([...STREAM_OUT, '--input-format', 'stream-json'], { place });
    const prompts = Array.from({ length: 4 }, (_, at) => (random() < 0.5 ? `xyzzy ${at}` : `open ${at}`));
    for (const prompt of prompts) {
      cli.say(prompt);
      await cli.nextResult();
    }
    cli.endInput();
    expect((await cli.finished).code).toBe(0);
    expect(place.api.requests).toHaveLength(prompts.filter((prompt) => prompt.startsWith('open')).length);
    check(
      place.api.requests.filter(({ body }) => JSON.stringify(body).includes('xyzzy')),
      prompts.length,
    );
  });
});

describe(`[K-7, K5] hooks of any shape are said to be wrong, and those that are right apply, seed ${seed}`, () => {
  const check = tally(['K-7'], 'sets of odd hooks', 'silent or without effect');

  test.each(rounds)('round $round', async ({ random }) => {
    const { hooks, problems } = brokenHooks(
      random,
      command(printing(decide('deny', { permissionDecisionReason: 'no' }))),
    );
    const place = await placeWith(hooks, [touch, 'Done.']);
    const { code, lines, stderr } = await runCli([...STREAM_OUT, 'go', ...BYPASS], { place });
    expect({ code, result: lines.find(isResult)?.result }, stderr).toEqual({ code: 0, result: 'Done.' });
    expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
    check(problems.filter((problem) => !stderr.includes(problem)));
    expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });
});

async function placeWith(hooks: unknown, script: Parameters<typeof makePlace>[0]): Promise<Place> {
  const place = await makePlace(script);
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ hooks }));
  return place;
}

async function timed(place: Place): Promise<{ ms: number; finished: Finished }> {
  const started = Date.now();
  const finished = await runCli([...STREAM_OUT, 'go', ...BYPASS], { place });
  return { ms: Date.now() - started, finished };
}

function pickAt<T>(items: readonly T[], at: number): T {
  return items[at % items.length] as T;
}

/** The most that a process has held so far; 0 when it is gone. */
function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
