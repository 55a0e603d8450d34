import { expectedOf, KINDS, MODES, type Outcome, RULES } from './hook-matrix.ts';

/** Somebody who makes calls: the main thread, or an agent. */
export interface Caller {
  name: string;
  how: 'main' | 'foreground' | 'background' | 'nested' | 'teammate';
  /** The `permissionMode` of its definition, and first of those that it works for; `none`: it has none. */
  modes: readonly string[];
}

const OWN_MODES = ['none', ...MODES];

/** A few of the agents that work for an agent, where both narrow something. */
const PAIRS = [
  ['plan', 'bypassPermissions'],
  ['bypassPermissions', 'plan'],
  ['dontAsk', 'acceptEdits'],
  ['delegate', 'plan'],
];

export const CALLERS: readonly Caller[] = [
  { name: 'main', how: 'main', modes: [] },
  ...(['foreground', 'background', 'nested', 'teammate'] as const).flatMap((how) =>
    OWN_MODES.map(
      (mode): Caller => ({ name: `${how}-${mode}`, how, modes: how === 'nested' ? [mode, 'none'] : [mode] }),
    ),
  ),
  ...PAIRS.map((modes): Caller => ({ name: `nested-${modes.join('-')}`, how: 'nested', modes })),
];

export interface Cell {
  caller: Caller;
  kind: string;
  rule: string;
}

export const CELLS: readonly Cell[] = CALLERS.flatMap((caller) =>
  KINDS.flatMap((kind) => RULES.map((rule) => ({ caller, kind, rule }))),
);

export function expectedFor({ caller, kind, rule }: Cell, sessionMode: string): Outcome | undefined {
  return strictest(caller, sessionMode, (mode) => expectedOf({ mode, kind, rule, hook: 'no-hook' }));
}

const STRICTNESS: readonly Outcome[] = ['runs', 'asks', 'denied'];

/** What the main thread would meet in the mode of the session and in each mode of the agent: the strictest of all. */
export function strictest(
  { modes }: Caller,
  sessionMode: string,
  expectedIn: (mode: string) => Outcome | undefined,
): Outcome | undefined {
  const outcomes = [sessionMode, ...modes.filter((mode) => mode !== 'none')].map(expectedIn);
  return STRICTNESS.findLast((each) => outcomes.includes(each));
}
