import { type Hole, type ScanMode, scan } from './scan-source.ts';
import { ANYTHING, isGlob, type OpenWord, type Word } from './shell-script.ts';
import { childrenOf, requireWhole, type SyntaxNode, Unreadable, WORD_ENDS } from './syntax-nodes.ts';
import { isActedOn } from './variables.ts';

/** The functions that the word reader needs from the statement reader, which itself uses the word reader. */
export interface Visit {
  readonly source: string;
  /** Reads the commands of a substitution. */
  substituted(node: SyntaxNode): void;
  /** The text that a substitution certainly produces, if there is one. */
  givenBy(node: SyntaxNode): string | null;
  /** The variables whose values are known here, and how often this part of the source is read for them. */
  readonly variables?: { readonly known: ReadonlyMap<string, Word>; readonly rounds: number };
  /** The variables that were looked for so far, and whether nothing in the source can set them; `()` are functions. */
  readonly neverSet: Map<string, boolean>;
  /** Records that it cannot be determined what would run. */
  doubt(reason: string): void;
}

/** Node types that are a word, or a part of one. */
export const WORD_TYPES: ReadonlySet<string> = new Set([
  'word',
  'number',
  'string',
  'raw_string',
  'ansi_c_string',
  'translated_string',
  'concatenation',
  'brace_expression',
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
]);

const HOLE_TYPES: ReadonlySet<string> = new Set([
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
]);

/** Reads the word that a node is, and visits everything nested in it. */
export function readWord(visit: Visit, node: SyntaxNode, before = WORD_ENDS): Word {
  requireWhole(visit.source, node, before);
  // Directly before a redirection this is the file descriptor, not a word.
  if (/^(?:\d+|\{\w+\})[<>]$/.test(visit.source.slice(node.start, node.end + 1))) throw new Unreadable();
  return readSpan(visit, node, node, 'word');
}

/** The value of a part of the source; its holes are searched below `node`. */
export function readSpan(visit: Visit, span: { start: number; end: number }, node: SyntaxNode, mode: ScanMode): Word {
  const word = scan(visit.source, span, holesIn(visit, node), mode);
  if (word === null) throw new Unreadable();
  return word;
}

/** Visits the outermost expansions of a node. */
function holesIn(visit: Visit, node: SyntaxNode): Hole[] {
  if (!HOLE_TYPES.has(node.type)) return node.children.flatMap((child) => holesIn(visit, child));
  // Inside of a string the parser includes the blanks before an expansion in its node.
  const blanks = /^\s*/.exec(visit.source.slice(node.start, node.end))?.[0].length ?? 0;
  return [
    {
      start: node.start + blanks,
      end: node.end,
      ...expansion(visit, node, visit.source.slice(node.start + blanks, node.end)),
    },
  ];
}

