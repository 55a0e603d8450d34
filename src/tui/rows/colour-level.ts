/** How many colours a terminal has, as far as its environment tells. */
export type ColourLevel = 'none' | 'sixteen' | '256' | 'all';

type Env = Readonly<Record<string, string | undefined>>;

const FORCED: Readonly<Record<string, ColourLevel>> = {
  ...{ 0: 'none', false: 'none', 1: 'sixteen', true: 'sixteen', 2: '256', 3: 'all' },
};

/** `NO_COLOR` forbids colours, else `FORCE_COLOR` says how many, as elsewhere in Heddle. */
export function colourLevel({
  FORCE_COLOR,
  NO_COLOR,
  COLORTERM = '',
  TERM = '',
  TERM_PROGRAM = '',
  WT_SESSION,
}: Env): ColourLevel {
  if (NO_COLOR) return 'none';
  if (FORCE_COLOR !== undefined && Object.hasOwn(FORCED, FORCE_COLOR)) return FORCED[FORCE_COLOR] ?? 'none';
  if (/^(?:dumb|vt\d.*|.*-m(?:ono)?)$/.test(TERM)) return 'none';
  if (/^(?:truecolor|24bit)$/.test(COLORTERM) || WT_SESSION !== undefined) return 'all';
  if (/kitty|ghostty|alacritty|-direct/.test(TERM) || /^(?:WezTerm|iTerm\.app|ghostty|vscode)$/.test(TERM_PROGRAM))
    return 'all';
  return TERM.includes('256color') ? '256' : 'sixteen';
}

/** Whether its font may lack the marks that rows use: they become ASCII there. */
export function needsAsciiMarks({ TERM = '' }: Env): boolean {
  return TERM === 'linux' || /-m(?:ono)?$/.test(TERM);
}
