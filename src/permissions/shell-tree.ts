import {
  ARITHMETIC,
  isPlainArithmetic,
  readSpan,
  readWord,
  readWords,
  type Visit,
  WORD_TYPES,
} from './shell-expand.ts';
import { readHeredoc } from './shell-heredoc.ts';
import type { ParsedScript } from './shell-read.ts';
import { ANYTHING, type Assignment, type Redirect, type SimpleCommand, type Word } from './shell-script.ts';
import { childrenOf, requireWhole, type SyntaxNode, Unreadable } from './shell-syntax.ts';

/**
 * The simple commands and redirections of a parsed source, in any nesting. Knows every kind of node that it may meet;
 * whatever else the parser gives throws `Unreadable`, and so does a reading that bash would not share.
 */
export function readTree(source: string, root: SyntaxNode): ParsedScript {
  const reader: Reader = {
    source,
    commands: [],
    redirects: [],
    doubts: [],
    substituted: (node) => substituted(reader, node),
    givenBy: (node) => givenText(reader, node),
    doubt: (reason) => reader.doubts.push(reason),
  };
  // The root does not take in the blank lines around it.
  statements(reader, { ...root, start: 0, end: source.length });
  const { commands, redirects, doubts } = reader;
  return { commands, redirects, unknown: doubts[0] ?? null, ordered: false };
}

interface Reader extends Visit {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  readonly doubts: string[];
}

/** A command whose words are still being collected: redirections may bring more. */
interface Draft {
  words: Word[];
  assigns: Assignment[];
  inputs: (Word | undefined)[];
}

const LISTS: ReadonlySet<string> = new Set([
  'list',
  'pipeline',
  'subshell',
  'do_group',
  'if_statement',
  'elif_clause',
  'else_clause',
  'while_statement',
  'negated_command',
]);

/** Every statement below a node; the tokens that hold them together are bash's own. */
function statements(reader: Reader, node: SyntaxNode): void {
  for (const child of childrenOf(reader.source, node, 'lines')) {
    if (child.named) statement(reader, child);
  }
}

function statement(reader: Reader, node: SyntaxNode): void {
  if (LISTS.has(node.type)) return statements(reader, node);
  switch (node.type) {
    case 'command':
      return finish(reader, command(reader, node));
    case 'redirected_statement':
      return redirected(reader, node);
    case 'file_redirect':
      return finish(reader, withRedirect(reader, emptyDraft(), node));
    case 'variable_assignment':
      return finish(reader, { ...emptyDraft(), assigns: [assignment(reader, node)] });
    case 'variable_assignments':
      return childrenOf(reader.source, node, 'blanks').forEach((child) => statement(reader, child));
    case 'declaration_command':
    case 'unset_command':
      return declaration(reader, node);
    case 'test_command':
      return test(reader, node);
    case 'compound_statement':
      return compound(reader, node);
    case 'for_statement':
      readWords(reader, node);
      return bodyOf(reader, node);
    case 'c_style_for_statement':
      reader.doubt(ARITHMETIC);
      return bodyOf(reader, node);
    case 'case_statement':
      return choice(reader, node);
    case 'function_definition':
      return definition(reader, node);
    default:
      throw new Unreadable();
  }
}

