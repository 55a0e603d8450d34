import { describe, expect, test } from 'vitest';
import { COMMAND_HELP } from '../../src/cli/commands/all-help.ts';
import { readHelp } from '../../src/cli/commands/completion/help-shape.ts';
import { FLAGS } from '../../src/wire/flags.ts';
import { type Finished, runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

const COMMANDS = Object.keys(COMMAND_HELP);
const wordsOf = (command: string) => command.split(' ').slice(1);

/** Every option that a command takes, by its own name: asked of the command itself, with one that nobody has. */
async function optionsOf(command: string): Promise<string[]> {
  const known = await knownTo(wordsOf(command));
  const names = known.map((word) => FLAGS.find(({ aliases }) => aliases?.includes(word))?.name ?? word);
  return [...new Set(names)].filter((name) => name !== '-h' && name !== '--help');
}

async function knownTo([group = '', ...rest]: string[]): Promise<string[]> {
  const run = RUNNERS[group];
  if (!run) throw new Error(`How is heddle ${group} run?`);
  const error = await run([...rest, '--no-such-option']).then(
    () => null,
    (reason: { facts: { known: string[] } }) => reason,
  );
  return error?.facts.known ?? [];
}

const RUNNERS: Record<string, (argv: string[]) => Promise<number>> = {
  sessions: async (argv) => (await import('../../src/cli/commands/sessions/sessions-command.ts')).runSessions(argv),
  tasks: async (argv) => (await import('../../src/cli/commands/tasks/tasks-command.ts')).runTasks(argv),
  rewind: async (argv) => (await import('../../src/cli/commands/rewind.ts')).runRewind(argv),
  config: async (argv) => (await import('../../src/cli/commands/config.ts')).runConfig(argv),
  trust: async (argv) => (await import('../../src/cli/commands/trust.ts')).runTrust(argv),
  permissions: async (argv) => (await import('../../src/cli/commands/permissions.ts')).runPermissions(argv),
  hooks: async (argv) => (await import('../../src/cli/commands/hooks.ts')).runHooks(argv),
  mcp: async (argv) => (await import('../../src/cli/commands/mcp/mcp.ts')).runMcp(argv),
  plugin: async (argv) => (await import('../../src/cli/commands/plugin/plugin.ts')).runPlugin(argv),
  auth: async (argv) => (await import('../../src/cli/commands/auth/auth.ts')).runAuth(argv),
  shim: async (argv) => (await import('../../src/cli/commands/shim.ts')).runShim(argv),
  acp: async (argv) => (await import('../../src/cli/commands/acp.ts')).runAcp(argv),
  serve: async (argv) => (await import('../../src/cli/commands/serve.ts')).runServe(argv),
  web: async (argv) => (await import('../../src/cli/commands/web.ts')).runWeb(argv),
  attach: async (argv) => (await import('../../src/cli/commands/attach.ts')).runAttach(argv),
  completion: async (argv) =>
    (await import('../../src/cli/commands/completion/completion-command.ts')).runCompletion(argv, COMMAND_HELP),
  stats: async (argv) => (await import('../../src/cli/commands/stats/stats-command.ts')).runStats(argv),
  models: async (argv) => (await import('../../src/cli/commands/models.ts')).runModels(argv),
  doctor: async (argv) => (await import('../../src/cli/commands/doctor.ts')).runDoctor(argv),
};

describe.each(COMMANDS)('%s --help', (command) => {
  const isRun = command === 'heddle';

  test('has a usage line, two examples that call it, and fits a terminal', async () => {
    const help = (await COMMAND_HELP[command]?.()) ?? '';
    expect(help.split('\n')[0]).toMatch(new RegExp(`^Usage: ${command} `));
    const [, after = ''] = help.split('\nExamples:\n');
    const examples = (after.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('  heddle '));
    expect(examples.length).toBeGreaterThanOrEqual(2);
    expect(examples.some((line) => line.includes(command))).toBe(true);
    expect(help.split('\n').filter((line) => line.length > (isRun ? 120 : 100))).toEqual([]);
    expect(help.endsWith('\n') && !help.endsWith('\n\n')).toBe(true);
  });
});

// Those of a run are held by test/cli/commands/help.test.ts; a group without a command has none of its own.
const WITHOUT_OPTIONS = [
  'heddle',
  'heddle sessions',
  'heddle tasks',
  'heddle mcp',
  'heddle plugin',
  'heddle auth',
  'heddle shim',
  'heddle completion',
];
test.each(COMMANDS.filter((command) => !WITHOUT_OPTIONS.includes(command)))(
  '%s --help names every option',
  async (command) => {
    const help = (await COMMAND_HELP[command]?.()) ?? '';
    const options = await optionsOf(command);
    expect(options.length).toBeGreaterThan(0);
    const isNamed = (name: string) => new RegExp(`(^|[\\s[(,|])${name}(?![\\w-])`, 'm').test(help);
    expect(options.filter((name) => !isNamed(name))).toEqual([]);
  },
);

test.each(COMMANDS.filter((command) => !WITHOUT_OPTIONS.includes(command)))(
  '%s: completion offers the options that it takes, and no others',
  async (command) => {
    const offered = readHelp((await COMMAND_HELP[command]?.()) ?? '', command).options.map(({ name }) => name);
    const refused = ['--claudeai', '--console', '--sso', '--email', '--no-such-option'];
    const taken = (await optionsOf(command)).filter((name) => name.startsWith('--') && !refused.includes(name));
    expect(offered.sort()).toEqual(taken.sort());
  },
);

test('heddle: completion offers every option of a run, with a description', async () => {
  const { options } = readHelp((await COMMAND_HELP.heddle?.()) ?? '', 'heddle');
  const offered = new Map(options.map(({ name, text }) => [name, text]));
  const told = FLAGS.filter(({ name }) => (offered.get(name) ?? '') === '').map(({ name }) => name);
  // These two stand in the description of another one.
  expect(told).toEqual(['--debug-to-stderr', '--system-prompt-file', '--append-system-prompt-file']);
  for (const { name, kind } of FLAGS.filter(({ name: each }) => offered.has(each))) {
    const { value } = options.find((option) => option.name === name) ?? {};
    expect([name, value === null]).toEqual([name, kind === 'switch']);
  }
});

test('[FLG-31] the built command line prints each of them on stdout and exits 0', async () => {
  const place = await makePlace();
  const outcomes: [string, Finished][] = [];
  for (let at = 0; at < COMMANDS.length; at += 6) {
    const some = COMMANDS.slice(at, at + 6);
    const runs = some.map(async (name): Promise<[string, Finished]> => {
      return [name, await runCli([...wordsOf(name), '--help'], { place })];
    });
    outcomes.push(...(await Promise.all(runs)));
  }
  for (const [name, { code, stdout, stderr }] of outcomes) {
    expect([name, code, stderr]).toEqual([name, 0, '']);
    expect(stdout).toBe(await COMMAND_HELP[name]?.());
  }
}, 60_000);

test('heddle help COMMAND says the same', async () => {
  const place = await makePlace();
  const { code, stdout } = await runCli(['help', 'mcp', 'add'], { place });
  expect([code, stdout]).toEqual([0, await COMMAND_HELP['heddle mcp add']?.()]);
  const wrong = await runCli(['help', 'mcp', 'ad'], { place });
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Did you mean mcp add?') });
});

test.each([
  [['config', 'set'], 'heddle config'],
  [['permissions', 'explain'], 'heddle permissions'],
  [['hooks', 'list'], 'heddle hooks'],
  [['help'], 'heddle'],
])('heddle help %j: where there is no help of its own, that of %s', async (words, command) => {
  const place = await makePlace();
  const { code, stdout } = await runCli(['help', ...words], { place });
  expect([code, stdout]).toEqual([0, await COMMAND_HELP[command]?.()]);
});

test.each(['sessions', 'tasks', 'mcp', 'config', 'permissions', 'hooks'])(
  'heddle %s alone says what there is',
  async (group) => {
    const place = await makePlace();
    const { code, stdout, stderr } = await runCli([group], { place });
    expect([code, stdout, stderr]).toEqual([0, await COMMAND_HELP[`heddle ${group}`]?.(), '']);
  },
);
