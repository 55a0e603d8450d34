import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { FLAGS } from '../../src/wire/flags.ts';
import { type Finished, runCli, STREAM_OUT } from '../support/cli.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

const bash = (command: string) => toolUse('Bash', { command });

/** One turn in stream-json. The prompt goes first: a flag that takes a list would take it along. */
function ask(place: Place, ...flags: string[]): Promise<Finished> {
  return runCli([...STREAM_OUT, 'the prompt', ...flags], { place });
}

function initOf({ lines }: Finished): Line {
  const init = lines.find(({ subtype }) => subtype === 'init');
  if (!init) throw new Error('There is no init line');
  return init;
}

function systemOf(place: Place, at = 0): string[] {
  return (bodyOf(place.api.requests[at]).system ?? []).map(({ text = '' }) => text);
}

function toolNames(place: Place): string[] | undefined {
  return bodyOf(place.api.requests[0]).tools?.map(({ name }) => name);
}

/** Whether the one Bash call of a run was let through. */
function wasAllowed({ lines }: Finished): boolean {
  return toolResult(lines.find(({ type }) => type === 'user'))?.is_error !== true;
}

describe('what a run prints', () => {
  test.each(['-p', '--print'])('[FLG-01] %s answers on stdout and ends', async (flag) => {
    const place = await makePlace(['the answer']);
    const { code, stdout } = await runCli([flag, 'hi'], { place });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' });
  });

  test('[FLG-02] --output-format: a text, one object, or a line for each event', async () => {
    const place = await makePlace(['one', 'two', 'three']);
    const text = await runCli(['-p', 'hi', '--output-format', 'text'], { place });
    expect(text.stdout).toBe('one\n');
    const json = await runCli(['-p', 'hi', '--output-format', 'json'], { place });
    expect(JSON.parse(json.stdout)).toMatchObject({ type: 'result', subtype: 'success', result: 'two' });
    const { lines } = await ask(place);
    expect(lines.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
  });

  test('[SET-06] the init line names the output style', async () => {
    const place = await makePlace(['ok']);
    expect(initOf(await ask(place))).toMatchObject({ output_style: 'default' });
  });
});

describe('which settings are read', () => {
  test('[FLG-23] --setting-sources: a list of files, or none', async () => {
    const place = await makePlace(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? bash('touch made') : 'done')));
    const put = (file: string, allow: string[]) => {
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, JSON.stringify({ permissions: { allow } }));
    };
    put(join(place.home, 'settings.json'), ['Read']);
    put(join(place.cwd, '.claude/settings.json'), ['Bash(touch:*)']);
    const runs = [['user,project'], ['local,project'], ['user,local'], ['']];
    const allowed = [];
    for (const sources of runs) allowed.push(wasAllowed(await ask(place, '--setting-sources', ...sources)));
    expect(allowed).toEqual([true, true, false, false]);
  });
});

describe('about the program', () => {
  test.each(['-v', '--version'])('[FLG-30, P1] %s: the wire version first, then ours', async (flag) => {
    const place = await makePlace();
    const { code, stdout } = await runCli([flag], { place });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2\.1\.44 \(Heddle \d+\.\d+\.\d+\)\n$/);
  });

  test('[FLG-31] --help lists every flag', async () => {
    const place = await makePlace();
    const { code, stdout } = await runCli(['--help'], { place });
    expect(code).toBe(0);
    expect(FLAGS.map(({ name }) => name).filter((name) => !stdout.includes(name))).toEqual([]);
  });

  test('[K38] a flag without effect here is accepted with a note', async () => {
    const place = await makePlace(['ok']);
    const { code, stdout, stderr } = await runCli(['-p', '--ide', 'hi'], { place });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
    expect(stderr).toMatch(/--ide .*ignored/);
  });
});

