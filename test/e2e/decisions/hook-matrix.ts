/**
 * What becomes of a call by hook, rule, mode and kind of tool. `open`: it runs without a word; `question`: it is asked
 * about because nothing speaks for it; `held`: the mode, or the path, holds it back whatever rules say.
 */
export type Ground = 'open' | 'question' | 'held';

/** Without hooks and rules. */
export const GROUND = table<Ground>(`
                     command   edit      protected  read      outside
  default            question  question  held       open      question
  acceptEdits        open      open      held       open      question
  auto               open      open      held       open      question
  plan               held      held      held       open      question
  delegate           held      held      held       held      held
  dontAsk            question  question  held       open      question
  bypassPermissions  open      open      held       open      open
`);

export type Outcome = 'runs' | 'asks' | 'denied';

/** The rule, then what the PreToolUse hook says. Of dontAsk: where this says asks, it is denied. */
export const OUTCOME: Readonly<Record<Ground, Table<Outcome>>> = {
  open: table(`
             no-hook  allow   deny    ask
    no-rule  runs     runs    denied  asks
    allow    runs     runs    denied  asks
    ask      asks     asks    denied  asks
    deny     denied   denied  denied  denied
  `),
  question: table(`
             no-hook  allow   deny    ask
    no-rule  asks     runs    denied  asks
    allow    runs     runs    denied  asks
    ask      asks     asks    denied  asks
    deny     denied   denied  denied  denied
  `),
  held: table(`
             no-hook  allow   deny    ask
    no-rule  asks     asks    denied  asks
    allow    asks     asks    denied  asks
    ask      asks     asks    denied  asks
    deny     denied   denied  denied  denied
  `),
};

/** Cells by row and column. */
type Table<Cell> = Readonly<Record<string, Readonly<Record<string, Cell>>>>;

function table<Cell extends string>(text: string): Table<Cell> {
  const [columns = [], ...rows] = text
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  return Object.fromEntries(
    rows.map(([name = '', ...cells]) => [
      name,
      Object.fromEntries(columns.map((column, at) => [column, cells[at] as Cell])),
    ]),
  );
}

export const MODES = Object.keys(GROUND);
export const KINDS = Object.keys(GROUND.default ?? {});
export const RULES = Object.keys(OUTCOME.open);
export const HOOKS = Object.keys(OUTCOME.open['no-rule'] ?? {});

export function expectedOf(cell: { mode: string; kind: string; rule: string; hook: string }): Outcome | undefined {
  return outcomeOn(GROUND[cell.mode]?.[cell.kind], cell);
}

export function outcomeOn(
  ground: Ground | undefined,
  cell: { mode: string; rule: string; hook: string },
): Outcome | undefined {
  const outcome = ground && OUTCOME[ground][cell.rule]?.[cell.hook];
  return outcome === 'asks' && cell.mode === 'dontAsk' ? 'denied' : outcome;
}
