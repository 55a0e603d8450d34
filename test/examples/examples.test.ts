import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';

/**
 * Every file of examples/, run as a user would run it: in a project that has the package in its node_modules, as a
 * process of its own, without a network, a key or a home that anybody uses.
 */
const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'heddle-examples-'));
  mkdirSync(join(base, 'node_modules'));
  symlinkSync(ROOT, join(base, 'node_modules/heddle'), 'dir');
  for (const name of ['zod', '@opentelemetry']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(base, 'node_modules', name), 'dir');
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));

test('quick-start prints the text and the result', async () => {
  const { lines } = await run('quick-start.ts');
  expect(lines).toContainEqual(expect.stringMatching(/^> .*\/notes\.md$/));
  expect(lines.at(-1)).toMatch(/^\$0, session [0-9a-f-]{36}$/);
});

test('[K24] quick-start without a key fails, and does not print the error as the answer', async () => {
  const { code, stdout, stderr } = await start('quick-start.ts', {
    edit: (source) => source.replace("model: 'offline'", ''),
  });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/FailedResultError: .*ANTHROPIC_API_KEY/);
});

test('[USE-02] streaming prints the text from its deltas', async () => {
  const { lines } = await run('streaming.ts');
  expect(lines.slice(0, 3)).toEqual(['1. Run `echo one two three`:', '', '> one two three']);
  expect(lines.at(-1)).toMatch(/^\([1-9]\d* tokens out\)$/);
});

test('[USE-03, USE-04] tool-calls assembles calls from deltas and shows their results', async () => {
  const { lines } = await run('tool-calls.ts');
  expect(lines).toEqual([
    'call    Read {"file_path":"loom.txt"}',
    'result       1→warp',
    'call    Grep {"pattern":"weft","output_mode":"content","-n":true}',
    'result  loom.txt:2:weft',
  ]);
});

test('[USE-06] chat-bridge answers messages that are pushed into a live session', async () => {
  const { lines } = await run('chat-bridge.ts');
  expect(lines.filter((line) => line.startsWith('> '))).toEqual(['> good morning', '> good night']);
});

test('[V2-09, V2-02] multi-turn asks and reads by turns, and goes on later', async () => {
  const { lines } = await run('multi-turn.ts');
  expect(lines.filter((line) => line.startsWith('> '))).toEqual(['> first', '> second', '> third']);
  expect(lines.at(-1)).toBe('same session: true');
});

test('branches goes back, asks again and copies', async () => {
  const { lines } = await run('branches.ts');
  expect(lines).toEqual([
    'run: echo left: 2 turns',
    'run: echo right: 2 turns, active',
    '2 branches, as before',
    'copied: true',
  ]);
});

test('telemetry prints the spans of a turn below that of the program', async () => {
  const { lines } = await run('telemetry.ts');
  expect(lines).toEqual([
    '2 turns',
    'answer a customer',
    '  invoke_agent heddle',
    '    chat offline',
    '    execute_tool Bash',
    '    chat offline',
  ]);
});

test('edit-and-resend asks again in the place of an earlier message', async () => {
  const { lines } = await run('edit-and-resend.ts');
  expect(lines).toEqual([
    'before: wfet',
    'would change 1 file',
    'after: weft',
    '  replace warp with wfet in loom.txt',
    '* replace warp with weft in loom.txt',
    'and back: wfet',
  ]);
});

test('chat talks, and asks before something runs', async () => {
  const input = ['run: echo hello', '', 'run: touch yes.txt', 'y', 'run: touch no.txt', 'n'].join('\n');
  const { lines, work } = await run('chat.ts', { input });
  const text = lines.join('\n');
  expect(text).toMatch(/> hello\n\(2 turns, \$0\.0000 so far\)/);
  expect(text.match(/touch \w+\.txt.* \[y\/n\] /g)).toHaveLength(2);
  expect(text).toMatch(/The user said no\./);
  expect(lines.at(-1)).toBe('bye');
  expect(readdirSync(work).sort()).toEqual(['notes.md', 'yes.txt']);
});

test('chat: Ctrl-C ends the answer, and then the chat', async () => {
  const { work, child } = await begin('chat.ts');
  child.stdin.write('run: touch begun && sleep 60\ny\n');
  await eventually(() => existsSync(join(work, 'begun')));
  child.kill('SIGINT');
  await eventually(() => child.said().includes('[aborted_tools]'));
  child.kill('SIGINT');
  expect(await child.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/bye\n$/) });
});

