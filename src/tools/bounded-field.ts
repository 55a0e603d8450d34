/** The most that a field of a result may hold, so that a line of the stream stays below 1 MB. */
export const MAX_FIELD_BYTES = 200_000;

/** `text`, or as much of its start as takes at most `maxBytes` in a JSON line, and a note on what is missing. */
export function boundField(text: string, maxBytes: number = MAX_FIELD_BYTES): string {
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  let kept = text.slice(0, maxBytes);
  for (let bytes = jsonBytes(kept); bytes > maxBytes; bytes = jsonBytes(kept)) {
    kept = kept.slice(0, Math.floor((kept.length * maxBytes) / bytes) - 1);
  }
  return `${kept}\n[… ${text.length - kept.length} more characters left out …]`;
}

/** `base64` for people, or nothing when it is too large: half an image is of no use. */
export function boundBase64(base64: string): string {
  return base64.length <= MAX_FIELD_BYTES ? base64 : '';
}

/** The first `items` that together take at most `maxBytes` in a JSON line. */
export function boundList<T>(items: readonly T[], maxBytes: number = MAX_FIELD_BYTES): T[] {
  let left = maxBytes;
  const beyond = items.findIndex((item) => {
    left -= jsonBytes(item) + 1;
    return left < 0;
  });
  return beyond === -1 ? [...items] : items.slice(0, beyond);
}

/** The bytes of a value in a line, escapes included. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
