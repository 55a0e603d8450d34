import fc from 'fast-check';
import { eastAsianWidth } from 'get-east-asian-width';
import { describe, expect, test } from 'vitest';
import { safeText } from '../../../src/tui/rows/safe-text.ts';
import { isSingle } from '../../../src/tui/rows/single-characters.ts';

const SINGLE = Array.from({ length: 0x1_0000 }, (_, at) => String.fromCharCode(at)).filter(isSingle);

describe('characters that need no table of Unicode', () => {
  test('[TUI-17] none is a mark, a picture, hidden or not assigned', () => {
    const others = SINGLE.filter((each) =>
      /\p{Extended_Pictographic}|\p{M}|\p{C}|\p{Regional_Indicator}|\p{Script=Hangul}/u.test(each),
    );
    expect(others).toEqual([]);
    expect(SINGLE.length).toBeGreaterThan(1500);
  });

  test('[TUI-17] the segmenter of Unicode finds the same characters', () => {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SINGLE), { maxLength: 200 }), (characters) => {
        const found = Array.from(segmenter.segment(characters.join('')), ({ segment }) => segment);
        expect(found).toEqual(characters);
      }),
    );
  });

  test('[TUI-17] each takes one column where ambiguous characters do', () => {
    expect(SINGLE.filter((each) => eastAsianWidth(each.charCodeAt(0)) !== 1)).toEqual([]);
  });

  test('[TUI-92] nothing of them would be made visible', () => {
    // The letter is Hebrew, so that the text takes the way of all others.
    const text = `\u05d0${SINGLE.join('')}`;
    expect(safeText(text)).toBe(text);
  });
});
