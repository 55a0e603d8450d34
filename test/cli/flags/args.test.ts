import { describe, expect, test } from 'vitest';
import { parseArgs } from '../../../src/cli/flags/args.ts';
import { FLAGS } from '../../../src/wire/flags.ts';

const config = (...argv: string[]) => parseArgs(argv).config;

function messageOf(...argv: string[]): string {
  try {
    parseArgs(argv);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_option' });
    return (error as Error).message;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
}

/** Every option of the reference, its older and its newer release and what either SDK writes, each with a value. */
const REFERENCE_OPTIONS: readonly string[][] = [
  ['-p'],
  ['--print'],
  ['--output-format', 'text'],
  ['--output-format', 'json'],
  ['--output-format', 'stream-json'],
  ['--input-format', 'text'],
  ['--input-format', 'stream-json'],
  ['--verbose'],
  ['--include-partial-messages'],
  ['--replay-user-messages'],
  ['--json-schema', '{"type":"object"}'],
  ['--max-turns', '3'],
  ['--max-budget-usd', '0.5'],
  ['--max-thinking-tokens', '0'],
  ['--model', 'sonnet'],
  ['--fallback-model', 'haiku'],
  ...['low', 'medium', 'high', 'xhigh', 'max'].map((level) => ['--effort', level]),
  ['--betas', 'a', 'b'],
  ['--system-prompt', 'text'],
  ['--append-system-prompt', 'text'],
  ['--tools', ''],
  ['--tools', 'default'],
  ['--tools', 'Read', 'Bash'],
  ['--allowedTools', 'Read', 'Bash(git log:*)'],
  ['--allowed-tools', 'Read'],
  ['--disallowedTools', 'Bash'],
  ['--disallowed-tools', 'Bash'],
  ...['acceptEdits', 'bypassPermissions', 'default', 'delegate', 'dontAsk', 'plan', 'auto', 'manual'].map((mode) => [
    '--permission-mode',
    mode,
  ]),
  ['--permission-prompt-tool', 'stdio'],
  ['--permission-prompt-tool', 'mcp__srv__tool'],
  ['--dangerously-skip-permissions'],
  ['--allow-dangerously-skip-permissions'],
  ['-c'],
  ['--continue'],
  ['-r'],
  ['-r', 'id'],
  ['--resume'],
  ['--resume', 'id'],
  ['--fork-session'],
  ['--session-id', 'uuid'],
  ['--resume-session-at', 'uuid'],
  ['--resume-drops-turn', 'uuid'],
  ['--no-session-persistence'],
  ['--mcp-config', 'a.json', '{"mcpServers":{}}'],
  ['--strict-mcp-config'],
  ['--settings', '{}'],
  ['--setting-sources', 'user,project,local'],
  ['--setting-sources', ''],
  ['--add-dir', 'a', 'b'],
  ['--agents', '{}'],
  ['--agent', 'name'],
  ['--plugin-dir', 'a', 'b'],
  ['-d'],
  ['-d', 'api'],
  ['--debug'],
  ['--debug', 'api'],
  ['--debug-file', 'log.txt'],
  ['--debug-to-stderr'],
  ['--mcp-debug'],
  ['--file', 'a:b', 'c:d'],
  ['--from-pr'],
  ['--from-pr', '7'],
  ['--ide'],
  ['--chrome'],
  ['--no-chrome'],
  ['--disable-slash-commands'],
  ['-v'],
  ['--version'],
  ['-h'],
  ['--help'],
  // the newer release
  ['--autocompact', 'auto'],
  ['--ax-screen-reader'],
  ['--bg'],
  ['--background'],
  ['--bare'],
  ['--brief'],
  ['--cloud'],
  ['--cloud', 'x'],
  ['--desktop'],
  ['--environment', 'id'],
  ['--exclude-dynamic-system-prompt-sections'],
  ['--forward-subagent-text'],
  ['--include-hook-events'],
  ['-n', 'title'],
  ['--name', 'title'],
  ['--permission-prompts', 'none'],
  ['--plugin-url', 'https://example.test/p'],
  ['--prompt-suggestions'],
  ['--prompt-suggestions', 'on'],
  ['--remote-control'],
  ['--remote-control', 'name'],
  ['--remote-control-session-name-prefix', 'p'],
  ['--restricted'],
  ['--safe-mode'],
  ['--system-prompt-snapshot', 'on'],
  ['--teleport'],
  ['--teleport', 's'],
  ['--tmux'],
  ['-w'],
  ['-w', 'name'],
  ['--worktree'],
  ['--worktree', 'name'],
  // what the SDKs write
  ['--thinking=adaptive'],
  ['--thinking=disabled'],
  ['--task-budget=1000'],
  ['--managed-settings', '{}'],
  ['--project-config-root=dir'],
  ['--setting-sources='],
  ['--allowedTools=Skill(a)'],
  ['--permission-prompts=host'],
];

describe('[K38] every option of the reference is accepted', () => {
  test.each(REFERENCE_OPTIONS.map((words) => [words.join(' '), words] as const))('%s', (_, words) => {
    const { prompt, config, ignored, ...others } = parseArgs([...words, '--', 'the prompt']);
    expect(prompt).toBe('the prompt');
    // It has an effect or is named as ignored; nothing is swallowed in silence.
    const effects = Object.values(others).filter((value) => value !== false).length;
    expect(Object.keys(config).length + ignored.length + effects).toBe(1);
  });
});

describe('parseArgs', () => {
  test.each(
    FLAGS.flatMap(({ name, aliases = [], key, kind, choices }) =>
      [name, ...aliases].map((spelling) => ({ spelling, key, kind, value: choices?.[0] ?? '7' })),
    ),
  )('reads $spelling', ({ spelling, key, kind, value }) => {
    const expected = {
      switch: true,
      number: 7,
      text: value,
      optional: value,
      list: [value],
      rules: [value],
      words: [value],
    }[kind];
    expect(config(...(kind === 'switch' ? [spelling] : [spelling, value]))).toEqual({ [key]: expected });
    if (kind !== 'switch' && spelling.startsWith('--')) {
      expect(config(`${spelling}=${value}`)).toEqual({ [key]: expected });
    }
  });

  test('nothing gives nothing', () => {
    expect(parseArgs([])).toEqual({ config: {}, ignored: [], help: false, version: false });
  });

  test('the prompt may stand before, between and after the flags', () => {
    expect(parseArgs(['hello', '-p'])).toMatchObject({ prompt: 'hello', config: { print: true } });
    expect(parseArgs(['-p', 'hello', '--verbose'])).toMatchObject({ prompt: 'hello', config: { verbose: true } });
    expect(parseArgs(['--model', 'm', 'hello'])).toMatchObject({ prompt: 'hello', config: { model: 'm' } });
    expect(parseArgs(['-p', ''])).toMatchObject({ prompt: '' });
    expect(parseArgs(['-p', '-'])).toMatchObject({ prompt: '-' });
  });

  test('-- ends the flags, and a list', () => {
    expect(parseArgs(['-p', '--', '--model'])).toMatchObject({ prompt: '--model', config: { print: true } });
    expect(parseArgs(['--add-dir', 'a', 'b', '--', 'go'])).toMatchObject({
      prompt: 'go',
      config: { addDir: ['a', 'b'] },
    });
    expect(parseArgs(['--'])).toEqual({ config: {}, ignored: [], help: false, version: false });
  });

  test('more than one prompt is an error that says what to do', () => {
    expect(messageOf('-p', 'two', 'words')).toBe("unexpected argument 'words': quote a prompt of several words");
    expect(messageOf('one', '--', 'two')).toMatch(/unexpected argument 'two'/);
  });

  test('a flag with a value takes the next word, whatever it looks like', () => {
    expect(config('--model', '--verbose')).toEqual({ model: '--verbose' });
    expect(config('--system-prompt', '--')).toEqual({ systemPrompt: '--' });
    expect(config('--max-turns', '-1')).toEqual({ maxTurns: -1 });
  });

  test('what follows the first = is the value', () => {
    expect(config('--model=a=b')).toEqual({ model: 'a=b' });
    expect(config('--system-prompt=')).toEqual({ systemPrompt: '' });
    expect(config('--resume=-x')).toEqual({ resume: '-x' });
  });

  test('an optional value is not taken from the next flag', () => {
    expect(config('--resume', '--verbose')).toEqual({ resume: true, verbose: true });
    expect(config('-r')).toEqual({ resume: true });
    expect(config('-d', 'api', '-r', 'id')).toEqual({ debug: 'api', resume: 'id' });
  });

  test('[FLG-10, FLG-12, FLG-24] lists take words up to the next flag, and commas and spaces within a word', () => {
    expect(config('--tools', 'Read,Edit', 'Bash Glob', '--verbose')).toEqual({
      tools: ['Read', 'Edit', 'Bash', 'Glob'],
      verbose: true,
    });
    expect(config('--betas', 'a, b ,,c')).toEqual({ betas: ['a', 'b', 'c'] });
    expect(config('--tools', '')).toEqual({ tools: [] });
    expect(config('--setting-sources=')).toEqual({ settingSources: [] });
  });

  test('[FLG-10] rules stay as they are written, with their commas and spaces', () => {
    expect(config('--allowedTools', 'Bash(git log:*, x)', 'Edit,Read')).toEqual({
      allowedTools: ['Bash(git log:*, x)', 'Edit,Read'],
    });
  });

  test('[FLG-25, FLG-27] words stay whole, and repeated flags add up', () => {
    expect(config('--add-dir', 'a,b c', 'd', '--add-dir=e')).toEqual({ addDir: ['a,b c', 'd', 'e'] });
    expect(config('--plugin-dir', 'a', '--plugin-dir', 'b')).toEqual({ pluginDir: ['a', 'b'] });
    expect(config('--tools', 'Read', '--tools', 'Edit')).toEqual({ tools: ['Read', 'Edit'] });
  });

  test('of a repeated text or number the last counts', () => {
    expect(config('--model', 'a', '--model', 'b', '--max-turns=1', '--max-turns', '2')).toEqual({
      model: 'b',
      maxTurns: 2,
    });
  });

  test('[FLG-30] version and help are told beside the rest', () => {
    expect(parseArgs(['-v'])).toMatchObject({ version: true, help: false });
    expect(parseArgs(['--help', '-p'])).toMatchObject({ help: true, config: { print: true } });
  });

  test('[K38] ignored flags are named once per use, by their long name, with their values', () => {
    expect(parseArgs(['--teleport', 'tree', '--chrome', '--task-budget', '5', 'go'])).toEqual({
      config: {},
      prompt: 'go',
      ignored: ['--teleport', '--chrome', '--task-budget'],
      help: false,
      version: false,
    });
  });

  test.each([['--bogus'], ['-x'], ['--bogus=1'], ['--Model'], ['---'], ['--print-all'], ['-pc']])(
    '[K38] %s is unknown',
    (word) => {
      const option = word.split('=', 1)[0];
      expect(messageOf(word)).toBe(`unknown option '${option}' (heddle --help lists the options)`);
    },
  );

  test('a switch takes no value', () => {
    expect(messageOf('--verbose=true')).toBe("option '--verbose' takes no value");
    expect(messageOf('--help=me')).toBe("option '--help' takes no value");
    expect(messageOf('--ide=x')).toBe("option '--ide' takes no value");
  });

  test.each([['--model'], ['--max-turns'], ['--add-dir'], ['--allowedTools'], ['--environment']])(
    '%s needs a value',
    (flag) => expect(messageOf(flag)).toBe(`option '${flag}' needs a value (heddle --help says which)`),
  );

  test.each(FLAGS.filter(({ choices }) => choices))('$name refuses what is not among its choices', (flag) => {
    expect(messageOf(flag.name, 'banana')).toBe(
      `option '${flag.name}' argument 'banana' is invalid. Allowed choices are ${flag.choices?.join(', ')}.`,
    );
    expect(messageOf(`${flag.name}=`)).toMatch(/argument '' is invalid/);
  });

  test.each([['abc'], [''], [' '], ['1x'], ['NaN'], ['Infinity']])('--max-turns %j is no number', (value) => {
    expect(messageOf('--max-turns', value)).toBe(`option '--max-turns' needs a number, not '${value}'`);
  });

  test('does not change the words it was given', () => {
    const argv = ['-p', '--add-dir', 'a', 'b', '--', 'x'];
    parseArgs(argv);
    expect(argv).toEqual(['-p', '--add-dir', 'a', 'b', '--', 'x']);
  });
});