test('server-sent-events streams an answer, and refuses what is no prompt', async () => {
  const { lines } = await run('server-sent-events.ts');
  expect(lines).toEqual([
    '200 text/event-stream',
    'in pieces: 1. Run `echo warp and weft`:  > warp and weft',
    'done: $0',
    '400 no events',
  ]);
});

test('github-review annotates lines, and its exit code says what came of it', async () => {
  const { lines } = await run('github-review.ts', { code: 1 });
  expect(lines).toEqual([
    '::error file=loom.js,line=2::This assigns 0.%0AUse ===.',
    expect.stringMatching(/^One bug\. \(\$0\.\d{4}\)$/),
  ]);
  const none = await start('github-review.ts', {
    edit: (source) => source.replace('findings: [finding]', 'findings: []'),
  });
  expect(none).toMatchObject({ code: 0, stdout: expect.stringMatching(/^One bug\. .*\n$/) });
  const wrong = await start('github-review.ts', {
    edit: (source) => source.replace("level: 'error'", "level: 'fatal'"),
  });
  expect(wrong).toMatchObject({ code: 2, stdout: expect.stringMatching(/^::error::The review failed: /) });
});

test('custom-store keeps sessions of agents in other processes, and its promises', async () => {
  const { lines, home } = await run('custom-store.ts');
  expect(lines.slice(-3)).toEqual([
    '> kept by the host',
    'run: echo kept by the host, run: echo and gone on with',
    'keeps its promises: true',
  ]);
  expect(readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith('.jsonl'))).toEqual([]);
});

test('[CNT-08] client is read in several places', async () => {
  const { lines } = await run('client.ts');
  expect(lines.filter((line) => !/^\d\.|^$/.test(line))).toEqual([
    'connected: true',
    '> one',
    '> two',
    'caught up on 2 results',
    'the log has 2 results',
  ]);
});

test('abort shows what an interrupt ends, and what an abort does', async () => {
  const { lines } = await run('abort.ts');
  expect(lines.filter((line) => !/^\d\.|^$/.test(line))).toEqual([
    'interrupted: true, aborted_tools',
    '> still here',
    'aborted: aborted',
  ]);
});

test('[TRN-08] custom-transport talks to an agent over a socket', async () => {
  const { lines } = await run('custom-transport.ts');
  expect(lines).toContain('> over the wire');
});

test('[OPT-32, OPT-33] system-prompt shows what becomes of each kind', async () => {
  const { lines } = await run('system-prompt.ts');
  expect(lines).toEqual([
    expect.stringMatching(/^none: short, rhymes: false$/),
    expect.stringMatching(/^your own: (short|some), rhymes: true$/),
    'the agent’s: long, rhymes: false',
    'the agent’s, and more: long, rhymes: true',
  ]);
});

test('[OPT-34] tools-option shows which tools there are', async () => {
  const { lines } = await run('tools-option.ts');
  expect(lines).toEqual(['two of them: Grep Read', 'none: ', 'all but Bash: more than five, Bash among them: false']);
});

test('[USE-01, USE-04, USE-05] stream-json-parser drives the command line without the SDK', async () => {
  const { lines } = await run('stream-json-parser.ts');
  expect(lines).toEqual(['session has an id: true', 'call: Write', 'may it? Write', 'the call has a result', 'done']);
});

test('permission-callback allows with a changed input, and denies', async () => {
  const { lines } = await run('permission-callback.ts');
  expect(lines).toEqual(['allowed: write note.txt', 'denied: rm -rf build', 'note.txt: hello (checked)']);
});

test('[USE-07, HK-35] hooks deny, change and watch', async () => {
  const { lines } = await run('hooks.ts');
  expect(lines).toEqual([
    'ran: Bash nice echo hello',
    'denied: rm -rf build',
    'UserPromptSubmit: run: echo hello then run: rm -rf build',
  ]);
});

test('in-process goes on with a session of its memory store, and keeps nothing on disk', async () => {
  const { lines, home } = await run('in-process.ts');
  expect(lines.filter((line) => line.startsWith('> '))).toEqual(['> loom.txt:2:weft', '> 2 loom.txt']);
  expect(lines.at(-1)).toBe('same session: true');
  expect(readdirSync(home)).toEqual([]);
});