function expansion(visit: Visit, node: SyntaxNode, text: string): Omit<Hole, 'start' | 'end'> {
  switch (node.type) {
    case 'simple_expansion':
      if (!/^\$(?:\w+|[@*#?$!-])$/.test(text)) throw new Unreadable();
      if (/^\$[#?$]$/.test(text)) return { counts: true };
      return text === '$@' ? { spreads: true } : heldBy(visit, text.slice(1));
    case 'expansion':
      if (/^\$\{\w+\}$/.test(text)) return heldBy(visit, text.slice(2, -1));
      return parameter(visit, node, text);
    case 'arithmetic_expansion':
      if (!isPlainArithmetic(text.replace(/^\$(?:\(\(|\[)/, '').replace(/(?:\)\)|\])$/, ''))) visit.doubt(ARITHMETIC);
      // Everything nested in it still counts.
      for (const child of node.children) holesIn(visit, child);
      return {};
    case 'command_substitution':
      return substitution(visit, node, text);
    default:
      if (!/^[<>]\(/.test(text)) throw new Unreadable();
      visit.substituted(node);
      return { pipe: true };
  }
}

function heldBy(visit: Visit, name: string): Omit<Hole, 'start' | 'end'> {
  const value = visit.variables?.known.get(name);
  if (value !== undefined) {
    const more = typeof value === 'string' ? { hints: [value] } : pickKnown(value);
    return { value, ...more };
  }
  if (!TELLS_PLACE.test(name) || !isNeverSet(name, visit)) return {};
  if (name === 'HOME') return { value: { parts: [{ any: 'home' }], many: false }, told: true };
  return { told: true, ...(name === 'PWD' && { isHere: true as const }) };
}

function pickKnown(word: OpenWord): Pick<Hole, 'hints' | 'made'> {
  const isPattern = isGlob(word);
  const hints = [...(isPattern ? [word] : []), ...(word.hints ?? [])];
  return { ...(hints.length > 0 && { hints }), ...(word.made && { made: true }) };
}

/** Variables about the place, which hold no one's secrets. */
const TELLS_PLACE =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|SHELL|LANG|TERM|HOSTNAME|UID|EUID|PPID|SHLVL|BASH_VERSION|OSTYPE|MACHTYPE|HOSTTYPE)$/;

/** Whether nothing in the source can set a variable: it does not hold its name without a dollar sign, however written. */
function isNeverSet(name: string, { source, neverSet }: Visit): boolean {
  const known = neverSet.get(name) ?? !mentionsName(name, source);
  neverSet.set(name, known);
  return known;
}

function mentionsName(name: string, source: string): boolean {
  if (/\$['"]|\$\{!/.test(source)) return true;
  const bare = source.replaceAll(/["'\\]/g, '').replaceAll(new RegExp(`\\$${name}\\b|\\$\\{${name}\\}`, 'g'), ' ');
  return new RegExp(`\\b${name}\\b`).test(bare);
}

export const ARITHMETIC = 'it calculates with variables, whose content bash would run';

/**
 * True for numbers, operators, and expressions that are certainly numbers. Names are excluded: bash evaluates the value
 * of a variable in turn.
 */
export function isPlainArithmetic(text: string): boolean {
  return /^[\d\s+*/%()<>=!&|^~?:,-]*$/.test(text.replaceAll(/\$(?:[#?]|\{#\w+\})/g, '0'));
}

function substitution(visit: Visit, node: SyntaxNode, text: string): Omit<Hole, 'start' | 'end'> {
  if (text.startsWith('`')) {
    // Between backquotes bash first removes one level of backslashes.
    if (text.includes('\\')) throw new Unreadable();
  } else if (!text.startsWith('$(')) {
    throw new Unreadable();
  }
  visit.substituted(node);
  const given = visit.givenBy(node);
  if (/^(?:\$\(|`)\s*pwd\s*[)`]$/.test(text)) return { told: true, isHere: true };
  return given === null ? { made: true } : { text: given };
}

/** `${name}`, and what may follow the name: an operator and a word, or numbers. */
const PARAMETER =
  /^\$\{(#?)(?:[A-Za-z_]\w*|\d+|[@*#?$!-])(\[(?:\d+|[@*])\])?(?:(:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?)|:[ ]?-?\d+(?::-?\d+)?)?/;

function parameter(visit: Visit, node: SyntaxNode, text: string): Pick<Hole, 'spreads' | 'hints'> {
  const [head, length, index, operator] = PARAMETER.exec(text) ?? [];
  const rest = head === undefined ? '' : text.slice(head.length, -1);
  if (head === undefined || !text.endsWith('}') || (rest !== '' && (operator === undefined || length !== ''))) {
    // `${!x}` and `${x@P}` evaluate the value of a variable, as do array indices and substring offsets.
    visit.doubt('it expands a variable in a way that can run commands');
    for (const child of node.children) holesIn(visit, child);
    return { spreads: true };
  }
  const [, assigned] = /^\$\{(\w+)(?:\[[^\]]*\])?:?=/.exec(head) ?? [];
  if (assigned !== undefined && isActedOn(assigned, ANYTHING))
    visit.doubt(`it sets ${assigned}, which programs act on`);
  // Whether single quotes quote depends on the context of the expansion.
  if (rest.includes("'") && /[$`]/.test(rest)) throw new Unreadable();
  const span = { start: node.end - 1 - rest.length, end: node.end - 1 };
  const hints = [readSpan(visit, span, { ...node, type: 'parameter' }, 'loose')].filter((word) => word !== '');
  const more = hints.length > 0 ? { hints } : {};
  return index === '[@]' || head.startsWith('${@') ? { spreads: true, ...more } : more;
}

/** The words of a list, such as the values of a loop; tokens between them are left out. */
export function readWords(visit: Visit, node: SyntaxNode): Word[] {
  return childrenOf(visit.source, node, 'lines')
    .filter((child) => WORD_TYPES.has(child.type))
    .map((child) => readWord(visit, child));
}