describe('model', () => {
  test('[FLG-15, OPT-22] --model', async () => {
    const place = await makePlace(['ok']);
    const run = await ask(place, '--model', 'claude-haiku-4-5-20251001');
    expect(bodyOf(place.api.requests[0]).model).toBe('claude-haiku-4-5-20251001');
    expect(initOf(run).model).toBe('claude-haiku-4-5-20251001');
  });

  test('[FLG-13, B-236] --system-prompt replaces, also from a file', async () => {
    const place = await makePlace(() => 'ok');
    writeFileSync(join(place.cwd, 'prompt.md'), 'You are a file.');
    await ask(place, '--system-prompt', 'You are a loom.');
    await ask(place, '--system-prompt-file', 'prompt.md');
    expect([systemOf(place, 0), systemOf(place, 1)]).toEqual([['You are a loom.'], ['You are a file.']]);
    const both = await ask(place, '--system-prompt', 'x', '--system-prompt-file', 'prompt.md');
    expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining('not both') });
  });

  test('[FLG-14] --append-system-prompt appends, also from a file', async () => {
    const place = await makePlace(() => 'ok');
    writeFileSync(join(place.cwd, 'more.md'), 'Even shorter.');
    await ask(place);
    await ask(place, '--append-system-prompt', 'Be short.');
    await ask(place, '--append-system-prompt-file', 'more.md');
    const [plain] = systemOf(place, 0);
    expect(plain).toContain('Heddle');
    expect(systemOf(place, 1)).toEqual([plain, 'Be short.']);
    expect(systemOf(place, 2)).toEqual([plain, 'Even shorter.']);
  });

  test('[FLG-28, FLG-29, FLG-24] thinking, effort and betas are in the request', async () => {
    const place = await makePlace(['ok']);
    const flags = ['--max-thinking-tokens', '2048', '--effort', 'high', '--betas', 'one-beta,other-beta'];
    await ask(place, ...flags, '--model', 'claude-opus-4-5'); // the default model takes no effort
    const [request] = place.api.requests;
    expect(bodyOf(request)).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2048 },
      output_config: { effort: 'high' },
    });
    expect(request?.headers['anthropic-beta']).toMatch(/one-beta.*other-beta/);
  });

  test('[FLG-08] --max-turns', async () => {
    const place = await makePlace([bash('echo 1'), bash('echo 2'), bash('echo 3')]);
    const { lines, code } = await ask(place, '--max-turns', '2');
    expect(lines.at(-1)).toMatchObject({ subtype: 'error_max_turns', errors: ['Reached max turns (2)'] });
    expect([code, place.api.requests.length]).toEqual([1, 2]);
  });
});

const BUILT_IN = [
  ...['Bash', 'Edit', 'EnterPlanMode', 'ExitPlanMode', 'Glob', 'Grep', 'NotebookEdit', 'Read', 'Task'],
  ...['TaskOutput', 'TaskStop', 'TodoWrite', 'WebFetch', 'WebSearch', 'Write'],
];

describe('tools and permissions', () => {
  test.each([
    [
      ['--tools', 'Read,Bash'],
      ['Bash', 'Read'],
    ],
    [
      ['--tools', 'Read', 'Bash'],
      ['Bash', 'Read'],
    ],
    [['--tools', ''], []],
    [['--tools', 'default'], BUILT_IN],
    [['--disallowedTools', 'Bash', 'Write,Edit'], BUILT_IN.filter((name) => !['Bash', 'Edit', 'Write'].includes(name))],
  ])('[FLG-12, FLG-11] %j leave the tools %j', async (flags, names) => {
    const place = await makePlace(['ok']);
    const run = await ask(place, ...flags);
    expect((toolNames(place) ?? []).toSorted()).toEqual(names);
    expect((initOf(run).tools as string[]).toSorted()).toEqual(names);
  });

  test('[FLG-11, K7] a tool that was removed does not run, whatever else allows it', async () => {
    const place = await makePlace([bash('touch canary'), 'ok']);
    const run = await ask(
      place,
      '--disallowedTools',
      'Bash',
      '--allowedTools',
      'Bash',
      '--dangerously-skip-permissions',
    );
    expect(wasAllowed(run)).toBe(false);
    expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
  });

  test('[FLG-11, G5] a deny rule with content holds in every mode', async () => {
    const place = await makePlace([bash('true && touch canary'), 'ok']);
    const run = await ask(place, '--disallowedTools', 'Bash(touch:*)', '--dangerously-skip-permissions');
    expect(wasAllowed(run)).toBe(false);
    expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
  });

  test.each([
    ['nothing', [], false],
    ['a rule', ['--allowedTools', 'Bash(touch:*)'], true],
    ['a list with commas', ['--allowedTools', 'Read,Bash(touch:*)'], true],
    ['a list of words', ['--allowed-tools', 'Read', 'Bash(touch:*)'], true],
    ['another rule', ['--allowedTools', 'Bash(mkdir:*)'], false],
  ])('[FLG-10, K7] --allowedTools: %s', async (_what, flags, allowed) => {
    const place = await makePlace([bash('touch canary'), 'ok']);
    expect(wasAllowed(await ask(place, ...flags))).toBe(allowed);
    expect(existsSync(join(place.cwd, 'canary'))).toBe(allowed);
  });

  test.each(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])(
    '[FLG-17, OPT-25] --permission-mode %s',
    async (mode) => {
      const place = await makePlace([bash('install -m 600 /dev/null canary'), 'ok']);
      const run = await ask(place, '--permission-mode', mode);
      expect(initOf(run).permissionMode).toBe(mode);
      expect(existsSync(join(place.cwd, 'canary'))).toBe(mode === 'bypassPermissions');
    },
  );

  test('[FLG-22] --settings: rules from JSON and from a file', async () => {
    const settings = JSON.stringify({ permissions: { allow: ['Bash(touch:*)'] } });
    const place = await makePlace((_request, index) => (index % 2 === 0 ? bash('touch canary') : 'ok'));
    writeFileSync(join(place.cwd, 'settings.json'), settings);
    expect(wasAllowed(await ask(place, '--settings', settings))).toBe(true);
    expect(wasAllowed(await ask(place, '--settings', 'settings.json'))).toBe(true);
  });

  test('[FLG-25, OPT-02] --add-dir: files there may be read, others not', async () => {
    const place = await makePlace((_request, index) => {
      const steps = ['inside', 'other', 'outside'].map((name) =>
        toolUse('Read', { file_path: join(place.root, name, 'file.txt') }),
      );
      return steps[index] ?? 'ok';
    });
    for (const name of ['inside', 'other', 'outside']) {
      mkdirSync(join(place.root, name));
      writeFileSync(join(place.root, name, 'file.txt'), `this is ${name}`);
    }
    const { lines } = await ask(place, '--add-dir', '../inside', '--add-dir', join(place.root, 'other'));
    const results = lines.filter(({ type }) => type === 'user').map((line) => toolResult(line));
    expect(results.map((result) => result?.is_error === true)).toEqual([false, false, true]);
    expect(JSON.stringify(results)).not.toContain('this is outside');
  });
});

