import { readFileSync, statSync } from 'node:fs';
import type { ImageBlock } from '../wire/content.ts';
import { imageBlock } from './image-fit.ts';

const DATA_URI = /^data:image\/[a-z+]+;base64,([A-Za-z0-9+/\s]+=*)$/;
/** More is not worth decoding: what is over 5 MB has to be scaled down before a model sees it. */
const MAX_FILE_BYTES = 24 * 1024 * 1024;

/**
 * The image that a command printed as a data URI; null when it is none, a damaged or a far too large one. `file` has
 * the whole of an output that was too long.
 */
export async function printedImage(stdout: string, file: string | null): Promise<ImageBlock | null> {
  const base64 = DATA_URI.exec(file === null ? stdout : readWhole(file))?.[1];
  return base64 === undefined ? null : imageBlock(Buffer.from(base64, 'base64'));
}

function readWhole(file: string): string {
  return statSync(file).size > MAX_FILE_BYTES ? '' : readFileSync(file, 'latin1').trimEnd();
}
