import { describe, expect, test } from 'vitest';
import type { Asked } from '../../../src/tui/menu/asked-at.ts';
import { askedAt } from '../../../src/tui/menu/asked-at.ts';
import { argumentHint, argumentMenu, commandMenu } from '../../../src/tui/menu/command-menu.ts';
import { fileQuery, mentionMenu } from '../../../src/tui/menu/mention-menu.ts';

/** What is asked for at the `|`. */
function asking(marked: string): Asked | null {
  return askedAt({ text: marked.replace('|', ''), caret: marked.indexOf('|'), anchor: null });
}

describe('what is asked for', () => {
  test.each([
    ['/|', { kind: 'command', query: '', from: 0, to: 1 }],
    ['/mo|', { kind: 'command', query: 'mo', from: 0, to: 3 }],
    ['/mo|del', { kind: 'command', query: 'mo', from: 0, to: 6 }],
    ['/model op|', { kind: 'argument', command: 'model', query: 'op', from: 7, to: 9 }],
    ['/model |', { kind: 'argument', command: 'model', query: '', from: 7, to: 7 }],
    ['see @src/ma|', { kind: 'mention', query: 'src/ma', isQuoted: false, from: 4, to: 11 }],
    ['see @src|/main.ts now', { kind: 'mention', query: 'src', isQuoted: false, from: 4, to: 16 }],
    ['(@a|', { kind: 'mention', query: 'a', isQuoted: false, from: 1, to: 3 }],
    ['@"my no|tes.md" x', { kind: 'mention', query: 'my no', isQuoted: true, from: 0, to: 14 }],
    ['/review @sr|', { kind: 'mention', query: 'sr', isQuoted: false, from: 8, to: 11 }],
  ])('%s', (text, asked) => {
    expect(asking(text)).toEqual(asked);
  });

  test.each(['|/model', 'a /mo|', 'mail@ho|st', '/usr/bi|', '/model\nx|', 'plain|', '|'])('nothing in %j', (text) => {
    expect(asking(text)).toBeNull();
  });

  test('nothing while text is selected', () => {
    expect(askedAt({ text: '/m', caret: 2, anchor: 0 })).toBeNull();
  });
});

const COMMANDS = [
  { name: 'clear', description: 'Starts anew', argumentHint: '', aliases: ['new'] },
  { name: 'compact', description: 'Replaces the conversation by a summary', argumentHint: '[what]' },
  { name: 'model', description: 'Chooses the model', argumentHint: '[name]' },
  { name: 'security-review', description: 'Looks for holes', argumentHint: '' },
  { name: 'permissions', description: 'Rules for tools', argumentHint: '' },
  { name: 'mcp', description: 'Servers', argumentHint: '' },
];

describe('the menu of commands', () => {
  const menu = (query: string) => commandMenu({ kind: 'command', query, from: 0, to: query.length + 1 }, COMMANDS);
  const labels = (query: string) => menu(query).items.map(({ label }) => label);

  test('names that begin so, then words, descriptions, letters', () => {
    expect(labels('')).toEqual(COMMANDS.map(({ name }) => `/${name}`));
    expect(labels('m')).toEqual(['/model', '/mcp', expect.any(String), expect.any(String)]);
    expect(labels('rev')).toEqual(['/security-review']);
    expect(labels('holes')).toEqual(['/security-review']);
    expect(labels('cpt')).toEqual(['/compact']);
    expect(labels('xyz')).toEqual([]);
    expect(labels('x-y[.*')).toEqual([]);
  });

  test('aliases count as names, and a whole name is first', () => {
    expect(labels('new')[0]).toBe('/clear');
    const both = [{ name: 'models', description: '', argumentHint: '' }, ...COMMANDS];
    const asked = { kind: 'command', query: 'model', from: 0, to: 6 } as const;
    expect(commandMenu(asked, both).items[0]?.label).toBe('/model');
  });

  test('Enter runs a command only where its name is meant', () => {
    const found = [...menu('comp').items, ...menu('holes').items, ...menu('cpt').items];
    expect(found.map(({ onEnter }) => onEnter)).toEqual(['run', 'send', 'send']);
  });

  test('odd characters in the query do no harm', () => {
    for (const query of ['(', '[', '\\', '.*', '漢', '👍']) expect(labels(query)).toEqual([]);
  });

  test('a command with an argument leaves room for it, and its hint stands there', () => {
    expect(menu('mod').items[0]).toMatchObject({ insert: '/model ', detail: '[name]  Chooses the model' });
    expect(argumentHint('/model ', COMMANDS)).toBe('[name]');
    expect(argumentHint('/model x', COMMANDS)).toBeNull();
    expect(argumentHint('/clear ', COMMANDS)).toBeNull();
  });

  test('arguments complete where there are lists', () => {
    const lists = new Map([['model', [{ value: 'sonnet', detail: 'fast' }, { value: 'opus' }]]]);
    const asked = (query: string) =>
      ({ kind: 'argument', command: 'model', query, from: 7, to: 7 + query.length }) as const;
    expect(argumentMenu(asked(''), lists)?.items.map(({ onEnter }) => onEnter)).toEqual(['send', 'send']);
    expect(argumentMenu(asked('op'), lists)?.items).toEqual([
      { label: 'opus', insert: 'opus', positions: [0, 1], onEnter: 'run' },
    ]);
    expect(argumentMenu(asked('opus'), lists)).toBeNull();
    expect(argumentMenu({ ...asked('x'), command: 'clear' }, lists)).toBeNull();
  });
});

describe('the menu of files', () => {
  const asked = (query: string, isQuoted = false) =>
    ({ kind: 'mention', query, isQuoted, from: 0, to: query.length + 1 }) as const;
  const file = (path: string) => ({ path, is_directory: path.endsWith('/') });
  const inserts = (query: string, paths: string[], answered = query) =>
    mentionMenu(asked(query), {
      files: { query: answered, suggestions: paths.map(file) },
      others: [{ name: 'agent-reviewer' }, { name: 'docs:file:///a' }],
    })?.items.map(({ insert }) => insert) ?? null;

  test('files end with a blank, directories stay open, blanks are quoted', () => {
    expect(inserts('s', ['src/a.ts', 'src/', 'my notes.md'])).toEqual([
      '@src/a.ts ',
      '@src/',
      '@"my notes.md" ',
      '@docs:file:///a ',
    ]);
  });

  test('agents and resources stand before files when their beginning is written, else behind them', () => {
    expect(inserts('revi', ['src/review.ts'])).toEqual(['@agent-reviewer ', '@src/review.ts ']);
    expect(inserts('', ['a.ts'])).toEqual(['@a.ts ']);
  });

  test('names that a mention cannot express are left out: nothing of them is run', () => {
    expect(inserts('x', ['x"y', 'x\ny', 'x\r!rm', 'x\x1b[2J'])).toBeNull();
  });

  test('an answer to an earlier question is shown as far as it fits', () => {
    expect(inserts('srcb', ['src/a.ts', 'src/b.ts'], 'src')).toEqual(['@src/b.ts ']);
  });

  test('lines of a file are no query', () => {
    expect(fileQuery(asked('src/a.ts#L10'))).toBeNull();
    expect(fileQuery(asked('src/a.ts'))).toBe('src/a.ts');
  });
});
