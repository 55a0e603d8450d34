/**
 * Characters that look like others, or like nothing. Where only `echo` is allowed they are plain characters: those in a
 * name make it another name, and those in an argument separate nothing. `programs` are put on the PATH and leave a trace.
 */
export const LOOK_ALIKE_NAMES: readonly string[] = [
  'еcho', // a Cyrillic e
  'echо', // a Cyrillic o
  'ｅｃｈｏ', // full width
  'ECHO',
  'Echo',
  'echo\u00a0x',
  'echo\u2003x',
  'echo\u3000x',
  'echo\u202fx',
  'echo\u1680x',
  'echo\u200b',
  'echo\u200c',
  'echo\u200d',
  'echo\u2060',
  'echo\ufeff',
  '\ufeffecho',
  '\u200becho',
  '\u202eecho',
  'echo\u202e',
  'echo\u2066',
  'echo\u0301',
  'ech\u00f3',
  'echo\u2028x',
  'echo\u2029x',
  'echo\u0085x',
  'echo\u000bx',
  'echo\u000cx',
  'echo\u001fx',
  'echo\u180ex',
  '𝚎cho',
];

/** After `echo`, each of these is an argument like any other; what follows runs only where the command really ends. */
export const LOOK_ALIKE_ENDS: readonly string[] = [
  '；', // a full-width semicolon
  '\u037e', // a Greek question mark
  '｜',
  '＆＆',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u000b',
  '\u000c',
  '＞',
  '‚',
  '＄(',
  '｀',
];
