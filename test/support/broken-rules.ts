import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from './place.ts';

/** The rule that must hold, or nothing may run. */
export const RULES = { permissions: { deny: ['Bash(touch:*)', 'Write'] } };
const WHOLE = JSON.stringify(RULES, null, 2);

/** Where rules are read from: puts bytes there, and names the flags of a run that reads them. */
export const RULE_FILES: Record<string, { pathIn(place: Place): string; flagsFor(path: string): string[] }> = {
  user: { pathIn: ({ home }) => join(home, 'settings.json'), flagsFor: () => [] },
  project: { pathIn: ({ cwd }) => join(cwd, '.claude/settings.json'), flagsFor: () => [] },
  'trusted project': { pathIn: ({ cwd }) => join(cwd, '.claude/settings.json'), flagsFor: () => ['--trust'] },
  local: { pathIn: ({ cwd }) => join(cwd, '.claude/settings.local.json'), flagsFor: () => [] },
  'trusted local': { pathIn: ({ cwd }) => join(cwd, '.claude/settings.local.json'), flagsFor: () => ['--trust'] },
  '--settings': { pathIn: ({ root }) => join(root, 'flag.json'), flagsFor: (path) => ['--settings', path] },
};

/** Whose files a run starts without when they are no settings at all, and says so (K53). */
export const UNTRUSTED: readonly string[] = ['project', 'local'];

/** What may have become of a file with rules. */
export type Breakage = { name: string; put(path: string): void };

const bytes = (name: string, content: string | Buffer): Breakage => ({
  name,
  put: (path) => writeFileSync(path, content),
});

/** Files that hold no settings at all. */
const UNREADABLE: readonly Breakage[] = [
  { name: 'a directory', put: (path) => mkdirSync(path) },
  {
    name: 'a file that may not be read',
    put: (path) => {
      writeFileSync(path, WHOLE);
      chmodSync(path, 0);
    },
  },
];

/** Settings that are JSON, with rules of no known shape. */
const SHAPES: readonly unknown[] = [
  [],
  'Bash',
  null,
  7,
  { permissions: [] },
  { permissions: 'deny' },
  { permissions: 3 },
  { permissions: { deny: 'Bash(touch:*)' } },
  { permissions: { deny: { 0: 'Bash(touch:*)' } } },
  { permissions: { deny: ['Bash(touch:*)', 5] } },
  { permissions: { deny: ['Bash(touch:*'] } },
  { permissions: { deny: [''] } },
  { permissions: { deny: [['Bash(touch:*)']] } },
];

/** So many breakages: the fixed ones, then cuts and spoilt bytes by the given choices. */
export function breakages(count: number, random: () => number): Breakage[] {
  const fixed = [
    ...UNREADABLE,
    ...SHAPES.map((shape) => bytes(JSON.stringify(shape), JSON.stringify(shape))),
    bytes('zero bytes', Buffer.alloc(WHOLE.length)),
    bytes('invalid UTF-8', Buffer.from(WHOLE.replace('touch', 'to\xffch'), 'latin1')),
    bytes('twice', WHOLE + WHOLE),
    bytes('a comma too many', WHOLE.replace('"Write"', '"Write",')),
  ];
  const spoilt = Array.from({ length: Math.max(0, count - fixed.length) }, (_, at) => {
    const byte = 1 + Math.floor(random() * (WHOLE.length - 2));
    if (at % 2 === 0) return bytes(`cut at byte ${byte}`, WHOLE.slice(0, byte));
    return bytes(`spoilt at byte ${byte}`, spoiltAt(byte));
  });
  return [...fixed, ...spoilt];
}

/** No JSON: a character of control stands in it. */
function spoiltAt(byte: number): string {
  return `${WHOLE.slice(0, byte)}\u0001${WHOLE.slice(byte + 1)}`;
}

/** Puts a broken file with rules where a run looks for them. */
export function putBroken(path: string, { put }: Breakage): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  put(path);
}
