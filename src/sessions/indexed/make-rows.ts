import { defined, isObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { blocksOf, instantOf, isConversation, isErrorAnswer } from '../entry-fields.ts';
import { promptOf, resultText, textsOf } from '../entry-texts.ts';
import type { StoredSession } from '../stored/stored-session.ts';
import { firstWords } from '../terminal-text.ts';
import type { Finding, TreeNode } from '../tree/tree.ts';
import { inputText } from '../views/conversation-parts.ts';
import { type OutlineStep, outlineOf } from '../views/outline.ts';
import type { Row, RowKind, RowPart, SessionRows } from './row.ts';

const LABEL = 90;

/** The rows of a session, in the order of its file. */
export function makeRows(session: StoredSession, sizeOf: (entry: Entry) => number = () => 0): SessionRows {
  const { tree } = session;
  const outline = outlineOf(session);
  const stepOf = stepsById(outline.steps);
  const firstOf = firstRows(outline.steps, tree.nodes);
  const checkpoints = new Set(session.loaded.flatMap((item) => ('entry' in item ? checkpointIn(item.entry) : [])));
  const rows = [...tree.nodes.values()].map((node): Row => {
    const step = stepOf.get(node.id);
    return { ...rowOf(node), ...(step && placeIn(step, node, firstOf)) };
  });
  for (const row of rows) {
    const entry = tree.nodes.get(row.id)?.entry;
    const size = entry ? sizeOf(entry) : 0;
    if (size > 0) row.size = size;
    if (checkpoints.has(row.id)) row.hasCheckpoint = true;
  }
  const numberOf = (id: string) => tree.nodes.get(id)?.index;
  return {
    rows,
    leaf: outline.activeId === null ? null : (numberOf(outline.activeId) ?? null),
    problems: tree.findings.map((each) => ({ line: each.line, text: problemText(each) })),
    summaries: [...session.summaries].flatMap(([id, text]) => {
      const n = numberOf(id);
      return n === undefined ? [] : [{ n, text: firstWords(text, LABEL) }];
    }),
  };
}

function stepsById(steps: readonly OutlineStep[]): Map<string, OutlineStep> {
  const found = new Map<string, OutlineStep>();
  for (const step of steps) for (const id of step.ids) found.set(id, step);
  return found;
}

function firstRows(steps: readonly OutlineStep[], nodes: ReadonlyMap<string, TreeNode>): Map<OutlineStep, number> {
  const numberOf = (id: string) => nodes.get(id)?.index ?? Number.POSITIVE_INFINITY;
  return new Map(steps.map((step) => [step, [...step.ids].reduce((low, id) => Math.min(low, numberOf(id)), Infinity)]));
}

function placeIn(step: OutlineStep, node: TreeNode, firstOf: ReadonlyMap<OutlineStep, number>): Partial<Row> {
  const up = step.parent && firstOf.get(step.parent);
  const isLast = step.id === node.id;
  return defined({
    step: firstOf.get(step),
    up: up ?? undefined,
    tokens: isLast ? (step.tokens ?? undefined) : undefined,
    usd: isLast ? step.booked?.costUsd : undefined,
  }) as Partial<Row>;
}

function rowOf({ id, index, entry, parent, isSidechain }: TreeNode): Row {
  const parts = partsOf(entry);
  const at = instantOf(entry);
  return {
    n: index,
    id,
    kind: kindOf(entry),
    ...(parent && { parent: parent.index }),
    ...(at > 0 && { at }),
    ...(isSidechain && { isSidechain }),
    ...(entry.isMeta === true && { isMeta: true }),
    ...((isErrorAnswer(entry) || parts.some(({ isError }) => isError)) && { isError: true }),
    ...defined({ copyOf: stringField(entry.forkedFrom, 'messageUuid') }),
    parts,
    ...(entry.type === 'assistant' && defined({ model: stringField(entry.message, 'model') })),
  };
}

function kindOf(entry: Entry): RowKind {
  if (entry.type === 'system') return entry.subtype === 'compact_boundary' ? 'boundary' : 'note';
  if (entry.type === 'attachment') return 'attachment';
  if (!isConversation(entry)) return 'other';
  if (entry.type === 'assistant') return 'answer';
  if (entry.isCompactSummary === true) return 'summary';
  if (promptOf(entry) !== null) return 'prompt';
  return blocksOf(entry).some(({ type }) => type === 'tool_result') ? 'result' : 'note';
}

function partsOf(entry: Entry): RowPart[] {
  if (!isConversation(entry)) {
    const label = entry.subtype === 'compact_boundary' ? compactionText(entry) : (textsOf(entry)[0]?.text ?? '');
    return [{ kind: 'text', label: firstWords(label || typeOf(entry), LABEL) }];
  }
  const prompt = promptOf(entry);
  const blocks = blocksOf(entry);
  const parts = blocks.flatMap(partOf);
  if (prompt === null) return parts;
  const images = parts.filter(({ kind }) => kind === 'image' || kind === 'document');
  return [{ kind: 'text', label: firstWords(prompt, LABEL) }, ...images];
}

function partOf(block: Record<string, unknown>): RowPart[] {
  switch (block.type) {
    case 'text':
      return [{ kind: 'text', label: firstWords(stringField(block, 'text') ?? '', LABEL) }];
    case 'thinking':
    case 'redacted_thinking':
      return [{ kind: 'thinking', label: firstWords(stringField(block, 'thinking') ?? '', LABEL) }];
    case 'image':
    case 'document':
      return [{ kind: block.type }];
    case 'tool_result': {
      const label = firstWords(resultText(block), LABEL);
      const call = stringField(block, 'tool_use_id');
      const images = Array.isArray(block.content)
        ? block.content.filter(isImage).map(() => ({ kind: 'image' as const }))
        : [];
      return [
        { kind: 'result', label, ...defined({ call }), ...(block.is_error === true && { isError: true }) },
        ...images,
      ];
    }
    default:
      return CALLS.has(String(block.type)) ? [callPart(block)] : [];
  }
}

const CALLS: ReadonlySet<string> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);
const isImage = (block: unknown) => isObject(block) && block.type === 'image';

