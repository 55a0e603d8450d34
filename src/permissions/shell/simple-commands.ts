import { ARITHMETIC, readWord, type Visit, WORD_TYPES } from './expand-words.ts';
import { readHeredoc } from './heredoc.ts';
import { programName } from './program-patterns.ts';
import { ANYTHING, type Assignment, PIPE, type Redirect, type SimpleCommand, type Word } from './shell-script.ts';
import { childrenOf, requireWhole, type SyntaxNode, Unreadable } from './syntax-nodes.ts';

/** Collects the commands that are found. */
export interface Reader extends Visit {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  /** Reads any other statement. */
  statement(node: SyntaxNode): void;
}

/** A command whose words are still being collected: redirections may bring more. */
interface Draft {
  words: Word[];
  assigns: Assignment[];
  /** The sources of its input; undefined for files. */
  inputs: (Word | undefined)[];
}

const emptyDraft = (): Draft => ({ words: [], assigns: [], inputs: [] });

export function readCommand(reader: Reader, node: SyntaxNode): void {
  finish(reader, commandDraft(reader, node));
}

/** A statement with redirections, or redirections alone. */
export function readRedirected(reader: Reader, node: SyntaxNode): void {
  const children = childrenOf(reader.source, node, 'blanks');
  const redirects = children.filter(isRedirect);
  const [body, ...others] = children.filter((child) => !isRedirect(child));
  if (others.length > 0) throw new Unreadable();
  const isSimple = body === undefined || body.type === 'command';
  const before = reader.commands.length;
  if (body !== undefined && !isSimple) reader.statement(body);
  const after = reader.commands.length;
  const start = body !== undefined && isSimple ? commandDraft(reader, body) : emptyDraft();
  const draft = redirects.reduce((each, child) => withRedirect(reader, each, child), start);
  // To the parser the redirection of the last command of a pipe is one of the whole pipe.
  if (draft.inputs.length > 0) withoutSource(reader, before, after);
  // The parser assigns words after a redirection to the redirection. After a group they would be an error.
  if (!isSimple && draft.words.length > 0) throw new Unreadable();
  if (isSimple) finish(reader, draft);
}

export function readAssignment(reader: Reader, node: SyntaxNode): void {
  finish(reader, { ...emptyDraft(), assigns: [assignment(reader, node)] });
}

