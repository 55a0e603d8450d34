import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import {
  type AttachedImage,
  type Attachment,
  cleanText,
  labelOf,
  markOf,
  replaceMarks,
} from '../editor/attachments.ts';
import type { Draft } from '../editor/editor.ts';

/** The label of a paste or an image, as the editor shows it. */
const LABEL = /\[(?:Pasted text|Image) #(\d+)(?: [^\]\n]*)?\]/g;

/** A draft as text with labels, the way history and drafts are stored. */
export function displayOf({ text, attachments }: Draft): string {
  return replaceMarks(text, attachments, labelOf);
}

/** A draft from its text with labels. A label without its attachment stays text. */
export function fromDisplay(display: string, attachments: readonly Attachment[]): Draft {
  const byId = new Map(attachments.map((each) => [each.id, each]));
  const found: Attachment[] = [];
  let text = '';
  let from = 0;
  for (const match of display.matchAll(LABEL)) {
    const attachment = byId.get(Number(match[1]));
    if (!attachment || found.includes(attachment)) continue;
    found.push(attachment);
    text += cleanText(display.slice(from, match.index)).text + markOf(attachment.id);
    from = match.index + match[0].length;
  }
  return { text: text + cleanText(display.slice(from)).text, attachments: found };
}

/** Pastes in the shape of the reference, by number. */
export function pastesOf({ attachments }: Draft, store: (text: string) => JsonObject): JsonObject {
  const pastes = attachments.filter((each) => each.kind === 'paste');
  return Object.fromEntries(pastes.map(({ id, text }) => [String(id), { id, type: 'text', ...store(text) }]));
}

/** The pastes of a stored draft; what cannot be read is left out. `load` returns the text that is stored elsewhere. */
export function readPastes(stored: unknown, load: (hash: string) => string | null): Attachment[] {
  if (!isObject(stored)) return [];
  return Object.values(stored).flatMap((each): Attachment[] => {
    if (!isObject(each) || each.type !== 'text' || !isId(each.id)) return [];
    const hash = stringField(each, 'contentHash');
    const text = stringField(each, 'content') ?? (hash === undefined ? null : load(hash));
    return text === null ? [] : [{ kind: 'paste', id: each.id, text }];
  });
}

export function readImages(stored: unknown): Attachment[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each): AttachedImage[] => {
    const mediaType = stringField(each, 'mediaType');
    const data = stringField(each, 'data');
    if (!isObject(each) || !isId(each.id) || mediaType === undefined || data === undefined) return [];
    const size = stringField(each, 'size');
    return [{ kind: 'image', id: each.id, mediaType, data, ...(size !== undefined && { size }) }];
  });
}

function isId(id: unknown): id is number {
  return typeof id === 'number' && Number.isInteger(id) && id > 0 && id < 4000;
}
