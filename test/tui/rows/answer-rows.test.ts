import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeColours } from '../../../src/tui/rows/code/highlighter.ts';
import { AnswerRows } from '../../../src/tui/rows/markdown/answer-rows.ts';
import { NO_COLOURS, type Palette, SIXTEEN_COLOURS, textOfRow } from '../../../src/tui/rows/row.ts';
import { createWidths } from '../../../src/tui/rows/widths.ts';
import { ROOT } from '../../support/root.ts';

const widths = createWidths({ byGraphemes: false, ambiguousWide: false });

function open({
  width = 60,
  palette = NO_COLOURS as Palette,
  colours = codeColours as typeof codeColours | null,
} = {}) {
  return new AnswerRows({ context: { width, widths, palette }, colours: () => colours });
}

function rowsOf(text: string, options?: Parameters<typeof open>[0]): string[] {
  const answer = open(options);
  return [...answer.push(text), ...answer.end()];
}

const FENCE = '```';

const SAMPLE = `# Title

A paragraph with **bold**, *italic*, \`code\`, ~~gone~~ and a [link](https://example.com/a). It goes on
over two lines.

1. first
   more of it

   ${FENCE}ts
   const a = 1;
   ${FENCE}
   after the code
2. second
   - nested one
   - nested two

- [x] done
- [ ] open

> quoted text
> goes on

| name | count |
|:-----|------:|
| a    | 1     |
| 日本 | 22    |

${FENCE}ts
/* a comment
   over lines */
const x = 'text'; // and \t tabs
${FENCE}

    indented code

    and more

---
Last line with <br> and &lt;tag&gt;`;

