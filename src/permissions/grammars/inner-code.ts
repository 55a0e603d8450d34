import type { Word } from '../shell/shell-script.ts';

/**
 * Whether code in another language certainly starts nothing and writes nothing: it prints values, calculates, and takes
 * JSON apart. Each name in it must be on a list; a text with escapes, a loop or a function is more than that.
 */
export function isHarmlessCode(word: Word, program: string): boolean {
  if (typeof word !== 'string' || word.length > MAX_CODE) return false;
  if (word.trim() === '') return true;
  const language = /^(?:python|pypy)/.test(program)
    ? PYTHON
    : /^(?:node|nodejs|bun|deno)/.test(program)
      ? JAVASCRIPT
      : OTHER;
  const tokens = tokensOf(word);
  if (language === PYTHON && !importsHarmless(word)) return false;
  return tokens?.every((_token, at) => isHarmlessToken(tokens, at, language)) ?? false;
}

const MAX_CODE = 2000;

/** The files that harmless code opens by itself: JSON that it requires, and files with the name of a module. */
export function filesOfCode(word: Word, program: string): { name: string; role: 'in' | 'script' }[] {
  if (typeof word !== 'string') return [];
  if (/^(?:python|pypy)/.test(program)) {
    return importsOf(word).flatMap((names) => names.map((name) => ({ name: `${name}.py`, role: 'script' as const })));
  }
  return [...word.matchAll(/require\s*\(\s*['"]([^'"]+)['"]/g)].map(([, name = '']) => ({ name, role: 'in' as const }));
}

/** The modules that each statement imports. */
function importsOf(code: string): string[][] {
  const statements = [...code.matchAll(/(?:^|[;:\n])\s*(?:import\s+([\w\s,.]*)|from\s+([\w.]+)\s+import\b)/g)];
  return statements.map(([, listed, from]) => (from ?? listed ?? '').split(',').map((name) => name.trim()));
}

const PYTHON_MODULES = /^(?:json|sys|platform|math)$/;

/** Only modules of Python itself are imported: any other may be a file that does more. */
function importsHarmless(code: string): boolean {
  const imports = importsOf(code);
  const mentioned = code.match(/\bimport\b/g)?.length ?? 0;
  return mentioned === imports.length && imports.flat().every((name) => PYTHON_MODULES.test(name));
}

interface Language {
  /** Names that may stand alone. */
  names: RegExp;
  /** Names that may follow a dot. */
  members: RegExp;
  /** What a module may be, as a text in quotes. */
  modules: RegExp;
}

const JAVASCRIPT: Language = {
  names:
    /^(?:console|JSON|Math|Object|process|require|String|Number|Boolean|true|false|null|undefined|const|let|var|p|pkg|x|y|i)$/,
  members:
    /^(?:log|error|parse|stringify|version|versions|name|keys|values|entries|length|join|max|min|floor|round|platform|arch|scripts|dependencies|devDependencies|engines|main|type|exports|node|v8|argv|toFixed|toUpperCase|toLowerCase)$/,
  modules: /^(['"])\.{1,2}\/[\w./-]*\.json\1$/,
};
const PYTHON: Language = {
  names:
    /^(?:import|from|print|json|sys|platform|math|len|sorted|sum|min|max|str|int|float|list|dict|True|False|None|for|in|if|else|d|x|y|i|k|v|data|pass)$/,
  members:
    /^(?:dumps|loads|load|stdin|version|version_info|platform|argv|python_version|system|machine|maxsize|executable|keys|values|items|get|join|pi|sqrt|floor|ceil)$/,
  modules: /^(?!)/,
};
const OTHER: Language = { names: /^(?:print|puts|say|echo)$/, members: /^(?!)/, modules: /^(?!)/ };

function tokensOf(code: string): string[] | null {
  const tokens: string[] = [];
  const pattern = /\s+|([A-Za-z_$][\w$]*|\d[\w.]*|'[^'\\\n]*'|"[^"\\\n$#@]*"|[.()[\]{},;:+*%<>=!?-])/y;
  while (pattern.lastIndex < code.length) {
    const match = pattern.exec(code);
    if (match === null) return null;
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}

function isHarmlessToken(tokens: readonly string[], at: number, language: Language): boolean {
  const [before = '', token = '', next = '', second = ''] = [
    tokens[at - 1],
    tokens[at],
    tokens[at + 1],
    tokens[at + 2],
  ];
  // `data["name"]` is a member; a name that is put together could be any.
  if (token === '[' && /^[\w$'")\]]/.test(before)) return second === ']' && /^(?:\d+|['"][\w -]*['"])$/.test(next);
  if (/^['"]/.test(token)) return !/constructor|proto|__/i.test(token);
  if (!/^[A-Za-z_$]/.test(token)) return true;
  if (before === '.') return language.members.test(token);
  if (token === 'require') return next === '(' && language.modules.test(second);
  return language.names.test(token);
}

/**
 * Whether a word is the path of a file that is run as it lies on the disk: no input, no device, no pattern, no address.
 * Further slashes and dots do not hide a device.
 */
export function isRunnableFile(word: Word): boolean {
  // Behind `@` are further words, in another file.
  if (typeof word !== 'string' || /^(?:-|@.*)?$/s.test(word)) return false;
  return !isDevicePath(word) && !/^[a-z][\w+.-]*:/i.test(word);
}

/** A path below /dev or /proc, in any spelling; from an unknown directory also `stdin` or `fd/0` by itself. */
export function isDevicePath(path: string): boolean {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const isDevice = (name: string | undefined) => /^(?:dev|proc)$/i.test(name ?? '');
  if (names.includes('..') && names.some(isDevice)) return true;
  if (path.startsWith('/') && isDevice(names[0])) return true;
  const last = names.at(-1) ?? '';
  return /^(?:std(?:in|out|err)|tty)$/.test(last) || (names.at(-2) === 'fd' && /^\d+$/.test(last));
}