function callPart(block: Record<string, unknown>): RowPart {
  const { input } = block;
  const label = firstWords(gistOf(input), LABEL);
  return {
    kind: 'call',
    label,
    tool: stringField(block, 'name') ?? 'tool',
    ...defined({ call: stringField(block, 'id') }),
  };
}

/** What a reader looks for first in the input of a call. */
function gistOf(input: unknown): string {
  if (isObject(input) && Array.isArray(input.todos)) return `${input.todos.length} todos`;
  for (const key of [
    'description',
    'command',
    'file_path',
    'notebook_path',
    'pattern',
    'query',
    'url',
    'path',
    'skill',
  ]) {
    const value = stringField(input, key === 'description' && stringField(input, 'command') ? 'command' : key);
    if (value !== undefined && value.trim() !== '') return value;
  }
  return inputText(input);
}

function compactionText({ compactMetadata }: Entry): string {
  const tokens = isObject(compactMetadata) ? compactMetadata.preTokens : undefined;
  const trigger = stringField(compactMetadata, 'trigger');
  const before = typeof tokens === 'number' ? ` of ${tokens} tokens` : '';
  return `compaction${before}${trigger === undefined ? '' : ` (${trigger})`}`;
}

function typeOf(entry: Entry): string {
  return [entry.type, stringField(entry, 'subtype') ?? stringField(entry.attachment, 'type')].filter(Boolean).join(' ');
}

/** The message to which a checkpoint belongs. */
function checkpointIn(entry: Entry): string[] {
  if (entry.type !== 'file-history-snapshot') return [];
  const id = stringField(entry.snapshot, 'messageId') ?? stringField(entry, 'messageId');
  return id === undefined ? [] : [id];
}

function problemText(finding: Finding): string {
  switch (finding.kind) {
    case 'damage':
      return `${finding.reason} (${finding.bytes} bytes)`;
    case 'duplicate':
      return `a second entry with the uuid ${finding.uuid} was left out`;
    case 'missing_parent':
    case 'cycle':
      return `the parent of ${finding.uuid} ${finding.kind === 'cycle' ? 'leads in a circle' : 'is missing'}; it was linked to ${finding.linkedTo ?? 'nothing'}`;
    case 'misplaced_result':
      return `the call of the result ${finding.uuid} is not above it; it was linked to the call`;
    case 'lost_segment':
      return `retained messages are lost: ${finding.reason}`;
    case 'no_uuid':
      return `${finding.count} messages without uuids, read in their order`;
    default:
      return finding satisfies never;
  }
}
