/**
 * Every mode that is ever switched on, and how each is switched off again. A kill can leave nothing else behind, and the
 * death pipe takes back these, too.
 */
export const PASTE_ON = '\x1b[?2004h';
/** Kitty's keyboard protocol: keys that would look alike differ, and alternate keys are reported. No key releases. */
export const KITTY_ON = '\x1b[>5u';
/** For terminals without it: modified keys differ. */
export const MODIFIED_KEYS_ON = '\x1b[>4;2m';

const PASTE_OFF = '\x1b[?2004l';
const KITTY_OFF = '\x1b[<u';
const MODIFIED_KEYS_OFF = '\x1b[>4;0m';
const CURSOR_ON = '\x1b[?25h';

export type KeyMode = 'plain' | 'kitty' | 'modified';

/** Only what was switched on: an old terminal might print what it does not know. */
export function modesOff(keys: KeyMode): string {
  const keysOff = { plain: '', kitty: KITTY_OFF, modified: MODIFIED_KEYS_OFF }[keys];
  return `${keysOff}${PASTE_OFF}${CURSOR_ON}`;
}

/** For a caller that does not know what was switched on: the other screen is left without moving the cursor. */
export const ALL_MODES_OFF = `\x1b[?1007l\x1b[?1047l${KITTY_OFF}${MODIFIED_KEYS_OFF}${PASTE_OFF}\x1b[?1004l\x1b[?2026l${CURSOR_ON}`;
