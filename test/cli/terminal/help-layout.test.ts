import { describe, expect, test } from 'vitest';
import { COMMAND_HELP } from '../../../src/cli/commands/all-help.ts';
import { layoutHelp } from '../../../src/cli/terminal/help-layout.ts';
import { createPaint } from '../../../src/util/text/paint.ts';

const plain = createPaint({ colours: false });

/** The words of a text, however it is broken into lines; examples are compared as they are. */
function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

describe.each(Object.keys(COMMAND_HELP))('%s --help', (command) => {
  test.each([60, 80, 100])(
    'fits a terminal of %i columns, but for examples, and says all that it says',
    async (width) => {
      const text = (await COMMAND_HELP[command]?.()) ?? '';
      const lines = layoutHelp(text, { paint: plain, width });
      const examples = lines.filter((line) => /^ {2}(heddle|curl|#)/.test(line));
      const wide = lines.filter((line) => line.length > width && !examples.includes(line));
      expect(wide).toEqual([]);
      expect(words(lines.join('\n'))).toEqual(words(text));
    },
  );

  test('is as it is written where the terminal is wide enough', async () => {
    const text = (await COMMAND_HELP[command]?.()) ?? '';
    expect(layoutHelp(text, { paint: plain, width: 200 }).join('\n')).toBe(text.trimEnd());
  });
});

test('the texts beside options stand below each other; a name that is too wide stands on a line of its own', () => {
  const text = [
    'Usage: heddle x',
    '',
    'Options:',
    '  --all                          every one of them, wherever it may be, without an exception',
    '  --a-very-long-name-of-an-option  short',
    '                                   and more',
  ].join('\n');
  expect(layoutHelp(text, { paint: plain, width: 50 })).toEqual([
    'Usage: heddle x',
    '',
    'Options:',
    '  --all             every one of them, wherever it',
    '                    may be, without an exception',
    '  --a-very-long-name-of-an-option',
    '                    short and more',
  ]);
});

test('headings and names are painted', () => {
  const paint = createPaint({ colours: true });
  const text = 'Usage: heddle x\n\nOptions:\n  --all   every one\n\nExamples:\n  # this\n  heddle x';
  expect(layoutHelp(text, { paint, width: 80 })).toEqual([
    `${paint.bold('Usage:')} heddle x`,
    '',
    paint.bold('Options:'),
    `  ${paint.cyan('--all')}   every one`,
    '',
    paint.bold('Examples:'),
    paint.dim('  # this'),
    '  heddle x',
  ]);
});
