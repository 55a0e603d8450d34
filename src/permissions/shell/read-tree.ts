import { withoutTrailing } from '../../util/text/without-trailing.ts';
import { ARITHMETIC, isPlainArithmetic, readSpan, readWord, readWords } from './expand-words.ts';
import { readHeredoc } from './heredoc.ts';
import { ANY_TEXT, ANYTHING, isGlob, type ParsedScript, type SimpleCommand, type Word } from './shell-script.ts';
import {
  feed,
  isRedirect,
  type Reader,
  readAssignment,
  readCommand,
  readDeclaration,
  readRedirected,
  readTest,
  textsPrinted,
} from './simple-commands.ts';
import { childrenOf, type SyntaxNode, Unreadable } from './syntax-nodes.ts';
import { isActedOn } from './variables.ts';

/**
 * Reads the simple commands and redirections of a parsed source, at any nesting. It knows every kind of node it may
 * meet; any other node throws `Unreadable`, and so does a reading that differs from bash's.
 */
export function readTree(source: string, root: SyntaxNode): ParsedScript {
  const doubts: string[] = [];
  const reader = readerOf({
    source,
    commands: [],
    redirects: [],
    doubt: (reason) => doubts.push(reason),
    neverSet: new Map(),
  });
  // The root node does not include the blank lines around it.
  readStatements(reader, { ...root, start: 0, end: source.length });
  const { commands, redirects } = reader;
  return { commands, redirects, unknown: doubts[0] ?? null, ordered: false };
}

function readerOf(
  collected: Pick<Reader, 'source' | 'commands' | 'redirects' | 'doubt' | 'neverSet' | 'variables'>,
): Reader {
  const reader: Reader = {
    ...collected,
    statement: (node) => readStatement(reader, node),
    substituted: (node) => readSubstitution(reader, node),
    givenBy: (node) => rawText(reader, node),
  };
  return reader;
}

type ReadNode = (reader: Reader, node: SyntaxNode) => void;

const STATEMENTS: ReadonlyMap<string, ReadNode> = new Map<string, ReadNode>([
  ['command', readCommand],
  ['redirected_statement', readRedirected],
  ['file_redirect', (reader, node) => readRedirected(reader, { ...node, children: [node] })],
  ['variable_assignment', readAssignment],
  ['variable_assignments', readStatements],
  ['declaration_command', readDeclaration],
  ['unset_command', readDeclaration],
  ['test_command', readCondition],
  ['list', readStatements],
  ['pipeline', readPipeline],
  ['subshell', readStatements],
  ['negated_command', readStatements],
  ['compound_statement', readCompound],
  ['do_group', readStatements],
  ['if_statement', readStatements],
  ['elif_clause', readStatements],
  ['else_clause', readStatements],
  ['while_statement', readStatements],
  ['for_statement', readFor],
  ['c_style_for_statement', readCalculatedFor],
  ['case_statement', readCase],
  ['function_definition', readFunction],
]);

function readStatement(reader: Reader, node: SyntaxNode): void {
  const read = STATEMENTS.get(node.type);
  if (read === undefined) throw new Unreadable();
  read(reader, node);
}

/** Reads every statement below a node; the tokens between them belong to bash's grammar. */
function readStatements(reader: Reader, node: SyntaxNode): void {
  for (const child of childrenOf(reader.source, node, 'lines')) {
    if (child.named) readStatement(reader, child);
  }
}

/** What one command prints is the input of the next. */
function readPipeline(reader: Reader, node: SyntaxNode): void {
  let before: readonly SimpleCommand[] = [];
  if (node.children.length > MAX_PIPE) reader.doubt('a pipe in it is too long to be understood');
  for (const child of childrenOf(reader.source, node, 'lines')) {
    if (!child.named) continue;
    const start = reader.commands.length;
    readStatement(reader, child);
    const [from, ...others] = before;
    const isOne =
      reader.commands.length === start + 1 && others.length === 0 && isSimple(child) && !definesFunctions(reader);
    feed(reader, start, before.flatMap(textsPrinted), isOne ? from : undefined);
    before = reader.commands.slice(start);
  }
}