/** `export A=1 B`, `declare -x A`: the words of a builtin, some of which are assignments. */
export function readDeclaration(reader: Reader, node: SyntaxNode): void {
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

/** `[ … ]`, which the parser gives as an expression, is a command like any other. */
export function readTest(reader: Reader, node: SyntaxNode): void {
  finish(reader, { ...emptyDraft(), words: flatWords(reader, node) });
}

function flatWords(reader: Reader, node: SyntaxNode): Word[] {
  return childrenOf(reader.source, node, 'blanks').flatMap((child) => {
    if (WORD_TYPES.has(child.type) || child.children.length === 0) return [readWord(reader, child)];
    if (!/_expression$/.test(child.type)) throw new Unreadable();
    return flatWords(reader, child);
  });
}

function finish(reader: Reader, { words, assigns, inputs }: Draft): void {
  if (words.length === 0 && assigns.length === 0) return;
  const [input] = inputs;
  // With several inputs one wins; it does not matter here which one.
  reader.commands.push({
    words,
    assigns,
    ...(inputs.length === 1 && input !== undefined && { input }),
    ...(inputs.length > 0 && { ownInput: true as const }),
  });
}

/** Unquoted, as the first word of a command, these are keywords: the parser must have misread the source. */
const RESERVED: ReadonlySet<string> = new Set(
  '{ } ! [[ ]] if then elif else fi for while until do done case esac select in function'.split(' '),
);

function commandDraft(reader: Reader, node: SyntaxNode): Draft {
  requireNoKeyword(reader.source.slice(node.start, node.end));
  let draft = emptyDraft();
  for (const child of childrenOf(reader.source, node, 'blanks')) {
    if (child.type === 'variable_assignment') draft.assigns.push(assignment(reader, child));
    else if (child.type === 'command_name') draft.words.push(commandName(reader, child));
    else if (isRedirect(child)) draft = withRedirect(reader, draft, child);
    else draft.words.push(argument(reader, child));
  }
  return draft;
}

/** After `time` and `coproc` comes a separate command, which may begin with more than a word. */
function requireNoKeyword(text: string): void {
  const [first, ...rest] = text.replaceAll('\\\n', ' ').split(/[ \t]+/);
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

export function isRedirect({ type }: SyntaxNode): boolean {
  return type === 'file_redirect' || type === 'herestring_redirect' || type === 'heredoc_redirect';
}

function withRedirect(reader: Reader, draft: Draft, node: SyntaxNode): Draft {
  if (node.type === 'heredoc_redirect') return withHeredoc(reader, draft, node);
  const children = childrenOf(reader.source, node, 'blanks');
  const descriptor = children[0]?.type === 'file_descriptor' ? descriptorOf(reader, children[0]) : null;
  const [operator, destination, ...more] = descriptor === null ? children : children.slice(1);
  if (operator === undefined || operator.named) throw new Unreadable();
  const isInput = operator.type.startsWith('<') && (descriptor ?? '0') === '0';
  // The parser also takes the words that follow for destinations.
  const words = more.map((child) => argument(reader, child));
  if (operator.type === '<<<') {
    if (destination === undefined) throw new Unreadable();
    const target = argument(reader, destination);
    return { ...draft, words: [...draft.words, ...words], inputs: isInput ? [...draft.inputs, target] : draft.inputs };
  }
  const isPipe = destination?.type === 'process_substitution';
  // `>&-` closes, so it has no destination.
  const own = operator.type.endsWith('-') ? destination : undefined;
  if (destination !== undefined && own === undefined) open(reader, operator.type, destination);
  return {
    ...draft,
    words: [...draft.words, ...(own === undefined ? [] : [argument(reader, own)]), ...words],
    inputs: isInput ? [...draft.inputs, isPipe ? PIPE : undefined] : draft.inputs,
  };
}

function descriptorOf(reader: Reader, node: SyntaxNode): string {
  const text = reader.source.slice(node.start, node.end);
  const before = reader.source[node.start - 1];
  if (!/^\d+$/.test(text) || (before !== undefined && !/[\s;&|()]/.test(before))) throw new Unreadable();
  return text;
}

function open(reader: Reader, operator: string, destination: SyntaxNode): void {
  const target = argument(reader, destination);
  // A process substitution stands for a pipe, not a file.
  if (destination.type === 'process_substitution') return;
  if (operator.endsWith('&')) {
    // To bash `>& -rm` is `>&-`, and then `rm`.
    const text = reader.source.slice(destination.start, destination.end);
    if (/^-./s.test(text)) throw new Unreadable();
    if (/^(?:\d+-?|-)$/.test(text)) return;
  }
  if (operator === '<&') reader.doubt('it takes its input from somewhere that is not known beforehand');
  else reader.redirects.push({ kind: operator === '<' ? 'read' : 'write', target });
}

/** The parser keeps the rest of the line with the here-document; it continues the command or starts others. */
function withHeredoc(reader: Reader, draft: Draft, node: SyntaxNode): Draft {
  const input = readHeredoc(reader, node);
  const descriptor = node.children.find(({ type }) => type === 'file_descriptor');
  const isInput = descriptor === undefined || descriptorOf(reader, descriptor) === '0';
  let next: Draft = isInput ? { ...draft, inputs: [...draft.inputs, input] } : draft;
  for (const child of restOfLine(reader, node)) {
    if (isRedirect(child)) next = withRedirect(reader, next, child);
    else if (WORD_TYPES.has(child.type)) next = { ...next, words: [...next.words, readWord(reader, child)] };
    else {
      const start = reader.commands.length;
      reader.statement(child);
      feed(reader, start, [input]);
    }
  }
  return next;
}

/** These commands read something else than what the command before them prints. */
function withoutSource({ commands }: Reader, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const { from: _, ...command } = commands[at] as SimpleCommand;
    commands[at] = { ...command, ownInput: true };
  }
}

/** Adds texts that a pipe brings to the commands from this one on. */
export function feed({ commands }: Reader, start: number, texts: readonly Word[], from?: SimpleCommand): void {
  if (texts.length === 0 && from === undefined) return;
  for (let at = start; at < commands.length; at++) {
    const command = commands[at] as SimpleCommand;
    const more = from !== undefined && !command.ownInput && command.from === undefined ? { from } : {};
    commands[at] = { ...command, ...more, ...(texts.length > 0 && { fed: [...(command.fed ?? []), ...texts] }) };
  }
}

/** What a command writes to its output, as far as its words or its input tell. */
export function textsPrinted({ words, input, fed = [] }: SimpleCommand): Word[] {
  const [name, ...rest] = words;
  const isTalking = typeof name === 'string' && /^g?(?:echo|printf|sed|awk|tr|xargs)$/.test(programName(name));
  return [...(isTalking ? rest : []), ...(input === undefined ? [] : [input]), ...fed];
}

function restOfLine({ source }: Reader, node: SyntaxNode): SyntaxNode[] {
  const start = node.children.find(({ type }) => type === 'heredoc_start');
  const end = source.indexOf('\n', start?.end);
  const children = node.children.filter(({ type }) => !['\n', 'heredoc_body', 'heredoc_end'].includes(type));
  if (children.some((child) => child.end > end)) throw new Unreadable();
  const line = childrenOf(source, { ...node, end, children }, 'blanks');
  return line.filter(({ named, type }) => named && type !== 'heredoc_start' && type !== 'file_descriptor');
}

function assignment(reader: Reader, node: SyntaxNode): Assignment {
  const { source } = reader;
  const [name, operator, value] = childrenOf(source, node, 'blanks');
  if (name === undefined || operator === undefined) throw new Unreadable();
  if (name.end !== operator.start || operator.end !== (value?.start ?? node.end)) throw new Unreadable();
  requireWhole(source, node);
  const text = source.slice(name.start, name.end);
  // Bash evaluates the index of an array.
  if (!/^[A-Za-z_]\w*(?:\[\d+\])?$/.test(text)) reader.doubt(ARITHMETIC);
  return { name: text.replace(/\[.*/s, ''), value: assigned(reader, value) };
}

function assigned(reader: Reader, value: SyntaxNode | undefined): Word {
  if (value === undefined || value.start === value.end) return '';
  if (value.type !== 'array') return readWord(reader, value, '=');
  const hints: Word[] = [];
  for (const child of childrenOf(reader.source, value, 'lines').filter(({ named }) => named)) {
    if (reader.source[child.start] === '[') reader.doubt(ARITHMETIC);
    hints.push(readWord(reader, child));
  }
  return { ...ANYTHING, ...(hints.length > 0 && { hints }) };
}
