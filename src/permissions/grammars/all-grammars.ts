import { ARCHIVES } from './archives.ts';
import { type OptionTable, optionTable } from './argv.ts';
import { BUILD_TOOLS } from './build-tools.ts';
import { BUILTINS } from './builtins.ts';
import { CLOUDS } from './clouds.ts';
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
  CLOUDS,
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

/** `python3.11` is python, `gcc-12` gcc, `vim.basic` vim, `x86_64-linux-gnu-gcc` gcc, `ld-linux-x86-64.so.2` the loader. */
function otherNames(name: string): string[] {
  const plain = name.replace(VARIANT, '').replace(BEFORE_MACHINE, '').replace(MACHINE, '');
  const unversioned = plain.replace(/(?<=[a-z])[-.]?\d[\d.]*[a-z]?$/, '');
  const isLoader = /^ld(?:-linux|-musl|-\d|\.so|64\.so).*$/.test(name);
  const short = [plain, unversioned].map((each) =>
    each.replace(/-(?:dbg|debug|nox|gtk\d?|pgtk|lucid|cli|cgi|minimal|static)$/, ''),
  );
  const restricted = [unversioned, ...short].flatMap((each) => RESTRICTED.exec(each)?.[1] ?? []);
  return [plain, unversioned, ...short, ...restricted, ...(isLoader ? ['ld.so'] : [])];
}

/** What distributions add where several programs have one name. */
const VARIANT =
  /\.(?:exe|cmd|bat|com|basic|tiny|nox|gtk\d?|static|real|orig|distrib|default|bin|emacs|debianutils|moreutils|openbsd|traditional|ul|sysstat|x11|wrapped|py|rb|pl)$/;
/** The machine that a compiler or interpreter was made for, before or behind its name. */
const BEFORE_MACHINE =
  /^[a-z0-9_]+(?:-[a-z0-9_]+)*?-(?:gnu\w*|musl\w*|mingw32|elf|eabi\w*|darwin[\d.]*|android\d*)-(?=[a-z])/;
const MACHINE = /[\d.]*-[a-z0-9_]+-(?:linux|darwin|freebsd)[\w-]*$/;
/** Programs with fewer abilities, or more, by a letter in front. */
const RESTRICTED = /^[rg](bash|ksh|zsh|nano|vim|view|gvim|awk|sed|tar|find|xargs|env|make|grep)$/;
