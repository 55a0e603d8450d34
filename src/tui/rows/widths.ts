import { eastAsianWidth } from 'get-east-asian-width';
import { once } from '../../util/once.ts';
import { isSingle } from './single-characters.ts';

/** One character as a reader sees it, and the columns that it takes. */
export interface Cluster {
  text: string;
  width: number;
}

/** How a terminal measures text. No width that it returns is smaller than what a terminal of its kind takes. */
export interface Widths {
  of(text: string): number;
  clusters(text: string): Cluster[];
}

export interface WidthOptions {
  /** Whether the terminal draws a sequence of code points as one character (mode 2027). */
  byGraphemes: boolean;
  /** Whether characters of ambiguous width take two columns. */
  ambiguousWide: boolean;
}

const ASCII = /^[\x20-\x7e]*$/;
// Made for the first text that needs them: their classes take a millisecond to load.
const noWidth = once(() => /^[\p{Mn}\p{Me}\p{Cf}]$/u);
const picture = once(() => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u);
const AS_PICTURE = '\ufe0f';

export function createWidths({ byGraphemes, ambiguousWide }: WidthOptions): Widths {
  const options = { ambiguousAsWide: ambiguousWide };
  const known = new Map<string, number>();
  let segmenter: Intl.Segmenter | undefined;

  const widthOfPoint = (character: string): number => {
    const point = character.codePointAt(0) ?? 0;
    if (!ambiguousWide && (point < 0x300 || isSingle(character))) return 1;
    if (point < 0xa1) return 1;
    return noWidth().test(character) ? 0 : eastAsianWidth(point, options);
  };
  const measure = (cluster: string): number => {
    if (byGraphemes && picture().test(cluster)) return cluster.length === 1 ? widthOfPoint(cluster) : 2;
    let width = 0;
    // A character that is asked for as a picture may be drawn two columns wide, whatever its own width is.
    for (const character of cluster) width += character === AS_PICTURE ? Number(width === 1) : widthOfPoint(character);
    return width;
  };
  const widthOf = (cluster: string): number => {
    let width = known.get(cluster);
    if (width === undefined) {
      width = measure(cluster);
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(cluster, width);
    }
    return width;
  };
  const clusters = (text: string): Cluster[] => {
    if (ASCII.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
    if (isSingle(text)) return Array.from(text, (character) => ({ text: character, width: widthOf(character) }));
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    return Array.from(segmenter.segment(text), ({ segment }) => ({ text: segment, width: widthOf(segment) }));
  };
  return {
    clusters,
    of(text) {
      if (ASCII.test(text)) return text.length;
      return clusters(text).reduce((sum, { width }) => sum + width, 0);
    },
  };
}

/** Remembered widths: the characters of a few languages, and the emoji of a conversation. */
const MOST_KNOWN = 5000;
