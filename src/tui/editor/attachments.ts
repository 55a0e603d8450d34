import { asEscape } from '../../util/text/printable.ts';

/** A long paste, which stands in the text as one character until it is sent. */
export interface FoldedPaste {
  readonly kind: 'paste';
  readonly id: number;
  readonly text: string;
}

export interface AttachedImage {
  readonly kind: 'image';
  readonly id: number;
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
  /** `1280×720`, where it is known. */
  readonly size?: string;
}

export type Attachment = FoldedPaste | AttachedImage;

/**
 * The characters that stand for attachments: the end of the last private plane, which no font uses. One character, so
 * that moving, deleting, killing and undoing need not know of attachments.
 */
const FIRST_MARK = 0x10f000;
const MARKS = 0xffe;
const ANY_MARK = /[\u{10f000}-\u{10fffd}]/gu;
const ONE_MARK = /([\u{10f000}-\u{10fffd}])/u;
/** Ids begin at 1. */
const MAX_ATTACHMENTS = MARKS - 1;

export function markOf(id: number): string {
  return String.fromCodePoint(FIRST_MARK + id);
}

export function isMark(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return point >= FIRST_MARK && point < FIRST_MARK + MARKS;
}

export function attachmentAt<T extends { readonly id: number }>(character: string, all: readonly T[]): T | undefined {
  const id = (character.codePointAt(0) ?? 0) - FIRST_MARK;
  return all.find((each) => each.id === id);
}

/** What the user sees of an attachment: `[Pasted text #1 +120 lines]`, `[Image #2 1280×720]`. */
export function labelOf(attachment: Attachment): string {
  if (attachment.kind === 'image') return `[Image #${attachment.id}${attachment.size ? ` ${attachment.size}` : ''}]`;
  const breaks = countBreaks(attachment.text);
  const size = breaks > 0 ? `+${breaks} lines` : `${attachment.text.length} characters`;
  return `[Pasted text #${attachment.id} ${size}]`;
}

/** Every mark replaced; a mark without its attachment is dropped. */
export function replaceMarks(
  text: string,
  all: readonly Attachment[],
  replace: (attachment: Attachment) => string,
): string {
  return text.replaceAll(ANY_MARK, (mark) => {
    const found = attachmentAt(mark, all);
    return found ? replace(found) : '';
  });
}

/** The ids of all marks in these texts. */
export function idsIn(texts: Iterable<string>): Set<number> {
  const ids = new Set<number>();
  for (const text of texts) {
    for (const [mark] of text.matchAll(ANY_MARK)) ids.add((mark.codePointAt(0) ?? 0) - FIRST_MARK);
  }
  return ids;
}

/** The smallest id that is not taken; null when all are. */
export function freeId(taken: ReadonlySet<number>): number | null {
  for (let id = 1; id <= MAX_ATTACHMENTS; id++) if (!taken.has(id)) return id;
  return null;
}

/** The texts between the marks, at even places, and the marks, at odd ones. */
export function splitAtMarks(text: string): string[] {
  return text.split(ONE_MARK);
}

const FOLDED_CHARACTERS = 800;
const FOLDED_LINES = 3;

/** Whether a paste is long enough to be folded. */
export function isLong(text: string): boolean {
  return text.length > FOLDED_CHARACTERS || countBreaks(text) >= FOLDED_LINES;
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Control characters but tab and line end, and halves of characters. */
const UNWANTED = /[^\P{Cc}\n\t]|\p{Cs}/gu;

/**
 * Text that an editor can hold: lines end with `\n`, there is no control character but the tab. `dropped` names what
 * was left out, each once.
 */
export function cleanText(given: string): { text: string; dropped: string[] } {
  const lines = given.replaceAll(/\r\n?/g, '\n');
  const dropped = new Set<string>();
  const text = lines
    .replaceAll(UNWANTED, (character) => {
      dropped.add(asEscape(character));
      return '';
    })
    .replaceAll(ANY_MARK, '\ufffd');
  return { text, dropped: [...dropped] };
}
