import type { Row, RowPart } from '../../sessions/indexed/row.ts';

/** A prompt, or one answer with its results. */
export interface TreeStep {
  /** The number of its first row. */
  n: number;
  rows: Row[];
  up: TreeStep | null;
  children: TreeStep[];
  isPrompt: boolean;
  isOnPath: boolean;
}

/** A call with its result, as far as it came. */
export interface TreeCall {
  row: Row;
  part: RowPart;
  result: { row: Row; part: RowPart } | null;
  /** Milliseconds; null while it runs, or where the file has no times. */
  ms: number | null;
}

export interface Sums {
  turns: number;
  /** Null where a turn has no recorded cost. */
  usd: number | null;
  input: number;
  output: number;
  ms: number;
  errors: number;
}

/** A session as a page draws it, made from its rows. */
export interface SessionModel {
  rows: readonly Row[];
  steps: ReadonlyMap<number, TreeStep>;
  roots: TreeStep[];
  /** The step from which the conversation continues. */
  active: TreeStep | null;
  /** The ends of the branches. */
  ends: TreeStep[];
  /** By the id of the call. */
  calls: ReadonlyMap<string, TreeCall>;
  /** Rows that belong to no step, by the row that they follow: compactions, notices. */
  notes: ReadonlyMap<number, Row[]>;
}

export function sessionModel(rows: readonly Row[], leaf: number | null): SessionModel {
  const steps = new Map<number, TreeStep>();
  for (const row of rows) {
    if (row.step === undefined) continue;
    const step = steps.get(row.step) ?? newStep(row.step);
    steps.set(row.step, step);
    step.rows.push(row);
    if (row.kind === 'prompt') step.isPrompt = true;
  }
  const roots: TreeStep[] = [];
  for (const step of steps.values()) {
    const up = step.rows.find((row) => row.up !== undefined)?.up;
    const above = up === undefined ? undefined : steps.get(up);
    if (above && above !== step) {
      step.up = above;
      above.children.push(step);
    } else roots.push(step);
  }
  const active = leaf === null ? null : stepAt(rows, steps, leaf);
  for (const step of upFrom(active)) step.isOnPath = true;
  const ends = [...steps.values()].filter(({ children }) => children.length === 0);
  return { rows, steps, roots, active, ends, calls: callsIn(rows), notes: notesIn(rows) };
}

function newStep(n: number): TreeStep {
  return { n, rows: [], up: null, children: [], isPrompt: false, isOnPath: false };
}

/** The step of a row, or of the nearest row above it that has one. */
export function stepAt(
  rows: readonly Row[],
  steps: ReadonlyMap<number, TreeStep>,
  n: number | undefined,
): TreeStep | null {
  const seen = new Set<number>();
  for (let at = n; at !== undefined && !seen.has(at); at = rows[at]?.parent) {
    seen.add(at);
    const step = rows[at]?.step;
    const found = step === undefined ? undefined : steps.get(step);
    if (found) return found;
  }
  return null;
}

/** From a step up to its root. A damaged file may lead in a circle. */
export function upFrom(step: TreeStep | null): TreeStep[] {
  const way: TreeStep[] = [];
  const seen = new Set<TreeStep>();
  for (let at = step; at && !seen.has(at); at = at.up) {
    seen.add(at);
    way.push(at);
  }
  return way;
}

function callsIn(rows: readonly Row[]): Map<string, TreeCall> {
  const calls = new Map<string, TreeCall>();
  for (const row of rows) {
    for (const part of row.parts) {
      if (part.call === undefined) continue;
      if (part.kind === 'call') calls.set(part.call, { row, part, result: null, ms: null });
      const call = part.kind === 'result' ? calls.get(part.call) : undefined;
      if (!call || call.result) continue;
      call.result = { row, part };
      call.ms = row.at !== undefined && call.row.at !== undefined ? Math.max(0, row.at - call.row.at) : null;
    }
  }
  return calls;
}

/** What stands between the steps: shown where its parent is. */
function notesIn(rows: readonly Row[]): Map<number, Row[]> {
  const notes = new Map<number, Row[]>();
  for (const row of rows) {
    if (row.step !== undefined || row.isSidechain || (row.kind !== 'boundary' && row.kind !== 'note')) continue;
    const parent = row.parent ?? -1;
    notes.set(parent, [...(notes.get(parent) ?? []), row]);
  }
  return notes;
}

/** Figures of some steps. */
export function sumsOf(steps: Iterable<TreeStep>): Sums {
  const sums = { turns: 0, input: 0, output: 0, ms: 0, errors: 0 };
  let [usd, isBooked, answers]: [number, boolean, number] = [0, false, 0];
  for (const { rows, isPrompt, up } of steps) {
    if (isPrompt) sums.turns++;
    sums.ms += timeOf({ rows, isPrompt, up });
    for (const { tokens, usd: booked, isError } of rows) {
      if (tokens) answers++;
      sums.input += tokens?.input ?? 0;
      sums.output += tokens?.output ?? 0;
      if (booked !== undefined) [usd, isBooked] = [usd + booked, true];
      if (isError) sums.errors++;
    }
  }
  return { ...sums, usd: isBooked || answers === 0 ? usd : null };
}

/** From the end of the step before to its own end; the time before a prompt is the person's. */
function timeOf({ rows, isPrompt, up }: Pick<TreeStep, 'rows' | 'isPrompt' | 'up'>): number {
  const times = rows.flatMap(({ at }) => at ?? []);
  if (times.length === 0) return 0;
  const before = isPrompt ? [] : (up?.rows.flatMap(({ at }) => at ?? []) ?? []);
  const start = before.length > 0 ? Math.max(...before) : Math.min(...times);
  return Math.max(0, Math.max(...times) - start);
}

/** A step and everything that follows it, on all branches. */
export function below(step: TreeStep): TreeStep[] {
  const found = [step];
  for (const each of found) for (const child of each.children) found.push(child);
  return found;
}

/** The rows of the conversation that ends in a step, in their order. */
export function conversationTo(model: SessionModel, end: TreeStep | null): Row[] {
  const shown: Row[] = [...(model.notes.get(-1) ?? [])];
  for (const step of upFrom(end).reverse()) {
    for (const row of [...step.rows].sort((a, b) => a.n - b.n)) {
      shown.push(row);
      shown.push(...(model.notes.get(row.n) ?? []));
    }
  }
  return shown;
}

/** The end of the branch to which a step belongs: the active one where it leads there, else the newest. */
export function endBelow(step: TreeStep): TreeStep {
  let at = step;
  for (let next: TreeStep | undefined = at; next; next = mainChild(at)) at = next;
  return at;
}

/** The child by which a branch continues in a drawing. */
export function mainChild({ children }: TreeStep): TreeStep | undefined {
  return children.find(({ isOnPath }) => isOnPath) ?? children.at(-1);
}
