import { describe, expect, test } from 'vitest';
import { parseCommandArgs, takeWords } from '../../../src/cli/flags/command-args.ts';

const flags = {
  command: 'heddle x',
  own: { '--tool': 'text', '--json': 'switch' },
  run: ['--allowedTools', '--trust'],
} as const;
const parse = (...argv: string[]) => parseCommandArgs(argv, flags);

describe('the arguments of a subcommand', () => {
  test('are its words, its own flags, and some flags of a run', () => {
    const args = parse('explain', '--tool', 'Bash', '--json', '--allowedTools', 'A', 'B', '--trust');
    expect(args).toMatchObject({ words: ['explain'], config: { allowedTools: ['A', 'B'], trust: true } });
    expect(args?.text('--tool')).toBe('Bash');
    expect([args?.has('--json'), args?.has('--tool'), args?.has('--other')]).toEqual([true, true, false]);
  });

  test('[W-9] a value is never read as a flag', () => {
    const args = parse('--tool', '--json', 'word', '--', '--trust');
    expect(args?.text('--tool')).toBe('--json');
    expect(args?.has('--json')).toBe(false);
    expect(args).toMatchObject({ words: ['word', '--trust'], config: {} });
  });

  test('a flag may have a short name, and be there several times', () => {
    const own = { '--env': 'texts', '--scope': 'text' } as const;
    const short = { '-e': '--env', '-s': '--scope' };
    const args = parseCommandArgs(['-e', 'A=1', '--env=B=-2', '-s', 'user', '-s', 'local'], { ...flags, own, short });
    expect(args?.texts('--env')).toEqual(['A=1', 'B=-2']);
    expect(args?.text('--scope')).toBe('local');
    expect(args?.texts('--other')).toEqual([]);
  });

  test('help comes before everything else', () => {
    expect(parse('explain', '--help')).toBeNull();
    expect(parse('-h')).toBeNull();
  });

  test('[K38] a flag that it does not take is an error that says where to look', () => {
    expect(() => parse('--model', 'x')).toThrow("unknown option '--model' (heddle x --help lists the options)");
  });
});

describe('takeWords', () => {
  test('says what is missing and what is too much', () => {
    expect(takeWords(['a', 'b'], ['KEY', 'VALUE'])).toEqual(['a', 'b']);
    expect(() => takeWords(['a'], ['KEY', 'VALUE'])).toThrow('VALUE is missing');
    expect(() => takeWords(['a', 'b'], ['KEY'])).toThrow("unexpected argument 'b'");
    expect(takeWords([], ['directory'], 0)).toEqual([]);
  });
});
