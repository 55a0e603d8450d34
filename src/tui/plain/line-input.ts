import type { Readable } from 'node:stream';

/** Lines that come within this time are one paste. */
const BURST_MS = 30;

/** Longer prompts come from files. */
const LONGEST = 1_000_000;

/**
 * The lines of a terminal that edits them itself: nothing moves the cursor. Lines that come at once are one text, which is
 * never the answer to a question; a backslash at the end of a line lets the next one belong to it.
 */
export function readLines(
  input: Readable,
  { onLine, onEnd }: { onLine: (text: string, options: { isPaste: boolean }) => void; onEnd: () => void },
): { close(): void } {
  let rest = '';
  let lines: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    timer = null;
    if (lines.at(-1)?.endsWith('\\')) return;
    const text = lines.map((line) => line.replace(/\\$/, '')).join('\n');
    const isPaste = lines.length > 1 && !lines.slice(0, -1).every((line) => line.endsWith('\\'));
    lines = [];
    onLine(text, { isPaste });
  };
  const onData = (chunk: string) => {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = (parts.pop() ?? '').slice(0, LONGEST);
    if (parts.length === 0) return;
    lines.push(...parts);
    if (timer) clearTimeout(timer);
    timer = setTimeout(flush, BURST_MS);
  };
  input.setEncoding('utf8');
  input.on('data', onData);
  input.on('end', onEnd);
  input.on('error', onEnd);
  input.resume();
  return {
    close() {
      if (timer) clearTimeout(timer);
      input.off('data', onData);
      input.off('end', onEnd);
      input.pause();
    },
  };
}
