import type { Entry } from '../../../src/wire/entries.ts';
import { ALL, type DamageCase, file, lineOf, story } from './story.ts';

/** The story's file, cut at so many places behind its first line. */
export function cutFiles(count: number, random: () => number): DamageCase[] {
  const whole = file(story());
  const first = lineOf(story()[0] as Entry).length;
  return Array.from({ length: count }, (_, at) => {
    const end = first + Math.floor(random() * (whole.length - first + 1));
    const bytes = whole.subarray(0, end);
    const left = bytes.toString().split('\n').filter(isWhole).join('\n');
    const isTorn = !isWhole(bytes.toString().split('\n').at(-1) || '{}');
    const open = [1, 2, 3]
      .flatMap((n) => [`a${n}`, `b${n}`])
      .filter((call) => {
        return left.includes(`"id":"toolu_${call}"`) && !left.includes(`out-${call}`);
      });
    return {
      name: `cut ${at + 1} at byte ${end}`,
      make: () => bytes,
      kept: ALL.filter((word) => left.includes(word)),
      said: isTorn ? ['damage'] : [],
      interrupted: open.length,
    };
  });
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