describe('sessions', () => {
  const sessionId = '44444444-4444-4444-8444-444444444444';

  test('[B-232, B-001] --session-id names the session, once', async () => {
    const place = await makePlace(() => 'ok');
    const run = await ask(place, '--session-id', sessionId);
    expect(run.lines.map((line) => line.session_id)).toEqual([sessionId, sessionId, sessionId]);
    expect(readEntries(sessionFile(place, sessionId)).length).toBeGreaterThan(2);
    const again = await ask(place, '--session-id', sessionId);
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('already in use') });
  });

  test('[B-002, B-232] --no-session-persistence leaves nothing on disk', async () => {
    const place = await makePlace([bash('echo hi'), 'ok']);
    const { code } = await ask(place, '--no-session-persistence', '--allowedTools', 'Bash');
    expect(code).toBe(0);
    expect(existsSync(place.home)).toBe(false);
  });

  test('[FLG-21, S-26] --fork-session goes on in a new file and leaves the old one as it is', async () => {
    const place = await makePlace(() => 'ok');
    await ask(place, '--session-id', sessionId);
    const before = readFileSync(sessionFile(place, sessionId));
    const fork = await ask(place, '--resume', sessionId, '--fork-session');
    expect(initOf(fork).session_id).not.toBe(sessionId);
    expect(readFileSync(sessionFile(place, sessionId)).equals(before)).toBe(true);
    expect(bodyOf(place.api.requests[1]).messages.length).toBe(3);
  });
});

describe('diagnostics', () => {
  test('[FLG-32] --debug and --debug-to-stderr say more on stderr, and no key', async () => {
    const place = await makePlace(() => 'ok');
    const quiet = await ask(place);
    expect(quiet.stderr).toBe('');
    for (const flags of [['--debug'], ['-d'], ['--debug-to-stderr']]) {
      const { code, stderr, lines } = await ask(place, ...flags);
      expect([code, lines.length]).toEqual([0, 3]);
      expect(stderr, flags[0]).toMatch(/^heddle: A turn ended: completed/m);
      expect(stderr).not.toContain(place.env.ANTHROPIC_API_KEY);
    }
  });

  test('--debug-file writes it to a private file instead', async () => {
    const place = await makePlace(['ok']);
    const file = join(place.root, 'debug.log');
    const { stderr } = await ask(place, '--debug-file', file);
    expect(stderr).toBe('');
    expect(readFileSync(file, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT.* debug A turn ended: completed/m);
    expect(readFileSync(file, 'utf8')).not.toContain(place.env.ANTHROPIC_API_KEY);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
