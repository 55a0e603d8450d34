import { isDeepStrictEqual } from 'node:util';
import { stringField, tryParseJson } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { type ByteLine, ByteLines } from './byte-lines.ts';
import { recordsOfLine } from './line-records.ts';
import type { Loaded } from './store.ts';
import { buildTree, type Tree } from './tree.ts';

/** What a repair does with a line that cannot stay as it is. */
export interface Repair {
  line: number;
  text: string;
}

export interface RepairPlan {
  /** The repaired transcript. */
  bytes: Buffer;
  /** What it changes; empty when the file is fine. */
  repairs: Repair[];
  /** Why it cannot be repaired. */
  refusal: string | null;
}

/**
 * Plans the repair of a transcript. Whole lines stay byte for byte, also of kinds that nobody here knows; records are
 * taken out of damaged lines, what is no record goes, a uuid that comes again goes, and lost parents are replaced by
 * what a resume takes for them. The tree stays the same.
 */
export function planRepair(source: Buffer): RepairPlan {
  const lines = linesOf(source);
  const unreadable = lines.find(({ line }) => line.bytes === null);
  if (unreadable) {
    return { bytes: source, repairs: [], refusal: `line ${unreadable.line.number} is too long to be read` };
  }
  const tree = buildTree(lines.flatMap(({ records }) => records));
  const parents = lostParents(tree);
  const firstLines = new Map<string, Entry>();
  const repairs: Repair[] = [];
  const kept: Buffer[] = [];
  for (const { line, records } of lines) {
    const outcome = repairLine(line, records, { parents, seen: firstLines });
    repairs.push(...outcome.notes.map((text) => ({ line: line.number, text })));
    kept.push(...outcome.kept);
  }
  const bytes = Buffer.concat(kept);
  const refusal = isSameTree(tree, bytes) ? null : 'the repaired file would not be read like the damaged one';
  return { bytes, repairs, refusal };
}

interface ReadLine {
  line: ByteLine;
  records: Loaded[];
}

function linesOf(source: Buffer): ReadLine[] {
  const lines = new ByteLines();
  return [...lines.push(source), ...lines.end()].map((line) => ({ line, records: recordsOfLine(line) }));
}

/** By uuid: the parent that a resume takes instead of the one that is stated. */
function lostParents({ findings }: Tree): Map<string, string | null> {
  return new Map(
    findings.flatMap((each): [string, string | null][] => {
      if (!('linkedTo' in each)) return [];
      // A message of an old file has no name that could be written down.
      return each.linkedTo?.startsWith('line:') ? [] : [[each.uuid, each.linkedTo]];
    }),
  );
}

interface RepairFacts {
  parents: ReadonlyMap<string, string | null>;
  seen: Map<string, Entry>;
}

const LF = Buffer.from('\n');

function repairLine(
  line: ByteLine,
  records: readonly Loaded[],
  facts: RepairFacts,
): { kept: Buffer[]; notes: string[] } {
  const bytes = line.bytes ?? Buffer.alloc(0);
  const notes: string[] = [];
  const damaged = records.flatMap((item) => ('damage' in item ? [item.damage] : []));
  for (const { reason, bytes: lost } of damaged) {
    notes.push(lost > 0 ? `dropped ${lost} bytes: ${reason}` : `rewritten: ${reason}`);
  }
  const entries = records.flatMap((item) => ('entry' in item ? [item.entry] : []));
  const texts = entries.flatMap((entry) => entryText(entry, bytes, { ...facts, notes }) ?? []);
  const isUntouched = notes.length === 0;
  if (!isUntouched) return { kept: texts.flatMap((text) => [text, LF]), notes };
  if (!line.ended) notes.push('ended with a line feed');
  return { kept: [bytes, LF], notes };
}

/** The bytes of an entry; null when it has been stored before. */
function entryText(
  entry: Entry,
  line: Buffer,
  { parents, seen, notes }: RepairFacts & { notes: string[] },
): Buffer | null {
  const uuid = stringField(entry, 'uuid');
  const first = uuid === undefined ? undefined : seen.get(uuid);
  if (first) {
    const likeness = isDeepStrictEqual(first, entry)
      ? 'the same again'
      : 'with another content, now only in the backup';
    notes.push(`dropped ${entry.type} ${uuid}: stored before (${likeness})`);
    return null;
  }
  if (uuid !== undefined) seen.set(uuid, entry);
  const linkedTo = uuid === undefined ? undefined : parents.get(uuid);
  if (linkedTo === undefined) return verbatim(entry, line);
  notes.push(`${uuid} hangs from ${linkedTo ?? 'nothing'} instead of ${stringField(entry, 'parentUuid') ?? 'nothing'}`);
  return relinked(entry, linkedTo, line);
}

/** As the line has it, unless it cannot be found there: then written again. */
function verbatim(entry: Entry, line: Buffer): Buffer {
  const alone = Buffer.from(line.toString('utf8').trim());
  if (isDeepStrictEqual(tryParseJson(alone.toString('utf8')), entry)) return alone;
  return Buffer.from(JSON.stringify(entry));
}

function relinked(entry: Entry, parentUuid: string | null, line: Buffer): Buffer {
  const wanted = { ...entry, parentUuid };
  const stated = `"parentUuid":${JSON.stringify(entry.parentUuid)}`;
  const edited = line.toString('utf8').replace(stated, () => `"parentUuid":${JSON.stringify(parentUuid)}`);
  return isDeepStrictEqual(tryParseJson(edited), wanted)
    ? Buffer.from(edited.trimEnd())
    : Buffer.from(JSON.stringify(wanted));
}

/** A repair must not change what is read: the same nodes under the same parents, and nothing left to repair. */
function isSameTree(before: Tree, bytes: Buffer): boolean {
  const after = buildTree(linesOf(bytes).flatMap(({ records }) => records));
  // Messages of old files are named by their line, which may have moved.
  const links = (tree: Tree) => [...tree.nodes.values()].filter(({ entry }) => typeof entry.uuid === 'string');
  const shape = (tree: Tree) => links(tree).map(({ id, parent }) => [id, parent?.entry.uuid ?? null]);
  return isDeepStrictEqual(shape(before), shape(after)) && before.nodes.size === after.nodes.size;
}
