import { ARCHIVES } from './archives.ts';
import { type OptionTable, optionTable } from './argv.ts';
import { BUILD_TOOLS } from './build-tools.ts';
import { BUILTINS } from './builtins.ts';
import { CONTAINERS } from './containers.ts';
import { EDITORS } from './editors.ts';
import { FILE_TOOLS } from './file-tools.ts';
import { FIND } from './find.ts';
import { GIT } from './git.ts';
import type { Grammar } from './grammar.ts';
import { INTERPRETERS } from './interpreters.ts';
import { NETWORK } from './network.ts';
import { PACKAGE_RUNNERS } from './package-runners.ts';
import { SHELLS } from './shells.ts';
import { SYSTEM_TOOLS } from './system-tools.ts';
import { TEXT_TOOLS } from './text-tools.ts';
import { WRAPPERS } from './wrappers.ts';

const FAMILIES: readonly (readonly Grammar[])[] = [
  BUILTINS,
  SHELLS,
  WRAPPERS,
  FIND,
  GIT,
  TEXT_TOOLS,
  FILE_TOOLS,
  ARCHIVES,
  INTERPRETERS,
  NETWORK,
  EDITORS,
  SYSTEM_TOOLS,
  BUILD_TOOLS,
  PACKAGE_RUNNERS,
  CONTAINERS,
];

/** The programs whose words are known, by the names that they are started with. */
export interface Grammars {
  /** Undefined for a program that is known by its name and words only. */
  find(program: string): { program: string; grammar: Grammar } | undefined;
  options(text: string): OptionTable;
}

/** Reads each table when it is first needed. */
export function createGrammars(): Grammars {
  const byName = new Map<string, Grammar>();
  for (const grammar of FAMILIES.flat()) {
    for (const name of grammar.names.split(' ')) if (!byName.has(name)) byName.set(name, grammar);
  }
  const tables = new Map<string, OptionTable>();
  return {
    find: (name) => {
      const program = [name, ...otherNames(name)].find((each) => byName.has(each));
      const grammar = program === undefined ? undefined : byName.get(program);
      return program === undefined || grammar === undefined ? undefined : { program, grammar };
    },
    options: (text) => {
      const table = tables.get(text) ?? optionTable(text);
      tables.set(text, table);
      return table;
    },
  };
}

/** `python3.11` is python, `gcc-12` gcc, `vim.basic` vim, `ld-linux-x86-64.so.2` the loader. */
function otherNames(name: string): string[] {
  const plain = name.replace(/\.(?:exe|cmd|bat|basic|tiny|nox|gtk3?|static|real|orig|distrib)$/, '');
  const isLoader = /^ld(?:-linux|-musl|-\d|\.so|64\.so).*$/.test(name);
  return [plain, plain.replace(/(?<=[a-z])[-.]?\d[\d.]*[a-z]?$/, ''), ...(isLoader ? ['ld.so'] : [])];
}
