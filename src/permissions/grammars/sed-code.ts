import type { Findings } from './grammar.ts';

/**
 * Reads a script of sed: the files that it reads and writes, and the commands that it starts. False when it is not read
 * with certainty: versions of sed differ in where a text, a label or an expression ends.
 */
export function readSedCode(code: string, found: Findings): boolean {
  const reading: Reading = { code, at: 0 };
  while (reading.at < code.length) {
    skip(reading, /[\s;]*/y);
    if (reading.at >= code.length) return true;
    if (!readAddresses(reading) || !readCommand(reading, found)) return false;
  }
  return true;
}

interface Reading {
  readonly code: string;
  at: number;
}

function skip(reading: Reading, pattern: RegExp): string {
  pattern.lastIndex = reading.at;
  const [text = ''] = pattern.exec(reading.code) ?? [];
  reading.at += text.length;
  return text;
}

function readAddresses(reading: Reading): boolean {
  if (!readAddress(reading)) return false;
  skip(reading, /[ \t]*/y);
  if (reading.code[reading.at] === ',') {
    reading.at++;
    skip(reading, /[ \t]*/y);
    if (skip(reading, /[+~]\d+/y) === '' && !readAddress(reading)) return false;
  }
  skip(reading, /[ \t!]*/y);
  return true;
}

/** A number, a step, the last line, an expression, or none. */
function readAddress(reading: Reading): boolean {
  if (skip(reading, /\d+(?:~\d+)?|\$/y) !== '') return true;
  const char = reading.code[reading.at];
  if (char !== '/' && char !== '\\') return true;
  const delimiter = char === '/' ? '/' : reading.code[reading.at + 1];
  reading.at += char === '/' ? 1 : 2;
  if (delimiter === undefined || !readDelimited(reading, delimiter)) return false;
  skip(reading, /[IM]*/y);
  return true;
}

/** Text up to a delimiter. One in brackets ends it for some versions and not for others. */
function readDelimited(reading: Reading, delimiter: string): boolean {
  const { code } = reading;
  if (delimiter === '\n' || delimiter === '\\') return false;
  const from = reading.at;
  for (; reading.at < code.length; reading.at++) {
    const char = code[reading.at];
    if (char === '\\') reading.at++;
    else if (char === '\n') return false;
    else if (char === delimiter) {
      const text = code.slice(from, reading.at);
      const isInBrackets = /\[[^\]]*$/.test(text.replaceAll(/\\./gs, '').replaceAll(/\[\^?\]?[^\]]*\]/g, ''));
      reading.at++;
      return !isInBrackets;
    }
  }
  return false;
}

function readCommand(reading: Reading, found: Findings): boolean {
  const command = reading.code[reading.at++];
  switch (command) {
    case '{':
    case '}':
    case '=':
    case 'd':
    case 'D':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z':
    case 'F':
      return ends(reading, command);
    case 'l':
    case 'L':
    case 'q':
    case 'Q':
      skip(reading, /[ \t]*\d*/y);
      return ends(reading, command);
    case '#':
      skip(reading, /[^\n]*/y);
      return true;
    case ':':
    case 'b':
    case 't':
    case 'T':
      // Some versions take the rest of the line for the label; whatever it may be is then read as commands here.
      skip(reading, /[ \t]*[\w.-]*/y);
      return ends(reading, command);
    case 'a':
    case 'i':
    case 'c':
      return readText(reading);
    case 's':
      return readSubstitution(reading, found);
    case 'y':
      return readPair(reading) && ends(reading, command);
    case 'r':
    case 'R':
    case 'w':
    case 'W':
      return readFile(reading, command.toLowerCase() === 'r' ? 'in' : 'out', found);
    case 'e':
      return readProgram(reading, found);
    default:
      return false;
  }
}

function ends(reading: Reading, command: string): boolean {
  if (command === '{') return true;
  skip(reading, /[ \t]*/y);
  const next = reading.code[reading.at];
  return next === undefined || /[;\n}#]/.test(next);
}

/** One line, or lines that a backslash joins. */
function readText(reading: Reading): boolean {
  skip(reading, /(?:\\[\s\S]|[^\\\n])*/y);
  return true;
}

function readPair(reading: Reading): boolean {
  const delimiter = reading.code[reading.at++];
  return delimiter !== undefined && readDelimited(reading, delimiter) && readRest(reading, delimiter);
}

/** A replacement may hold escaped line ends. */
function readRest(reading: Reading, delimiter: string): boolean {
  const { code } = reading;
  for (; reading.at < code.length; reading.at++) {
    if (code[reading.at] === '\\') reading.at++;
    else if (code[reading.at] === delimiter) {
      reading.at++;
      return true;
    }
  }
  return false;
}

function readSubstitution(reading: Reading, found: Findings): boolean {
  if (!readPair(reading)) return false;
  skip(reading, /[gpiIm0-9M]*/y);
  if (reading.code[reading.at] === 'w') {
    reading.at++;
    return readFile(reading, 'out', found);
  }
  // With `e` what the replacement makes is run.
  return ends(reading, 's');
}

function readFile(reading: Reading, role: 'in' | 'out', found: Findings): boolean {
  skip(reading, /[ \t]*/y);
  const name = skip(reading, /[^\n]*/y);
  // GNU's sed takes a brace or semicolon for a part of the name.
  if (name === '') return false;
  if (!/^\/dev\/std(?:out|err)$/.test(name)) found.file(name, role);
  for (const shorter of [name.split(/\s*[;}]/)[0] ?? ''])
    if (shorter !== name && shorter !== '') found.file(shorter, role);
  return true;
}

function readProgram(reading: Reading, found: Findings): boolean {
  skip(reading, /[ \t]*/y);
  const program = skip(reading, /[^\n]*/y);
  // Alone it runs the line that was read.
  if (program === '' || /^[;}]/.test(program)) return false;
  found.starts(['sh', '-c', program]);
  return true;
}