test('custom-model answers with a model of its own', async () => {
  const { lines } = await run('custom-model.ts');
  expect(lines).toEqual(['WEAVE ON']);
});

test('[OPT-23] structured-output asks again for what does not fit, and hands out what does', async () => {
  const { lines } = await run('structured-output.ts');
  expect(lines).toEqual(['Twill: 241 threads with the selvedge, 0 colours', 'asked 2 times']);
});

test('[QM-06] commands lists the commands and shows what one says', async () => {
  const { lines } = await run('commands.ts');
  expect(lines).toContainEqual(expect.stringMatching(/^\/compact: ./));
  expect(lines).toContainEqual(expect.stringMatching(/^offline: \d+ of 200000 tokens/));
});

test('[SET-07, FLD-05] skills finds a skill and a command of the project', async () => {
  const { lines } = await run('skills.ts');
  expect(lines.filter((line) => !/^\d\.|^$/.test(line))).toEqual([
    '/greet           Greets people',
    '/shout [words]   Says it loudly',
    'skills: debug greet',
    '> hello Ada',
    'skills: debug greet',
    '> warp, weft!',
  ]);
});

test('custom-tools runs a function of the program, and tells the model what is wrong with a call', async () => {
  const { lines } = await run('custom-tools.ts');
  expect(lines).toEqual([
    'InputValidationError: in_stock was called with a bad input:',
    'cloth must be equal to one of the allowed values: linen, wool',
    '12 bolts of linen',
    'There are 12 bolts of linen.',
  ]);
});

test('[USE-07, MCP-06] mcp-calculator runs tools of this program for an agent in another process', async () => {
  const { lines } = await run('mcp-calculator.ts');
  expect(lines).toEqual([
    "[ { name: 'calc', status: 'connected', source: 'sdk' } ]",
    "[ { type: 'text', text: '42' } ]",
    'Error: Nothing can be divided by 0',
    'Six times seven is 42, and 42 by 0 is nothing.',
  ]);
});

test('every example has a test here', () => {
  const source = readFileSync(join(ROOT, 'test/examples/examples.test.ts'), 'utf8');
  expect(examples.filter((name) => !source.includes(`run('${name}'`))).toEqual([]);
});

test('the example in the README is examples/quick-start.ts', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(code).toBe(readFileSync(join(ROOT, 'examples/quick-start.ts'), 'utf8'));
});

interface Outcome {
  /** What it printed, without the last line feed. */
  lines: string[];
  work: string;
  home: string;
}

/** Fails unless the example ends by itself, with the exit code that is wanted (0) and a silent stderr. */
async function run(name: string, { code: wanted = 0, input = '' } = {}): Promise<Outcome> {
  const { code, stdout, stderr, work, home } = await start(name, { input });
  expect({ code, stderr }, stdout).toEqual({ code: wanted, stderr: '' });
  return { lines: stdout.trimEnd().split('\n'), work, home };
}

/** The same, however it ends. `edit` changes the source before, as a reader would. */
async function start(name: string, { input = '', edit }: { input?: string; edit?: (source: string) => string } = {}) {
  const { child, work, home } = await begin(name, edit);
  child.stdin.end(input);
  return { ...(await child.ended), work, home };
}

async function begin(name: string, edit = (source: string) => source) {
  const program = join(base, name.replace(/\.ts$/, '.mjs'));
  const source = edit(readFileSync(join(ROOT, 'examples', name), 'utf8'));
  writeFileSync(program, transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' }).code);
  const work = mkdtempSync(join(base, 'work-'));
  writeFileSync(join(work, 'notes.md'), '# Notes\n');
  const home = mkdtempSync(join(base, 'home-'));
  // Nothing else is inherited: an example that needs a key or a setting must not find one by chance.
  const env = { PATH: process.env.PATH, HOME: home, HEDDLE_HOME: join(home, '.heddle') };
  return { work, home, child: spawnProgram(program, { cwd: work, env }) };
}

function spawnProgram(program: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(process.execPath, [program], { ...options, stdio: 'pipe', timeout: 20_000 });
  let stdout = '';
  let stderr = '';
  child.stdin.on('error', () => {}); // it does not read what it is given
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return Object.assign(child, { ended, said: () => stdout });
}
