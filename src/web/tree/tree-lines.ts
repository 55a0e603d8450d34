import type { Row } from '../../sessions/indexed/row.ts';
import {
  below,
  mainChild,
  type SessionModel,
  type Sums,
  sumsOf,
  type TreeCall,
  type TreeStep,
} from './session-model.ts';

export type LineKind = 'prompt' | 'text' | 'thinking' | 'call' | 'agent' | 'branch' | 'compaction' | 'note';

/** A line of the drawn tree. All have the same height. */
export interface TreeLine {
  /** Stays the same when the session grows. */
  key: string;
  kind: LineKind;
  depth: number;
  label: string;
  /** The row that it shows; for a branch its first one. */
  row: Row;
  call?: TreeCall;
  /** Of a prompt with its turn, of a branch with all that follows. */
  sums?: Sums;
  ms: number | null;
  isError: boolean;
  /** Undefined: it cannot be opened. */
  isOpen?: boolean;
  isOnPath: boolean;
  /** The conversation continues from here. */
  isActive: boolean;
}

/** What the tree shows. Prompts and branches are always there. */
export type TreeFilter = 'prompts' | 'answers' | 'tools' | 'errors' | 'everything';

export interface DrawOptions {
  filter: TreeFilter;
  /** What a person has opened (true) or closed (false) by its key. */
  toggled: ReadonlyMap<string, boolean>;
  /** Calls that an agent works for. */
  agents: ReadonlySet<string>;
}

interface Start {
  step: TreeStep;
  depth: number;
}

