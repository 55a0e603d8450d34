import { messageOf } from '../../util/message-of.ts';
import { entrySchemas, readEntry } from '../../wire/entries.ts';
import type { Loaded } from '../store.ts';
import { activeLeaf, buildTree, pathTo, type Tree } from '../tree/build-tree.ts';
import { unpairedToolCalls } from '../tree/repair-calls.ts';
import type { Finding } from '../tree/tree.ts';

/** A finding of a transcript check. */
export interface Check {
  /** 1-based; 0 when it concerns no line. */
  line: number;
  kind: Finding['kind'] | 'shape' | 'unanswered';
  /** False for a finding that is only information. */
  isProblem: boolean;
  text: string;
}

/** Checks a transcript: its lines, its tree, and the shapes of the entries of known kinds. It only reads. */
export function checkTranscript(loaded: readonly Loaded[]): Check[] {
  const tree = buildTree(loaded);
  const checks = [...tree.findings.map(findingCheck), ...loaded.flatMap(shapeCheck), ...unansweredCheck(tree)];
  return checks.sort((a, b) => a.line - b.line);
}

function findingCheck(finding: Finding): Check {
  const { line, kind } = finding;
  return { line, kind, isProblem: kind !== 'no_uuid' && kind !== 'lost_segment', text: findingText(finding) };
}

function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'damage':
      return finding.bytes > 0 ? `${finding.reason} (${finding.bytes} bytes)` : finding.reason;
    case 'duplicate':
      return `${finding.uuid} was stored before; this one does not count`;
    case 'missing_parent':
      return `the parent of ${finding.uuid}, ${finding.parentUuid ?? 'unnamed'}, is not in the file; ${linked(finding)}`;
    case 'cycle':
      return `the parents of ${finding.uuid} lead in a circle; ${linked(finding)}`;
    case 'misplaced_result':
      return `the result ${finding.uuid} does not hang below its call; ${linked(finding)}`;
    case 'lost_segment':
      return `the boundary ${finding.uuid} keeps messages that are left out: ${finding.reason}`;
    case 'no_uuid':
      return `${finding.count} messages without uuid from here on, read one after the other (an old file)`;
  }
}

function linked({ linkedTo }: { linkedTo: string | null }): string {
  return linkedTo === null ? 'read as a beginning' : `read as if it hung from ${linkedTo}`;
}

/** Unknown kinds are not checked: other versions may write kinds that this one does not know. */
function shapeCheck(item: Loaded): Check[] {
  if (!('entry' in item)) return [];
  const { entry, line } = item;
  if (!isKnown(entry.type)) return [];
  // The missing uuids of an old file's messages are reported once, for all of them.
  if (entry.uuid === undefined && (entry.type === 'user' || entry.type === 'assistant')) return [];
  const read = readEntry(entry.type, entry);
  return read.ok ? [] : [{ line, kind: 'shape', isProblem: true, text: messageOf(read.error) }];
}

function isKnown(type: string): type is keyof typeof entrySchemas {
  return Object.hasOwn(entrySchemas, type);
}

function unansweredCheck(tree: Tree): Check[] {
  const { leaf } = activeLeaf(tree);
  const open = leaf ? unpairedToolCalls(pathTo(tree, leaf.id)) : [];
  if (open.length === 0) return [];
  const names = [...new Set(open.map(({ name }) => name))].join(', ');
  const text = `${open.length} tool calls without a result (${names}); the next resume answers them`;
  return [{ line: 0, kind: 'unanswered', isProblem: false, text }];
}
