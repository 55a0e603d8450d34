import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The end of a file as text, at most `maxBytes` of it, and whether more comes before it. */
export async function endOfFile(
  path: string,
  maxBytes: number,
  links: 'follow' | 'refuse' = 'follow',
): Promise<{ text: string; isCut: boolean }> {
  // Opening a pipe at this path must not block.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, links === 'refuse' ? flags | (constants.O_NOFOLLOW ?? 0) : flags);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error(`${path} is no file`);
    const { size } = stats;
    const from = Math.max(0, size - maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return { text: wholeCharacters(buffer.subarray(0, bytesRead), from > 0), isCut: from > 0 };
  } finally {
    await file.close();
  }
}

/** A cut may split a character: the rest of it is dropped. */
function wholeCharacters(bytes: Buffer, isCut: boolean): string {
  let start = 0;
  while (isCut && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString('utf8', start);
}
