type Env = Readonly<Record<string, string | undefined>>;

/** Terminals of these families have a title, tell when they lose the focus, and ignore what they do not know. */
const FAMILIES = /^(?:xterm|tmux|screen|rxvt|alacritty|foot|wezterm|ghostty|konsole|gnome|vte|st-|contour|mintty)/;

/** Whether a title can be set, and the earlier one comes back; and whether it tells of the focus. */
export function hasTitle({ TERM = '', STY, INSIDE_EMACS }: Env): boolean {
  return FAMILIES.test(TERM) && !STY && !INSIDE_EMACS;
}

/** Whether its tab or task bar shows progress. Others take the sequence for a notification. */
export function hasProgress({
  TMUX,
  STY,
  WT_SESSION,
  ConEmuANSI,
  TERM_PROGRAM,
  TERM_PROGRAM_VERSION = '',
}: Env): boolean {
  if (TMUX || STY) return false;
  if (WT_SESSION !== undefined || ConEmuANSI === 'ON') return true;
  if (TERM_PROGRAM === 'ghostty') return isAtLeast(TERM_PROGRAM_VERSION, [1, 2, 0]);
  return TERM_PROGRAM === 'iTerm.app' && isAtLeast(TERM_PROGRAM_VERSION, [3, 6, 6]);
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(/\D+/).map(Number);
  const at = least.findIndex((part, index) => (parts[index] ?? 0) !== part);
  return at < 0 || (parts[at] ?? 0) > (least[at] ?? 0);
}

export const PUSH_TITLE = '\x1b[22;2t';
export const POP_TITLE = '\x1b[23;2t';
export const NO_PROGRESS = '\x1b]9;4;0\x07';

/** For a terminal whose program was killed. What it does not know is not written. */
export function windowAsBefore(env: Env): string {
  return `${hasProgress(env) ? NO_PROGRESS : ''}${hasTitle(env) ? POP_TITLE : ''}`;
}
