import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { gunzip } from 'node:zlib';
import type { Parser, TreeCursor } from 'web-tree-sitter';
import { findOwnFile, sourcesRoot } from '../../util/own/own-files.ts';
import { cpuLimit } from '../../util/process/cpu-limit.ts';
import { readTree } from './read-tree.ts';
import type { ParsedScript, ParseShell } from './shell-script.ts';
import { type SyntaxNode, Unreadable } from './syntax-nodes.ts';

/** Loads the parser, which takes about 30 ms. Rejects when its files are missing. */
export async function loadShellParser(): Promise<ParseShell> {
  const { Language, Parser } = await import('web-tree-sitter');
  const [engine, grammar] = await Promise.all([readProgram('web-tree-sitter'), readProgram('tree-sitter-bash')]);
  return compiledOnce(async () => {
    await initOnce(Parser, engine);
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar));
    return (text) => parse(parser, text);
  });
}

/** Where the library's class remembers that it is being initialized. */
const INITIALIZING = Symbol('initializing');

/**
 * The library keeps one engine for the whole process, but two calls of `init` at the same time make two, and what belongs to
 * the first is then freed in the memory of the second.
 */
async function initOnce(
  parser: typeof Parser & { [INITIALIZING]?: Promise<void> },
  wasmBinary: Uint8Array,
): Promise<void> {
  parser[INITIALIZING] ??= parser.init({ wasmBinary });
  try {
    await parser[INITIALIZING];
  } catch (error) {
    delete parser[INITIALIZING]; // the next command tries again
    throw error;
  }
}

/**
 * Without the flag V8 would compile the parser a second time for speed: a second of work for code that runs a few
 * milliseconds, and the process cannot exit before it is done. The flag affects everything compiled meanwhile, so it is
 * reset afterwards.
 */
async function compiledOnce<T>(compile: () => Promise<T>): Promise<T> {
  setFlagsFromString('--liftoff-only');
  try {
    return await compile();
  } finally {
    setFlagsFromString('--no-liftoff-only');
  }
}

/**
 * In the bundles' folder, compressed, or, when running from the sources, where npm installed it. Another version could
 * parse a command differently.
 */
async function readProgram(name: string): Promise<Buffer> {
  const sources = sourcesRoot();
  if (sources) return readFile(join(sources, 'node_modules', name, `${name}.wasm`));
  const found = findOwnFile(`${name}.wasm.gz`);
  if (found === null) throw new Error(`${name}.wasm.gz is missing beside the program (docs/bundlers.md)`);
  return promisify(gunzip)(await readFile(found));
}

function parse(parser: Parser, text: string): ParsedScript | null {
  // To the grammar, two lines that a backslash joins inside of a word are two words.
  if (/[^\s]\\\n[^\s]/.test(text) || UNSPEAKABLE.test(text)) return null;
  const isOver = cpuLimit(MAX_CPU_MS);
  const tree = parser.parse(text.replaceAll(PLAIN_TO_BASH, 'x'), null, { progressCallback: isOver });
  if (tree === null) {
    parser.reset();
    return null;
  }
  const cursor = tree.walk();
  try {
    return tree.rootNode.hasError ? null : readTree(text, copyWithin(isOver, cursor, text));
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/**
 * Some contrived texts take time that grows with the square of their length, and nothing else runs meanwhile. Counted in
 * CPU time: on a busy machine an ordinary text must not become one that cannot be read.
 */
const MAX_CPU_MS = 75;

/** Characters that cannot be passed to bash unchanged: bash would run a different text. */
const UNSPEAKABLE = /\0|\p{Cs}/u;
/** Only space, tab and newline separate words in bash; to the grammar every kind of blank does, CR and NBSP included. */
const PLAIN_TO_BASH = /[^\P{Cc}\t\n]|[^\P{Z} ]|\p{Cf}/gu;

/** Deeper nesting than any real command has; it would only exhaust the stack. */
const MAX_DEPTH = 400;
/** Nodes between looks at the clock. */
const CHECK_EVERY = 500;

/** The tree as objects; walking it takes long for some texts, too. */
function copyWithin(isOver: () => boolean, cursor: TreeCursor, text: string): SyntaxNode {
  let nodes = 0;
  const copy = (depth: number): SyntaxNode => {
    if (cursor.nodeIsMissing || depth > MAX_DEPTH) throw new Unreadable();
    if (++nodes % CHECK_EVERY === 0 && isOver()) throw new Unreadable();
    const { nodeType: type, nodeIsNamed: named, startIndex: start, endIndex: end } = cursor;
    // Some tokens include the text before them: the `<<` of `a -n<<END` includes the `-n`.
    if (!named && type !== '\n' && text.slice(start, end).trim() !== type) throw new Unreadable();
    const children: SyntaxNode[] = [];
    if (cursor.gotoFirstChild()) {
      do children.push(copy(depth + 1));
      while (cursor.gotoNextSibling());
      cursor.gotoParent();
    }
    return { type, named, start, end, children };
  };
  return copy(0);
}
