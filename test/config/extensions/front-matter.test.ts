import { describe, expect, test } from 'vitest';
import { listValue, readFrontMatter, switchValue, textValue } from '../../../src/config/extensions/front-matter.ts';

const file = (...lines: string[]) => readFrontMatter(`---\n${lines.join('\n')}\n---\nBody\n`);
const valuesOf = (...lines: string[]) => file(...lines).values;

describe('a Markdown file', () => {
  test('without settings is all body', () => {
    expect(readFrontMatter('Hello\n---\nthere')).toEqual({
      values: {},
      written: new Map(),
      body: 'Hello\n---\nthere',
      problems: [],
    });
  });

  test('with settings: what stands between the dashes, and the rest as it is', () => {
    const { values, body } = readFrontMatter('\uFEFF---\r\nname: x\r\n--- \r\nBody\r\n---\r\nmore');
    expect({ values, body }).toEqual({ values: { name: 'x' }, body: 'Body\n---\nmore' });
    expect(readFrontMatter('---\nname: x\n---').body).toBe('');
  });

  test('whose settings are never closed is all body, and told', () => {
    expect(readFrontMatter('---\nname: x\n')).toMatchObject({
      values: {},
      body: '---\nname: x\n',
      problems: [{ line: 1, message: expect.stringContaining('dashes') }],
    });
  });
});

describe('values', () => {
  test.each<[string, string, unknown]>([
    ['a plain text', 'd: Greets people', 'Greets people'],
    ['a colon in it', 'd: Use this when: always', 'Use this when: always'],
    ['a rule', 'd: Bash(git add:*), Read', 'Bash(git add:*), Read'],
    ['a comment behind', 'd: text # not this', 'text'],
    ['a number sign within', 'd: issue#1', 'issue#1'],
    ['a number sign in words with a colon', 'd: Say: "Review #12" to him', 'Say: "Review #12" to him'],
    ['a comment with a colon', 'd: text # not: this', 'text'],
    ['quotes in quotes', 'd: "[--image "<glob>"] [-y]"', '[--image "<glob>"] [-y]'],
    ['JSON', 'd: {"a":{"b":[1,"x"],"c":true}}', { a: { b: [1, 'x'], c: true } }],
    ['double quotes', 'd: "a \\"b\\" \\n \\u00e9"', 'a "b" \n é'],
    ['single quotes', "d: 'it''s # here'", "it's # here"],
    ['true', 'd: true', true],
    ['False', 'd: False', false],
    ['nothing', 'd:', null],
    ['a tilde', 'd: ~', null],
    ['a number', 'd: 12.5', 12.5],
    ['digits that are no number', 'd: 007', '007'],
    ['a list', 'd: [a, "b, c", 3]', ['a', 'b, c', 3]],
    ['rules in a list', 'd: [Bash(git log, git diff), Read]', ['Bash(git log, git diff)', 'Read']],
    ['two hints', 'd: [from] [to]', '[from] [to]'],
    ['a map', 'd: {a: 1, b: [x]}', { a: 1, b: ['x'] }],
    ['a quoted key', '"d": x', 'x'],
    ['a star', 'd: *', '*'],
  ])('%s', (_name, line, expected) => {
    expect(file(line)).toMatchObject({ values: { d: expected }, problems: [] });
  });

  test('texts over several lines', () => {
    expect(valuesOf('a: one', '  two', 'b: |', '  x', '    y', '', '  z', 'c: >-', '  p', '  q', '', '  r')).toEqual({
      a: 'one two',
      b: 'x\n  y\n\nz\n',
      c: 'p q\nr',
    });
    expect(valuesOf('a:', '  on the next line', 'b: 1')).toEqual({ a: 'on the next line', b: 1 });
  });

  test('nested maps and lists, as hooks are written', () => {
    const hooks = [
      'hooks:',
      '  PreToolUse:',
      '    - matcher: "Bash"',
      '      hooks:',
      '        - type: command',
      '          command: "./check.sh"',
      '  Stop:',
      '  - hooks: []',
      'tools:',
      '- Read',
      '- Grep',
    ];
    expect(valuesOf(...hooks)).toEqual({
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh' }] }],
        Stop: [{ hooks: [] }],
      },
      tools: ['Read', 'Grep'],
    });
  });

  test('as text, list and switch', () => {
    const matter = file('hint: [pr-number]', 'n: 5', 'tools: Read, Bash(a, b)', 'on: yes', 'off: false');
    expect([textValue(matter, 'hint'), textValue(matter, 'n'), textValue(matter, 'x')]).toEqual([
      '[pr-number]',
      '5',
      undefined,
    ]);
    expect(listValue(matter, 'tools')).toEqual(['Read', 'Bash(a, b)']);
    expect(listValue(matter, 'hint')).toEqual(['pr-number']);
    expect([switchValue(matter, 'on'), switchValue(matter, 'off'), switchValue(matter, 'x')]).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});

describe('what cannot be read is told with its line, and the rest is there', () => {
  test.each<[string, string[], number, RegExp]>([
    ['no key', ['name: x', 'just words', 'b: y'], 3, /no `key: value`/],
    ['a tab', ['name: x', '\tc: z', 'b: y'], 3, /tab/],
    ['a key twice', ['name: z', 'name: x', 'b: y'], 3, /second time/],
    ['an indentation', ['name: x', '', '   # only a comment', 'b: y', '- item'], 6, /no `key: value`/],
  ])('%s', (_name, lines, line, message) => {
    const { values, problems } = file(...lines);
    expect(values).toEqual({ name: 'x', b: 'y' });
    expect(problems).toEqual([{ line, message: expect.stringMatching(message) }]);
  });

  test('a prototype is a key like any other', () => {
    const { values } = file('__proto__:', '  a: 1', 'constructor: 2');
    expect(Object.keys(values)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
  });

  test('nesting without end ends', () => {
    const lines = Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}k:`);
    expect(file(...lines).problems).toEqual([{ line: expect.any(Number), message: expect.stringContaining('nested') }]);
    expect(file(`d: ${'['.repeat(50_000)}`).problems).toEqual([]);
    expect(file(`d: ${'['.repeat(50_000)}${']'.repeat(50_000)}`).problems).toEqual([]);
    expect(file(`d: ${'- '.repeat(50_000)}`).problems).toEqual([]);
  });

  test('a line without end takes no time', () => {
    const blanks = ' '.repeat(200_000);
    const started = performance.now();
    file(`a${blanks}b`, `c: x${blanks}y`, `d: "${blanks}`, `${'e:'.repeat(100_000)}`, `f: [${'"'.repeat(100_000)}]`);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
