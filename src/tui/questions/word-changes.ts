/** A line of which only a part differs from its other version. */
export interface ChangedLine {
  before: string;
  /** What differs. */
  changed: string;
  after: string;
}

/** What differs between two versions of a line, by whole words. */
export function wordChanges(old: string, now: string): { old: ChangedLine; now: ChangedLine } {
  const [was, is] = [words(old), words(now)];
  const most = Math.min(was.length, is.length);
  let head = 0;
  while (head < most && was[head] === is[head]) head++;
  let tail = 0;
  while (tail < most - head && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail++;
  const cut = (all: readonly string[]): ChangedLine => ({
    before: all.slice(0, head).join(''),
    changed: all.slice(head, all.length - tail).join(''),
    after: all.slice(all.length - tail).join(''),
  });
  return { old: cut(was), now: cut(is) };
}

function words(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
