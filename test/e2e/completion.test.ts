import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SHELLS, type Shell } from '../../src/cli/commands/completion/shell-scripts.ts';
import { CLI, runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

const OLD = '11111111-1111-4111-8111-111111111111';
const NEW = '22222222-2222-4222-8222-222222222222';

const isInstalled = (shell: Shell) => spawnSync(shell, ['--version']).status === 0;

/** A `heddle` on the PATH that completes as the built one does, and otherwise only writes down its words. */
async function makeShellPlace(): Promise<Place & { log: string }> {
  const place = await makePlace();
  const bin = join(place.root, 'bin');
  const log = join(place.root, 'words');
  mkdirSync(bin);
  mkdirSync(join(place.cwd, 'own folder'));
  writeFileSync(join(place.cwd, 'own.json'), '{}');
  const heddle = join(bin, 'heddle');
  const written = `printf '%s\\n' "$@" > '${log}.part' && mv '${log}.part' '${log}'`;
  writeFileSync(
    heddle,
    `#!/bin/sh\nif [ "$1" = completion ]; then exec '${process.execPath}' '${CLI}' "$@"; fi\n${written}\n`,
  );
  chmodSync(heddle, 0o755);
  for (const [id, title] of [
    [OLD, 'the old one'],
    [NEW, 'the new one'],
  ] as const) {
    const run = await runCli(['-p', 'hello', '--model', 'offline', '--session-id', id, '--name', title], { place });
    expect(run.code).toBe(0);
  }
  return { ...place, log, env: { ...place.env, PATH: `${bin}:${place.env.PATH}`, HISTFILE: '/dev/null' } };
}

const STARTS: Record<Shell, { command: string; setup: string }> = {
  bash: { command: 'bash --norc --noprofile -i', setup: 'eval "$(heddle completion bash)"' },
  zsh: { command: 'zsh -f -i', setup: 'autoload -Uz compinit; compinit -u -D; source <(heddle completion zsh)' },
  fish: { command: 'fish --no-config -i', setup: 'heddle completion fish | source' },
};

/** An interactive shell on a pseudo terminal. `run` types a line and resolves with the words that heddle got. */
async function openShell(shell: Shell, { env, cwd, log }: Place & { log: string }) {
  const { command, setup } = STARTS[shell];
  const child = spawn('script', ['-qfec', `stty cols 200 rows 40; exec ${command}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh', PS1: '$ ' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const until = async (check: () => boolean) => {
    const deadline = Date.now() + 15_000;
    while (!check()) {
      if (Date.now() > deadline) throw new Error(`It did not happen: ${JSON.stringify(screen.slice(-800))}`);
      await once(child.stdout, 'data', { signal: AbortSignal.timeout(100) }).catch(() => null);
    }
  };
  child.stdin.write(`${setup}; echo re''ady\r`);
  await until(() => /ready\r?\n/.test(screen));
  return {
    screen: () => screen,
    until,
    type: (keys: string) => child.stdin.write(keys),
    async run(typed: string): Promise<string[]> {
      const before = existsSync(log) ? readFileSync(log, 'utf8') : '';
      child.stdin.write(typed);
      // The shells read ahead while they complete, so the line ends when its words have been completed.
      await until(() => existsSync(log) && readFileSync(log, 'utf8') !== before);
      return readFileSync(log, 'utf8').trimEnd().split('\n');
    },
  };
}

const TYPED: [typed: string, words: string[]][] = [
  ['heddle sessi\tli\t--ar\t\r', ['sessions', 'list', '--archived']],
  ['heddle --permission-mode acc\t\r', ['--permission-mode', 'acceptEdits']],
  ['heddle config set --scope=pr\t\r', ['config', 'set', '--scope=project']],
  [
    'heddle config set --scope pr\tpermissions.defaultM\t\r',
    ['config', 'set', '--scope', 'project', 'permissions.defaultMode'],
  ],
  ['heddle sessions show 111\t\r', ['sessions', 'show', OLD.slice(0, 8)]],
  ['heddle -r 222\t\r', ['-r', NEW.slice(0, 8)]],
  ['heddle --model offl\t\r', ['--model', 'offline']],
  ['heddle --model ollam\tx\r', ['--model', 'ollama/x']],
  ['heddle help sess\tren\t\r', ['help', 'sessions', 'rename']],
  ['heddle doctor own\t\r', ['doctor', 'own folder']],
  ['heddle --settings own.\t\r', ['--settings', 'own.json']],
  ['heddle hooks test PreTo\t\r', ['hooks', 'test', 'PreToolUse']],
];

describe.each(SHELLS.map((shell) => [shell] as const))('%s', (shell) => {
  test.skipIf(!isInstalled(shell))(
    'completes commands, options, values, sessions, models, files and directories',
    async () => {
      const place = await makeShellPlace();
      const session = await openShell(shell, place);
      const got: [string, string[]][] = [];
      // zsh takes the slash of a directory away when the line ends.
      const whole = (word: string) => word.replace(/\/$/, '');
      for (const [typed] of TYPED) got.push([typed, (await session.run(typed)).map(whole)]);
      expect(got).toEqual(TYPED);
    },
    90_000,
  );
});

test.skipIf(!isInstalled('bash'))(
  'bash lists sessions, the newest first, with their titles',
  async () => {
    const place = await makeShellPlace();
    const session = await openShell('bash', place);
    session.type('heddle sessions show \t\t');
    await session.until(() => session.screen().includes('the old one'));
    const listed = session.screen();
    expect(listed.indexOf(`${NEW.slice(0, 8)}  (the new one)`)).toBeGreaterThan(0);
    expect(listed.indexOf('(the old one)')).toBeGreaterThan(listed.indexOf('(the new one)'));
  },
  60_000,
);

test.skipIf(!isInstalled('fish'))(
  'fish shows the titles of sessions, the newest first',
  async () => {
    const { env, cwd } = await makeShellPlace();
    const script = "heddle completion fish | source; complete -C 'heddle sessions show '";
    const printed = execFileSync('fish', ['--no-config', '-c', script], { env, cwd, encoding: 'utf8' });
    expect(printed).toBe(`${NEW.slice(0, 8)}\tthe new one\n${OLD.slice(0, 8)}\tthe old one\n`);
  },
  60_000,
);

test.skipIf(!isInstalled('zsh'))(
  'zsh lists sessions with their titles, the newest first',
  async () => {
    const place = await makeShellPlace();
    const session = await openShell('zsh', place);
    session.type('heddle sessions show \t\t');
    await session.until(() => session.screen().includes('the old one'));
    const listed = session.screen();
    expect(listed.indexOf('the old one')).toBeGreaterThan(listed.indexOf(`${NEW.slice(0, 8)}  -- the new one`));
  },
  60_000,
);

test('what cannot be read is not offered, and no error comes into the line', async () => {
  const place = await makePlace();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.cwd, '.mcp.json'), 'no json');
  const { code, stdout, stderr } = await runCli(['completion', 'words', '--', 'mcp', 'get', ''], { place });
  expect([code, stdout, stderr]).toEqual([0, '', '']);
});

test('a name that a shell would read as a command is not offered: bash would run it with the line', async () => {
  const place = await makePlace();
  const hostile = [
    '$(touch pwned)',
    '`id`',
    'a;id',
    'a|b',
    'a>b',
    "a'b",
    'a"b',
    'a b',
    '!!',
    'a\u001b[2J',
    'a\nb',
    '{a,b}',
    '*',
  ];
  const mcpServers = Object.fromEntries([...hostile, 'good-one'].map((name) => [name, { command: 'true' }]));
  writeFileSync(join(place.cwd, '.mcp.json'), JSON.stringify({ mcpServers }));
  const { code, stdout } = await runCli(['completion', 'words', '--', 'mcp', 'get', ''], { place });
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['good-one', '']);
});

test('a shell that is not known is refused by name', async () => {
  const place = await makePlace();
  const { code, stdout, stderr } = await runCli(['completion', 'fishh'], { place });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain("there is no completion for 'fishh': use bash, zsh, fish");
  expect(stderr).toContain('Did you mean fish?');
});