describe('[TUI-23] Markdown becomes rows', () => {
  test('of every kind', () => {
    expect(rowsOf(SAMPLE)).toEqual([
      '# Title',
      '',
      'A paragraph with bold, italic, code, gone and a link',
      '(https://example.com/a). It goes on over two lines.',
      '',
      '1. first more of it',
      '',
      'ts',
      'const a = 1;',
      '   after the code',
      '2. second',
      '   - nested one',
      '   - nested two',
      '',
      '- [x] done',
      '- [ ] open',
      '',
      '> quoted text goes on',
      '',
      'name  count',
      '────  ─────',
      'a         1',
      '日本     22',
      '',
      'ts',
      '/* a comment',
      '   over lines */',
      "const x = 'text'; // and     tabs",
      '',
      'indented code',
      '',
      'and more',
      '',
      '───',
      'Last line with',
      'and <tag>',
    ]);
  });

  test('in a narrow window tables are lists of values', () => {
    expect(rowsOf('| a | b |\n|---|---|\n| 1 | two words |\n', { width: 30 })).toEqual(['a: 1', 'b: two words', '']);
  });

  test('code is coloured line by line, also over lines', () => {
    const rows = rowsOf(`${FENCE}js\n/* one\ntwo */ let a = 1\n${FENCE}`, { palette: SIXTEEN_COLOURS });
    expect(rows).toEqual([
      '\x1b[2mjs\x1b[0m',
      '\x1b[2m/* one\x1b[0m',
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
      expect.stringMatching(/^\x1b\[2mtwo \*\/\x1b\[0m \x1b\[35mlet\x1b\[0m a/),
    ]);
  });

  test('code waits for its colours, and is not lost without them', () => {
    const loaded: { colours: typeof codeColours | null } = { colours: null };
    const answer = new AnswerRows({
      context: { width: 60, widths, palette: NO_COLOURS },
      colours: () => loaded.colours,
    });
    expect(answer.push(`${FENCE}js\nlet a\nlet b\n`)).toEqual(['js']);
    expect(answer.wantsColours).toBe(true);
    expect(answer.tail()).toEqual(['let a', 'let b', '']);
    loaded.colours = codeColours;
    expect(answer.push('')).toEqual(['let a', 'let b']);
    const without = open({ colours: null });
    expect([...without.push(`${FENCE}js\nlet a\n`), ...without.end()]).toEqual(['js', 'let a']);
  });
});

test('[TUI-21] finished blocks, list items and lines of code are rows before the answer ends', () => {
  const answer = open();
  expect(answer.push('One para')).toEqual([]);
  expect(answer.tail()).toEqual(['One para']);
  expect(answer.push('graph\n\nTwo')).toEqual(['One paragraph']);
  expect(answer.push('\n- item\n')).toEqual(['', 'Two']);
  expect(answer.push('- next\n')).toEqual(['- item']);
  expect(answer.push(`\n${FENCE}\ncode\nmo`)).toEqual(['- next', '', 'code']);
  expect(answer.tail()).toEqual(['mo']);
  expect(answer.end()).toEqual(['mo']);
});

test('[TUI-22] open marks are shown as they are', () => {
  const answer = open({ palette: SIXTEEN_COLOURS });
  answer.push('some **bo');
  expect(answer.tail()).toEqual(['some **bo']);
  answer.push('ld**');
  expect(answer.tail()).toEqual(['some \x1b[1mbold\x1b[0m']);
});

/** All texts that people have written here, and made-up ones. */
const pages = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8').slice(0, 6000));
const scrap = fc.constantFrom(
  ...[
    'a',
    ' word',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '  ',
    '    ',
    '> ',
    '# ',
    '**',
    '`',
    FENCE,
    `${FENCE}ts\n`,
    '|',
    '|---|---|\n',
  ],
  ...[
    '~~~',
    '\t',
    '\r\n',
    '---\n',
    '[a](b)',
    '<br>',
    '日本',
    '👨‍👩‍👧',
    '\x1b[2J',
    '\u202e',
    '* * *\n',
    '===\n',
    '[x] ',
    '\\',
  ],
);
const written = fc.array(scrap, { maxLength: 80 }).map((parts) => parts.join(''));
const cuts = fc.array(fc.nat(6000), { maxLength: 40 });

test('[TUI-22] the rows of an answer that comes in any pieces are those of the whole answer', () => {
  const property = fc.property(fc.oneof(fc.constantFrom(SAMPLE, ...pages), written), cuts, (text, at) => {
    const whole = rowsOf(text, { palette: SIXTEEN_COLOURS });
    const answer = open({ palette: SIXTEEN_COLOURS });
    const ends = [...new Set(at.filter((each) => each < text.length))].sort((a, b) => a - b);
    const rows = [0, ...ends].flatMap((from, index) => {
      const finished = answer.push(text.slice(from, ends[index] ?? text.length));
      if (index % 3 === 0) answer.tail();
      return finished;
    });
    expect([...rows, ...answer.end()]).toEqual(whole);
  });
  fc.assert(property, { numRuns: 400 });
});

test('[TUI-13, TUI-90] no row of prose is wider than it may be, and none holds a control character', () => {
  const property = fc.property(written, fc.integer({ min: 20, max: 100 }), (text, width) => {
    for (const row of rowsOf(text.replaceAll(/`{3}|~~~|\t| {4}/g, ''), { width, palette: SIXTEEN_COLOURS })) {
      expect(widths.of(textOfRow(row as never))).toBeLessThanOrEqual(width);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(textOfRow(row as never)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test.each([
  ['one line of a megabyte', 'x'.repeat(1_000_000)],
  ['a thousand columns', `${'|a'.repeat(1000)}|\n${'|-'.repeat(1000)}|\n${'|1'.repeat(1000)}|\n`],
  ['deep quotes', `${'>'.repeat(8000)} a`],
  ['deep lists', Array.from({ length: 200 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
  ['many brackets', '['.repeat(8000)],
  ['many stars', '*a **b '.repeat(1100)],
  ['many backticks', '`a``b'.repeat(1600)],
  ['a table of ten thousand rows', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(10_000)}`],
])('[TUI-95] %s is bounded work', (_name, text) => {
  const began = performance.now();
  const answer = open();
  for (let at = 0; at < text.length; at += 4000) {
    answer.push(text.slice(at, at + 4000));
    answer.tail();
  }
  answer.end();
  // Generous: machines that run tests are busy. Without bounds these take minutes.
  expect(performance.now() - began).toBeLessThan(8000);
});

test('prose that is left to the terminal is one row when it is finished; what is in progress fits the window', () => {
  const text = `${'a sentence of many words that goes on '.repeat(5)}`;
  const answer = new AnswerRows({
    ...{ context: { width: 40, widths, palette: NO_COLOURS }, colours: () => codeColours, leavesProse: true },
  });
  answer.push(text);
  for (const row of answer.tail()) expect(widths.of(textOfRow(row))).toBeLessThanOrEqual(40);
  expect(answer.end().map(textOfRow)).toEqual([text.trimEnd()]);
});