/** The lines of a session, top to bottom: the active conversation straight down, other branches indented. */
export function treeLines(model: SessionModel, options: DrawOptions): TreeLine[] {
  const lines: TreeLine[] = [];
  const pen = { model, options, lines };
  for (const note of model.notes.get(-1) ?? []) lines.push(noteLine(note, 0));
  // Branches may be nested as deeply as there are prompts: no recursion.
  const waiting: (Start | TreeLine)[] = [...mainLast(model.roots)].reverse().map((step) => ({ step, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if ('key' in next) lines.push(next);
    else waiting.push(...drawStraight(pen, next).reverse());
  }
  return lines;
}

interface Pen {
  model: SessionModel;
  options: DrawOptions;
  lines: TreeLine[];
}

/** Draws steps until they branch, and returns what follows there, in its order. */
function drawStraight(pen: Pen, { step: first, depth }: Start): (Start | TreeLine)[] {
  let isTurnOpen = true;
  let inTurn = false;
  for (let step = first; ; ) {
    if (step.isPrompt) {
      const line = promptLine(step, depth, pen);
      pen.lines.push(line);
      [isTurnOpen, inTurn] = [line.isOpen === true, true];
    }
    if (isTurnOpen) drawItems(step, depth + (inTurn ? 1 : 0), pen);
    const [only, ...others] = step.children;
    if (!only) return [];
    if (others.length === 0) {
      step = only;
      continue;
    }
    return branchesOf(step, depth, pen);
  }
}

function branchesOf(step: TreeStep, depth: number, { options, model }: Pen): (Start | TreeLine)[] {
  return mainLast(step.children).flatMap((child): (Start | TreeLine)[] => {
    if (child === mainChild(step)) return [{ step: child, depth }];
    const line = branchLine(child, depth, { options, model });
    return line.isOpen ? [line, { step: child, depth: depth + 1 }] : [line];
  });
}

/** The one by which the drawing continues comes last, so that it stays straight. */
function mainLast(steps: readonly TreeStep[]): TreeStep[] {
  const main = steps.find(({ isOnPath }) => isOnPath) ?? steps.at(-1);
  return [...steps.filter((step) => step !== main), ...(main ? [main] : [])];
}

/** The steps of the turn that a prompt begins, up to the next prompt or branch. */
export function turnOf(prompt: TreeStep): TreeStep[] {
  const turn = [prompt];
  for (let at = mainChild(prompt); at && !at.isPrompt && !turn.includes(at); at = mainChild(at)) turn.push(at);
  return turn;
}

function promptLine(step: TreeStep, depth: number, { options, model }: Pen): TreeLine {
  const row = step.rows.find(({ kind }) => kind === 'prompt') ?? (step.rows[0] as Row);
  const turn = turnOf(step);
  const sums = sumsOf(turn);
  const times = turn.flatMap(({ rows }) => rows.flatMap(({ at }) => at ?? []));
  const key = `p${row.n}`;
  return {
    ...{ key, kind: 'prompt', depth, row, sums, label: labelOf(row) },
    ms: times.length > 1 ? Math.max(...times) - Math.min(...times) : null,
    isError: sums.errors > 0,
    isOpen: options.toggled.get(key) ?? options.filter !== 'prompts',
    isOnPath: step.isOnPath,
    isActive: turn.includes(model.active as TreeStep),
  };
}

function branchLine(step: TreeStep, depth: number, { options }: Pick<Pen, 'options' | 'model'>): TreeLine {
  const steps = below(step);
  const row = step.rows[0] as Row;
  const sums = sumsOf(steps);
  const key = `b${row.n}`;
  const prompt = steps.find(({ isPrompt }) => isPrompt)?.rows.find(({ kind }) => kind === 'prompt');
  return {
    ...{ key, kind: 'branch', depth, row, sums, label: labelOf(prompt ?? row), ms: null },
    isError: sums.errors > 0,
    isOpen: options.toggled.get(key) ?? false,
    ...{ isOnPath: false, isActive: false },
  };
}

function drawItems(step: TreeStep, depth: number, { options, model, lines }: Pen): void {
  const { filter } = options;
  const all = filter === 'everything';
  for (const row of step.rows) {
    if (row.kind === 'summary')
      lines.push(itemLine(row, 'compaction', { depth, step, label: `compacted: ${labelOf(row)}` }));
    for (const [at, part] of row.parts.entries()) {
      const call = part.kind === 'call' && part.call !== undefined ? model.calls.get(part.call) : undefined;
      if (call) {
        const isError = call.result?.part.isError === true;
        if (!(all || filter === 'tools' || (filter === 'errors' && isError))) continue;
        const kind = options.agents.has(part.call ?? '') ? 'agent' : 'call';
        lines.push({
          ...itemLine(row, kind, { depth, step, label: part.label ?? '', at }),
          call,
          ms: call.ms,
          isError,
        });
      } else if (part.kind === 'text' && row.kind === 'answer') {
        const isShown = all || filter === 'answers' || (filter === 'errors' && row.isError);
        if (isShown) lines.push(itemLine(row, 'text', { depth, step, label: part.label ?? '', at }));
      } else if (part.kind === 'thinking' && all) {
        lines.push(itemLine(row, 'thinking', { depth, step, label: part.label ?? '', at }));
      } else if (row.kind === 'note' && all) {
        lines.push(itemLine(row, 'note', { depth, step, label: part.label ?? '', at }));
      }
    }
    for (const note of model.notes.get(row.n) ?? []) {
      if (note.kind === 'boundary' || all) lines.push(noteLine(note, depth));
    }
  }
}

function itemLine(
  row: Row,
  kind: LineKind,
  { depth, step, label, at = 0 }: { depth: number; step: TreeStep; label: string; at?: number },
): TreeLine {
  const { isOnPath } = step;
  const isError = row.isError === true;
  return { key: `r${row.n}.${at}`, kind, depth, label, row, ms: null, isError, isOnPath, isActive: false };
}

function noteLine(row: Row, depth: number): TreeLine {
  const kind = row.kind === 'boundary' ? 'compaction' : 'note';
  const label = labelOf(row);
  return { key: `r${row.n}.0`, kind, depth, label, row, ms: null, isError: false, isOnPath: true, isActive: false };
}

function labelOf({ parts }: Row): string {
  return parts.find(({ label }) => label)?.label ?? '';
}
