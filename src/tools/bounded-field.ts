/** What a field of a result may carry: with its neighbours a line of the stream should stay below 1 MB (ruling K34). */
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

/** `base64` for people, or nothing when it is too much: half an image is none. */
export function boundBase64(base64: string): string {
  return base64.length <= MAX_FIELD_BYTES ? base64 : '';
}

/** As many of `items` from the start as take at most `maxBytes` in a JSON line. */
export function boundList<T>(items: readonly T[], maxBytes: number = MAX_FIELD_BYTES): T[] {
  let left = maxBytes;
  const beyond = items.findIndex((item) => {
    left -= jsonBytes(item) + 1;
    return left < 0;
  });
  return beyond === -1 ? [...items] : items.slice(0, beyond);
}

/** What a value takes in a line, escapes included. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
