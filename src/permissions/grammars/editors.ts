import type { Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown } from './grammar.ts';

/** Editors and pagers: with a terminal they start shells, so only few of their uses are known. */
export const EDITORS: readonly Grammar[] = [
  {
    names: 'vim vi nvim ex view rvim vimdiff gvim vim.basic',
    options: 'version h',
    operands: 'edit*',
    more: interactive,
  },
  { names: 'ed red', options: 's p=text', operands: 'edit', more: editorInput },
  neverKnown(
    'emacs emacsclient nano pico micro helix hx kak joe jed mcedit ne code codium cursor subl atom gedit kate zed idea pycharm webstorm vipe vidir vipw visudo sudoedit sensible-editor editor select-editor sensible-pager pager vimtutor w3mman xdg-open open start gnome-open sensible-browser x-www-browser',
    'it starts other programs from within',
  ),
  // Without a terminal they print the file, but an option or a variable may name a program.
  {
    names: 'less more most pg',
    options:
      'N,LINE-NUMBERS S,chop-long-lines R,RAW-CONTROL-CHARS r F,quit-if-one-screen X,no-init i,ignore-case I n M m s E e q d f p=text P=never',
    operands: 'in*',
    exact: true,
    counts: '-+',
    more: pagerCommands,
  },
  {
    names: 'bat batcat',
    options:
      'A,show-all p,plain l,language=text H,highlight-line=text n,number color=text style=text theme=text r,line-range=text L,list-languages list-themes u,unbuffered wrap=text tabs=text decorations=text paging=text !pager !m',
    operands: 'in*',
    exact: true,
    more: (argv, found) => (argv.value('paging') === 'always' ? found.doubt('it starts a pager') : undefined),
  },
  {
    names: 'man apropos whatis info pinfo tldr',
    options: 'k,apropos f,whatis a,all w,where,path s=text S=text',
    operands: 'in*',
    exact: true,
    // A page that is a file is typeset, and may take in other files.
    more: (argv, found) => {
      const isFile = (word: Word) => typeof word !== 'string' || /[/.]/.test(word);
      if (argv.operands.some(isFile)) found.doubt('which files it opens cannot be told');
      if (found.program === 'man' && argv.has('k', 'f')) found.doubt('it starts apropos or whatis');
    },
  },
];

/** Code for the editor is another language: each use that does more than to open files is not known. */
function interactive(argv: Argv, found: Findings) {
  if (!argv.has('version', 'h')) found.doubt('it takes commands from its input');
}

function editorInput(_argv: Argv, found: Findings) {
  const { input } = found.command;
  const isHarmless = typeof input === 'string' && isHarmlessEd(input);
  if (!isHarmless) found.doubt('it takes commands from its input');
}

/** Lines of `ed` that neither start a program nor name a file: no `!`, no `e`, `r`, `w` with a name, no `G` or `V`. */
function isHarmlessEd(input: Word & string): boolean {
  return input.split('\n').every((line) => /^(?:[\d,.$;+-]*[pnldj=]?|w|q|Q|wq|\.)$/.test(line));
}

/** `+!command` and `+|command` start a program. */
function pagerCommands(_argv: Argv, found: Findings) {
  const isCommand = (word: Word) => typeof word !== 'string' || (word.startsWith('+') && !/^\+\d+$/.test(word));
  if (found.command.words.some(isCommand)) found.doubt('it may be given a command of its own');
}
