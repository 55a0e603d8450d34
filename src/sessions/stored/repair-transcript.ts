import { isDeepStrictEqual } from 'node:util';
import { stringField, tryParseJson } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { type ByteLine, ByteLines } from '../files/byte-lines.ts';
import { recordsOfLine } from '../files/line-records.ts';
import type { Damage, Loaded } from '../store.ts';
import { buildTree, type Tree } from '../tree/build-tree.ts';

/** A change that a repair makes to a line. */
export interface Repair {
  line: number;
  text: string;
}

export interface RepairPlan {
  /** The repaired transcript. */
  bytes: Buffer;
  /** The changes; empty when the file is fine. */
  repairs: Repair[];
  /** Why it cannot be repaired. */
  refusal: string | null;
}

/**
 * Plans the repair of a transcript. Intact lines stay byte for byte, also those of unknown kinds; records are recovered
 * from damaged lines, other bytes and repeated uuids are removed, and lost parents are replaced by those that a resume
 * assumes. The tree stays the same.
 */
export function planRepair(source: Buffer): RepairPlan {
  const refused = (refusal: string) => ({ bytes: source, repairs: [], refusal });
  const lines = linesOf(source);
  const unreadable = lines.find(({ line }) => line.bytes === null);
  if (unreadable) return refused(`line ${unreadable.line.number} is too long to be read`);
  const tree = treeOf(lines);
  try {
    const { bytes, repairs } = repairLines(lines, lostParents(tree));
    if (isSameTree(tree, treeOf(linesOf(bytes)))) return { bytes, repairs, refusal: null };
    return refused('the repaired file would not be read like the damaged one');
  } catch (error) {
    if (error instanceof RangeError) return refused('an entry that would have to be written again is nested too deep');
    throw error;
  }
}

interface ReadLine {
  line: ByteLine;
  records: Loaded[];
}

function linesOf(source: Buffer): ReadLine[] {
  const lines = new ByteLines();
  return [...lines.push(source), ...lines.end()].map((line) => ({ line, records: recordsOfLine(line) }));
}

function treeOf(lines: readonly ReadLine[]): Tree {
  return buildTree(lines.flatMap(({ records }) => records));
}

/** By uuid: the parent that a resume assumes instead of the stated one. */
function lostParents({ findings }: Tree): Map<string, string | null> {
  return new Map(
    findings.flatMap((each): [string, string | null][] => {
      if (!('linkedTo' in each)) return [];
      // A message of an old file has no uuid that could be written.
      return each.linkedTo !== null && isUnnamed(each.linkedTo) ? [] : [[each.uuid, each.linkedTo]];
    }),
  );
}

const LF = Buffer.from('\n');

function repairLines(lines: readonly ReadLine[], parents: ReadonlyMap<string, string | null>) {
  const seen = new Map<string, Entry>();
  const repairs: Repair[] = [];
  const kept: Buffer[] = [];
  for (const { line, records } of lines) {
    const entries = records.flatMap((item) => ('entry' in item ? [item.entry] : []));
    const damage = records.flatMap((item) => ('damage' in item ? [damageNote(item.damage)] : []));
    const changes = entries.map((entry) => changeOf(entry, { seen, parents }));
    const notes = [...damage, ...changes.flatMap((change) => change?.note ?? [])];
    const bytes = line.bytes ?? Buffer.alloc(0);
    if (notes.length === 0) kept.push(bytes, LF);
    else for (const [at, entry] of entries.entries()) kept.push(...linesFor(entry, changes[at] ?? null, bytes));
    if (notes.length === 0 && !line.ended) notes.push('ended with a line feed');
    repairs.push(...notes.map((text) => ({ line: line.number, text })));
  }
  return { bytes: Buffer.concat(kept), repairs };
}

function damageNote({ reason, bytes }: Damage): string {
  return bytes > 0 ? `dropped ${bytes} bytes: ${reason}` : `rewritten: ${reason}`;
}

/** What happens to an entry that cannot stay unchanged: it is removed, or it gets another parent. */
type Change = { note: string } & ({ isDropped: true } | { isDropped: false; parentUuid: string | null });

function changeOf(
  entry: Entry,
  { seen, parents }: { seen: Map<string, Entry>; parents: ReadonlyMap<string, string | null> },
): Change | null {
  const uuid = stringField(entry, 'uuid') || null;
  if (uuid === null) return null;
  const first = seen.get(uuid);
  if (first) {
    const likeness = isDeepStrictEqual(first, entry)
      ? 'the same again'
      : 'with another content, now only in the backup';
    return { isDropped: true, note: `dropped ${entry.type} ${uuid}: stored before (${likeness})` };
  }
  seen.set(uuid, entry);
  const parentUuid = parents.get(uuid);
  if (parentUuid === undefined) return null;
  const stated = stringField(entry, 'parentUuid') ?? 'nothing';
  return { isDropped: false, parentUuid, note: `${uuid} hangs from ${parentUuid ?? 'nothing'} instead of ${stated}` };
}

/** The output for an entry of a line that cannot stay unchanged. */
function linesFor(entry: Entry, change: Change | null, line: Buffer): Buffer[] {
  if (change === null) return [spelled(entry, line.toString('utf8')), LF];
  if (change.isDropped) return [];
  const { parentUuid } = change;
  const stated = `"parentUuid":${JSON.stringify(entry.parentUuid)}`;
  const edited = line.toString('utf8').replace(stated, () => `"parentUuid":${JSON.stringify(parentUuid)}`);
  return [spelled({ ...entry, parentUuid }, edited), LF];
}

/** The original text, when it is exactly the entry; otherwise the entry is written again. */
function spelled(entry: Entry, text: string): Buffer {
  const alone = text.trim();
  return Buffer.from(isDeepStrictEqual(tryParseJson(alone), entry) ? alone : JSON.stringify(entry));
}

/** A repair must not change what is read: the same nodes in the same order under the same parents. */
function isSameTree(before: Tree, after: Tree): boolean {
  const others = [...after.nodes.values()];
  return [...before.nodes.values()].every(({ id, parent }, at) => {
    const other = others[at];
    return other !== undefined && isSameName(id, other.id) && isSameName(parent?.id, other.parent?.id);
  });
}

/** Messages of old files are identified by their line, which may have moved. */
function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && isUnnamed(one) && isUnnamed(other));
}

function isUnnamed(id: string): boolean {
  return id.startsWith('line:');
}
