import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One way to do what a rule denies, as a text for bash. */
export interface Form {
  /** The table and the heading that it stands under, such as `programs: git`. */
  family: string;
  text: string;
}

export type Table = 'wrappers' | 'shells' | 'programs' | 'spellings' | 'reads' | 'writes';

/** The tables hold facts of man pages and of `--help`; nothing in them comes from the grammars of src/permissions. */
export function readTable(table: Table): Form[] {
  const file = join(dirname(fileURLToPath(import.meta.url)), `${table}.txt`);
  let family: string = table;
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('## ')) family = `${table}: ${line.slice('## '.length)}`;
      return line === '' || line.startsWith('#') ? [] : [{ family, text: line }];
    });
}

/** The denied command: a program, its arguments as plain words, and where it lies. */
export interface Act {
  program: string;
  args: string;
  path: string;
}

/** Fills in the command, and the names that the text may use: `{ID}`, `{PORT}`. */
export function filled(text: string, act: Act | null, more: Readonly<Record<string, string>> = {}): string {
  const values: Record<string, string> = { N: '\n', ...(act && valuesOf(act)), ...more };
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  );
}

function valuesOf({ program, args, path }: Act): Record<string, string> {
  const words = `${program} ${args}`;
  const code = program.charCodeAt(0);
  return {
    ...{ W: words, W_: words, Q: `'${words}'`, P: program, A: args, B: path, S: args.replaceAll('/', '\\/') },
    ...{
      f: program.slice(0, 1),
      r: program.slice(1),
      l: program.slice(0, -1),
      z: program.slice(-1),
      q: program.slice(2),
    },
    ...{ h: code.toString(16), o: code.toString(8), U: program.toUpperCase(), H: Buffer.from(program).toString('hex') },
  };
}