function isSimple(node: SyntaxNode): boolean {
  return node.type === 'command' || (node.type === 'redirected_statement' && node.children[0]?.type === 'command');
}

/** Then a name may mean another command. */
function definesFunctions({ source, neverSet }: Reader): boolean {
  const isFree = neverSet.get('()') ?? !/\(\s*\)|\bfunction\b/.test(source);
  neverSet.set('()', isFree);
  return !isFree;
}

/** Each of them may print something for all that follow. */
const MAX_PIPE = 100;

function readCondition(reader: Reader, node: SyntaxNode): void {
  const { source } = reader;
  if (!source.startsWith('[[', node.start)) {
    readTest(reader, node);
    return;
  }
  childrenOf(source, node, 'lines');
  const inside = { start: node.start + 2, end: node.end - 2 };
  readSpan(reader, inside, node, 'loose');
  const text = source.slice(inside.start, inside.end);
  if (/(?:^|[\s(])-[vR]\s/.test(text) || !comparesNumbersOnly(text)) reader.doubt(ARITHMETIC);
}

const NUMBER = String.raw`["']?(?:-?\d+|\$[#?]|\$\{#\w+\})["']?`;
const COMPARES = '-(?:eq|ne|lt|le|gt|ge)';
const COMPARES_NUMBERS = new RegExp(String.raw`(?<=^|[\s(])${NUMBER}\s+${COMPARES}\s+${NUMBER}(?=[\s)]|$)`, 'g');

/** `-eq` and similar operators evaluate both sides. */
function comparesNumbersOnly(text: string): boolean {
  return !new RegExp(String.raw`\s${COMPARES}\s`).test(text.replaceAll(COMPARES_NUMBERS, ''));
}

function readCompound(reader: Reader, node: SyntaxNode): void {
  const { source } = reader;
  if (!source.startsWith('((', node.start)) {
    readStatements(reader, node);
    return;
  }
  const inside = { start: node.start + 2, end: node.end - 2 };
  readSpan(reader, inside, node, 'loose');
  if (!isPlainArithmetic(source.slice(inside.start, inside.end))) reader.doubt(ARITHMETIC);
}

function readFor(reader: Reader, node: SyntaxNode): void {
  const variable = node.children.find(({ type }) => type === 'variable_name');
  if (variable === undefined) throw new Unreadable();
  const name = reader.source.slice(variable.start, variable.end);
  if (isActedOn(name, ANYTHING)) reader.doubt(`it sets ${name}, which programs act on`);
  const values = readWords(reader, node);
  const { variables } = reader;
  const rounds = values.length * (variables?.rounds ?? 1);
  const isKnown = values.length > 0 && rounds <= MAX_ROUNDS && values.every(isPlainValue) && isOnlyRead(name, reader);
  if (!isKnown) {
    const hints = values.flatMap((value) => (typeof value === 'string' ? [value] : [value, ...(value.hints ?? [])]));
    const isMade = values.some((value) => typeof value === 'object' && value.made);
    const value: Word = { parts: [ANY_TEXT], many: false, hints, ...(isMade && { made: true as const }) };
    const known = new Map([...(variables?.known ?? []), [name, value]]);
    readBody(readerOf({ ...reader, variables: { known, rounds: variables?.rounds ?? 1 } }), node);
  }
  for (const value of isKnown ? values : []) {
    const known = new Map([...(variables?.known ?? []), [name, value]]);
    readBody(readerOf({ ...reader, variables: { known, rounds } }), node);
  }
}

/** The body of a loop is read once for each of its values; loops in loops multiply. */
const MAX_ROUNDS = 24;

function isPlainValue(value: Word): boolean {
  return typeof value === 'string' || isGlob(value);
}

/** Whether nothing but the heads of loops can set a variable: no other part of the source is its name, however written. */
function isOnlyRead(name: string, { source, neverSet }: Reader): boolean {
  const key = `for ${name}`;
  const isRead = neverSet.get(key) ?? isOnlyReadIn(name, source);
  neverSet.set(key, isRead);
  return isRead;
}

function isOnlyReadIn(name: string, source: string): boolean {
  if (/\$['"]|\(\s*\)|\bfunction\b/.test(source)) return false;
  const bare = source.replaceAll(/["'\\]/g, '');
  const others = bare.replaceAll(new RegExp(`\\$${name}\\b|\\$\\{${name}\\}|\\bfor\\s+${name}\\s+in\\b`, 'g'), ' ');
  return !new RegExp(`\\b${name}\\b`).test(others);
}

function readCalculatedFor(reader: Reader, node: SyntaxNode): void {
  reader.doubt(ARITHMETIC);
  readBody(reader, node);
}

function readBody(reader: Reader, node: SyntaxNode): void {
  const [body, ...others] = node.children.filter(({ type }) => type === 'do_group' || type === 'compound_statement');
  if (body === undefined || others.length > 0) throw new Unreadable();
  readStatement(reader, body);
}

function readCase(reader: Reader, node: SyntaxNode): void {
  for (const child of childrenOf(reader.source, node, 'lines').filter(({ named }) => named)) {
    if (child.type === 'case_item') readCaseItem(reader, child);
    else readWord(reader, child);
  }
}

function readCaseItem(reader: Reader, node: SyntaxNode): void {
  const children = childrenOf(reader.source, node, 'lines');
  const end = children.findIndex(({ type }) => type === ')');
  const close = children[end];
  if (close === undefined) throw new Unreadable();
  const patterns = { start: node.start, end: close.start };
  if (/[;&<>\n]/.test(reader.source.slice(patterns.start, patterns.end))) throw new Unreadable();
  readSpan(reader, patterns, { ...node, type: 'patterns', children: children.slice(0, end) }, 'loose');
  readStatements(reader, { ...node, start: close.end, children: children.slice(end + 1) });
}

function readFunction(reader: Reader, node: SyntaxNode): void {
  for (const child of childrenOf(reader.source, node, 'lines').filter(({ named }) => named)) {
    if (child.type === 'word') readWord(reader, child);
    else if (isRedirect(child)) readStatement(reader, { ...child, type: 'redirected_statement', children: [child] });
    else readStatement(reader, child);
  }
}

/** Bash drops separators that follow a here-document inside of a substitution, so nothing else may be there. */
function readSubstitution(reader: Reader, node: SyntaxNode): void {
  if (holdsHeredoc(node) && onlyHeredoc(node) === null) {
    reader.doubt('bash misreads here-documents inside of a substitution');
  }
  readStatements(reader, node);
}

function holdsHeredoc(node: SyntaxNode): boolean {
  return node.type === 'heredoc_redirect' || node.children.some(holdsHeredoc);
}

/** The command and the document of a substitution that is nothing but `$(command <<END … END)`. */
function onlyHeredoc(node: SyntaxNode): { body: SyntaxNode; document: SyntaxNode } | null {
  const [only, ...others] = node.children.filter(({ named }) => named);
  const [body, document, ...more] = only?.children ?? [];
  if (only?.type !== 'redirected_statement' || others.length > 0 || more.length > 0) return null;
  if (body?.type !== 'command' || document?.type !== 'heredoc_redirect') return null;
  return document.children.some(({ named, type }) => named && !type.startsWith('heredoc_')) ? null : { body, document };
}

/** `$(cat <<'END' … END)` is a way to write a text of several lines, and produces that text. */
function rawText(reader: Reader, node: SyntaxNode): string | null {
  const { body, document } = onlyHeredoc(node) ?? {};
  if (!body || !document || reader.source.slice(body.start, body.end) !== 'cat') return null;
  const text = readHeredoc(reader, document);
  return typeof text === 'string' ? withoutTrailing(text, '\n') : null;
}
