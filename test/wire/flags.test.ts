import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArgs } from '../../src/cli/flags/args.ts';
import { extraWords } from '../../src/sdk/subprocess/command-words.ts';
import { FLAGS, type Flag, toArgv } from '../../src/wire/flags.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';

/** Any text, often one that looks like a flag. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '-', '--', '-p', '--model', '--model=x', '-1', '=', 'a b', 'a,b', '{"a":"b c"}'),
);
const item = fc.stringMatching(/^[A-Za-z0-9_*.-]{1,12}$/);
const rule = fc.oneof(item, fc.stringMatching(/^[A-Z][a-z]{0,5}\([a-z ,:*-]{0,10}\)$/));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0), // without -0
);

function anyValue(flag: Flag): fc.Arbitrary<unknown> {
  switch (flag.kind) {
    case 'switch':
      return fc.constant(true);
    case 'number':
      return number;
    case 'text':
      return flag.choices ? fc.constantFrom(...flag.choices) : text;
    case 'optional':
      return fc.oneof(fc.constant(true), text);
    case 'list':
      return fc.array(item, { maxLength: 4 });
    case 'rules':
      return fc.array(rule, { minLength: 1, maxLength: 4 });
    case 'words':
      return fc.array(text, { minLength: 1, maxLength: 4 });
    default:
      return flag.kind satisfies never;
  }
}

const anyConfig: fc.Arbitrary<RunConfig> = fc.record(
  Object.fromEntries(FLAGS.map((flag) => [flag.key, anyValue(flag)])),
  { requiredKeys: [] },
);

/** Rules travel joined and are taken apart by whoever reads them: compare the joined text. */
function joinedRules(config: RunConfig): RunConfig {
  const joined = FLAGS.filter(({ kind, key }) => kind === 'rules' && config[key] !== undefined).map(({ key }) => [
    key,
    [(config[key] as string[]).join(',')],
  ]);
  return { ...config, ...Object.fromEntries(joined) };
}

describe('toArgv', () => {
  test('[B-256] what parseArgs reads is the configuration that was written, whatever its values look like', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        const parsed = parseArgs(toArgv(config));
        expect(parsed.config).toEqual(joinedRules(config));
        expect(parsed).toEqual({ config: parsed.config, ignored: [], help: false, version: false });
      }),
      { numRuns: 500 },
    );
  });

  test('[B-256] a value that begins with a dash is bound with =', () => {
    const config: RunConfig = {
      model: '--dangerously-skip-permissions',
      resume: '-p',
      maxTurns: -1,
      tools: ['-x'],
      allowedTools: ['--help'],
      addDir: ['-a', 'b'],
      systemPrompt: '- be brief',
    };
    expect(toArgv(config)).toEqual([
      '--max-turns=-1',
      '--model=--dangerously-skip-permissions',
      '--resume=-p',
      '--allowedTools=--help',
      '--tools=-x',
      '--add-dir=-a',
      '--add-dir',
      'b',
      '--system-prompt=- be brief',
    ]);
  });

  test('[B-256] no value can be read as a flag: every word with a dash is a flag of the table', () => {
    const names = new Set(FLAGS.map(({ name }) => name));
    fc.assert(
      fc.property(anyConfig, (config) => {
        for (const word of toArgv(config)) {
          if (word.startsWith('-')) expect(names).toContain(word.split('=', 1)[0]);
        }
      }),
    );
  });

  test('[ARC-03, FLG-33] the base flags of an SDK run, in the order of the reference', () => {
    const base: RunConfig = {
      permissionMode: 'default',
      settingSources: [],
      inputFormat: 'stream-json',
      outputFormat: 'stream-json',
      verbose: true,
    };
    expect(toArgv(base).join(' ')).toBe(
      '--output-format stream-json --verbose --input-format stream-json --setting-sources  --permission-mode default',
    );
  });

  test('[FLG-33] all flags come in the order of the reference', () => {
    const order = [
      '--output-format',
      '--verbose',
      '--input-format',
      '--max-thinking-tokens',
      '--effort',
      '--max-turns',
      '--max-budget-usd',
      '--model',
      '--agent',
      '--betas',
      '--json-schema',
      '--debug-file',
      '--permission-prompt-tool',
      '--continue',
      '--resume',
      '--allowedTools',
      '--disallowedTools',
      '--tools',
      '--mcp-config',
      '--setting-sources',
      '--strict-mcp-config',
      '--permission-mode',
      '--allow-dangerously-skip-permissions',
      '--fallback-model',
      '--include-partial-messages',
      '--add-dir',
      '--plugin-dir',
      '--fork-session',
      '--resume-session-at',
      '--session-id',
      '--no-session-persistence',
      '--settings',
    ];
    const known = new Set(order);
    expect(FLAGS.map(({ name }) => name).filter((name) => known.has(name))).toEqual(order);
  });

  test('[FLG-10, FLG-25, TYP-15] lists are joined with commas, words are repeated', () => {
    const config: RunConfig = { allowedTools: ['Read', 'Bash(git log:*)'], betas: ['a', 'b'], addDir: ['x,y', 'z'] };
    expect(toArgv(config)).toEqual([
      '--betas',
      'a,b',
      '--allowedTools',
      'Read,Bash(git log:*)',
      '--add-dir',
      'x,y',
      '--add-dir',
      'z',
    ]);
  });

  test('an empty list says none, an absent or false one says nothing', () => {
    expect(toArgv({ tools: [], settingSources: [] })).toEqual(['--tools', '', '--setting-sources', '']);
    expect(toArgv({ verbose: false, continue: false, addDir: [] })).toEqual([]);
    expect(toArgv({ model: undefined } as unknown as RunConfig)).toEqual([]);
  });
});

test('[B-256] extra arguments are bound with = as well', () => {
  expect(extraWords({ extraArgs: { flag: null, name: 'value', odd: '--print' } })).toEqual([
    '--flag',
    '--name',
    'value',
    '--odd=--print',
  ]);
});

describe('FLAGS', () => {
  test('no two flags share a spelling or a setting', () => {
    const spellings = FLAGS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(spellings).size).toBe(spellings.length);
    expect(new Set(FLAGS.map(({ key }) => key)).size).toBe(FLAGS.length);
  });
});