/** Bash forgets separators that follow a here-document inside of a substitution, so nothing else may stand there. */
function substituted(reader: Reader, node: SyntaxNode): void {
  if (holdsHeredoc(node) && onlyHeredoc(node) === null) {
    reader.doubt('bash misreads here-documents inside of a substitution');
  }
  statements(reader, node);
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

function emptyDraft(): Draft {
  return { words: [], assigns: [], inputs: [] };
}

function finish(reader: Reader, { words, assigns, inputs }: Draft): void {
  if (words.length === 0 && assigns.length === 0) return;
  const [input] = inputs;
  // Of several inputs one wins; which one need not be known.
  reader.commands.push({ words, assigns, ...(inputs.length === 1 && input !== undefined && { input }) });
}

/** Unquoted, as the first word of a command, these are part of the grammar: the parser must have lost the thread. */
const RESERVED: ReadonlySet<string> = new Set(
  '{ } ! [[ ]] if then elif else fi for while until do done case esac select in function'.split(' '),
);

function command(reader: Reader, node: SyntaxNode): Draft {
  let draft = emptyDraft();
  for (const child of childrenOf(reader.source, node, 'blanks')) {
    if (child.type === 'variable_assignment') draft.assigns.push(assignment(reader, child));
    else if (child.type === 'command_name') draft.words.push(commandName(reader, child));
    else if (isRedirect(child)) draft = withRedirect(reader, draft, child);
    else draft.words.push(argument(reader, child));
  }
  requireNoKeyword(reader, node);
  return draft;
}

/** What follows `time` and `coproc` is a command of its own, which may begin with more than a word. */
function requireNoKeyword({ source }: Reader, node: SyntaxNode): void {
  const [first = '', ...rest] = source.slice(node.start, node.end).split(/[ \t]+/);
  if (first !== 'time' && first !== 'coproc') return;
  const [next = '', after = ''] = rest[0] === '-p' ? rest.slice(1) : rest;
  const isPlain = /^[\w./-]*$/.test(next) && !RESERVED.has(next) && next !== 'time' && next !== 'coproc';
  if (!isPlain || /^[({]/.test(after)) throw new Unreadable();
}

function commandName(reader: Reader, node: SyntaxNode): Word {
  const text = reader.source.slice(node.start, node.end);
  if (RESERVED.has(text) || /^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(text)) throw new Unreadable();
  return readWord(reader, node);
}

function argument(reader: Reader, node: SyntaxNode): Word {
  if (!WORD_TYPES.has(node.type) && !['$', '==', '=~'].includes(node.type)) throw new Unreadable();
  return readWord(reader, node);
}

function isRedirect({ type }: SyntaxNode): boolean {
  return type === 'file_redirect' || type === 'herestring_redirect' || type === 'heredoc_redirect';
}

function redirected(reader: Reader, node: SyntaxNode): void {
  const children = childrenOf(reader.source, node, 'blanks');
  const bodies = children.filter((child) => !isRedirect(child));
  const [body] = bodies;
  if (bodies.length > 1) throw new Unreadable();
  const simple = body === undefined ? emptyDraft() : body.type === 'command' ? command(reader, body) : null;
  if (body !== undefined && simple === null) statement(reader, body);
  const draft = children
    .filter(isRedirect)
    .reduce((each, child) => withRedirect(reader, each, child), simple ?? emptyDraft());
  // The parser gives words after a redirection to the redirection. After a group they would be an error.
  if (simple === null && draft.words.length > 0) throw new Unreadable();
  if (simple !== null) finish(reader, draft);
}

function withRedirect(reader: Reader, draft: Draft, node: SyntaxNode): Draft {
  if (node.type === 'heredoc_redirect') return withHeredoc(reader, draft, node);
  const [first, ...rest] = childrenOf(reader.source, node, 'blanks');
  if (first === undefined) throw new Unreadable();
  const descriptor = first.type === 'file_descriptor' ? descriptorOf(reader, first) : null;
  const operator = descriptor === null ? first : rest.shift();
  if (operator === undefined || operator.named) throw new Unreadable();
  // To bash `>& -rm` is `>&-`, and then `rm`.
  const [destination] = rest;
  if (operator.type.endsWith('&') && /^-./s.test(reader.source.slice(destination?.start, destination?.end)))
    throw new Unreadable();
  const [target, ...words] = rest.map((child) => argument(reader, child));
  const isInput = operator.type.startsWith('<') && (descriptor ?? '0') === '0';
  if (operator.type === '<<<') {
    if (target === undefined || words.length > 0) throw new Unreadable();
    return isInput ? { ...draft, inputs: [...draft.inputs, target] } : draft;
  }
  // What a process substitution stands for is a pipe, no file.
  if (target !== undefined && destination?.type !== 'process_substitution') redirect(reader, operator.type, target);
  return {
    ...draft,
    words: [...draft.words, ...(operator.type.endsWith('-') && target !== undefined ? [target] : []), ...words],
    inputs: isInput ? [...draft.inputs, undefined] : draft.inputs,
  };
}

function descriptorOf(reader: Reader, node: SyntaxNode): string {
  const text = reader.source.slice(node.start, node.end);
  const before = reader.source[node.start - 1];
  if (!/^\d+$/.test(text) || (before !== undefined && !/[\s;&|()]/.test(before))) throw new Unreadable();
  return text;
}

function redirect(reader: Reader, operator: string, target: Word): void {
  if (operator.endsWith('-')) return;
  // `2>&1`, `>&-`
  if (operator.endsWith('&') && typeof target === 'string' && /^(?:\d+-?|-)$/.test(target)) return;
  if (operator === '<&') return reader.doubt('it takes its input from somewhere that is not known beforehand');
  reader.redirects.push({ kind: operator === '<' ? 'read' : 'write', target });
}

/** The rest of the line, which the parser keeps with the here-document, goes on with the command or with others. */
function withHeredoc(reader: Reader, draft: Draft, node: SyntaxNode): Draft {
  const input = readHeredoc(reader, node);
  const descriptor = node.children.find(({ type }) => type === 'file_descriptor');
  const isInput = descriptor === undefined || descriptorOf(reader, descriptor) === '0';
  let next: Draft = isInput ? { ...draft, inputs: [...draft.inputs, input] } : draft;
  for (const child of node.children) {
    if (!child.named || child.type.startsWith('heredoc_') || child === descriptor) continue;
    if (isRedirect(child)) next = withRedirect(reader, next, child);
    else if (WORD_TYPES.has(child.type)) next = { ...next, words: [...next.words, readWord(reader, child)] };
    else statement(reader, child);
  }
  return next;
}

function assignment(reader: Reader, node: SyntaxNode): Assignment {
  const { source } = reader;
  const [name, operator, value] = childrenOf(source, node, 'blanks');
  if (name === undefined || operator === undefined) throw new Unreadable();
  if (name.end !== operator.start || operator.end !== (value?.start ?? node.end)) throw new Unreadable();
  requireWhole(source, node);
  const text = source.slice(name.start, name.end);
  // The index of an array is calculated.
  if (!/^[A-Za-z_]\w*(?:\[\d+\])?$/.test(text)) reader.doubt(ARITHMETIC);
  return { name: text.replace(/\[.*/s, ''), value: assigned(reader, value) };
}

function assigned(reader: Reader, value: SyntaxNode | undefined): Word {
  if (value === undefined || value.start === value.end) return '';
  if (value.type !== 'array') return readWord(reader, value, '=');
  for (const child of childrenOf(reader.source, value, 'lines').filter(({ named }) => named)) {
    if (reader.source[child.start] === '[') reader.doubt(ARITHMETIC);
    readWord(reader, child);
  }
  return ANYTHING;
}

/** `export A=1 B`, `declare -x A`: the words of a builtin, of which some assign. */
function declaration(reader: Reader, node: SyntaxNode): void {
  const draft = emptyDraft();
  for (const child of childrenOf(reader.source, node, 'blanks')) {
    if (child.type === 'variable_assignment') {
      const { name, value } = assignment(reader, child);
      draft.assigns.push({ name, value });
      draft.words.push(
        typeof value === 'string' ? `${name}=${value}` : { parts: [`${name}=`, ...value.parts], many: false },
      );
    } else if (child.named && child.type !== 'variable_name' && !WORD_TYPES.has(child.type)) {
      throw new Unreadable();
    } else {
      draft.words.push(readWord(reader, child));
    }
  }
  finish(reader, draft);
}

function test(reader: Reader, node: SyntaxNode): void {
  const { source } = reader;
  const [open] = childrenOf(source, node, 'lines');
  if (open?.type === '[') return finish(reader, { ...emptyDraft(), words: flatWords(reader, node) });
  const inside = { start: node.start + 2, end: node.end - 2 };
  readSpan(reader, inside, node, 'loose');
  const text = source.slice(inside.start, inside.end);
  if (/(?:^|[\s(])-[vR]\s/.test(text) || !comparesNumbersOnly(text)) reader.doubt(ARITHMETIC);
}

/** `-eq` and its like calculate both sides. */
function comparesNumbersOnly(text: string): boolean {
  const number = String.raw`["']?(?:-?\d+|\$[#?]|\$\{#\w+\})["']?`;
  const operator = String.raw`-(?:eq|ne|lt|le|gt|ge)`;
  const known = text.replaceAll(
    new RegExp(String.raw`(?<=^|[\s(])${number}\s+${operator}\s+${number}(?=[\s)]|$)`, 'g'),
    '',
  );
  return !new RegExp(String.raw`\s${operator}\s`).test(known);
}

/** The words of `[ … ]`, which the parser gives as an expression. */
function flatWords(reader: Reader, node: SyntaxNode): Word[] {
  return childrenOf(reader.source, node, 'blanks').flatMap((child) => {
    if (WORD_TYPES.has(child.type) || child.children.length === 0) return [readWord(reader, child)];
    if (!/_expression$/.test(child.type)) throw new Unreadable();
    return flatWords(reader, child);
  });
}

function compound(reader: Reader, node: SyntaxNode): void {
  const { source } = reader;
  if (!source.startsWith('((', node.start)) return statements(reader, node);
  const inside = { start: node.start + 2, end: node.end - 2 };
  readSpan(reader, inside, node, 'loose');
  if (!isPlainArithmetic(source.slice(inside.start, inside.end))) reader.doubt(ARITHMETIC);
}

function bodyOf(reader: Reader, node: SyntaxNode): void {
  const body = node.children.filter(({ type }) => type === 'do_group' || type === 'compound_statement');
  if (body.length !== 1) throw new Unreadable();
  for (const child of body) statement(reader, child);
}

function choice(reader: Reader, node: SyntaxNode): void {
  for (const child of childrenOf(reader.source, node, 'lines').filter(({ named }) => named)) {
    if (child.type === 'case_item') choiceItem(reader, child);
    else readWord(reader, child);
  }
}

function choiceItem(reader: Reader, node: SyntaxNode): void {
  const children = childrenOf(reader.source, node, 'lines');
  const end = children.findIndex(({ type }) => type === ')');
  const last = children[end];
  if (last === undefined) throw new Unreadable();
  const patterns = { ...node, type: 'patterns', children: children.slice(0, end) };
  if (/[;&<>\n]/.test(reader.source.slice(node.start, last.start))) throw new Unreadable();
  readSpan(reader, { start: node.start, end: last.start }, patterns, 'loose');
  statements(reader, { ...node, start: last.end, children: children.slice(end + 1) });
}

function definition(reader: Reader, node: SyntaxNode): void {
  let draft = emptyDraft();
  for (const child of childrenOf(reader.source, node, 'lines').filter(({ named }) => named)) {
    if (isRedirect(child)) draft = withRedirect(reader, draft, child);
    else if (child.type === 'word') readWord(reader, child);
    else statement(reader, child);
  }
  if (draft.words.length > 0) throw new Unreadable();
}

/** `$(cat <<'END' … END)` is a way to write a text of several lines, and gives that text. */
function givenText(reader: Reader, node: SyntaxNode): string | null {
  const { body, document } = onlyHeredoc(node) ?? {};
  if (!body || !document || reader.source.slice(body.start, body.end) !== 'cat') return null;
  const text = readHeredoc(reader, document);
  return typeof text === 'string' ? text.replace(/\n+$/, '') : null;
}
