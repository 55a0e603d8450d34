import { ANY_TEXT, type Word } from '../shell/shell-script.ts';
import type { Argv, Findings, TableGrammar } from './grammar.ts';

/** Options of everything that shows differences. */
export const DIFF =
  'oneline p,u,patch s,no-patch U,unified=text W,function-context no-function-context raw patch-with-raw patch-with-stat numstat shortstat X,dirstat=?text cumulative dirstat-by-file=?text check summary name-only name-status stat=?text stat-width=text stat-name-width=text stat-graph-width=text stat-count=text compact-summary no-compact-summary binary full-index color=?text no-color ws-error-highlight=text abbrev=?text no-abbrev src-prefix=text dst-prefix=text line-prefix=text no-prefix default-prefix inter-hunk-context=text output-indicator-new=text output-indicator-old=text output-indicator-context=text B,break-rewrites=?text M,find-renames=?text D,irreversible-delete C,find-copies=?text find-copies-harder no-renames rename-empty no-rename-empty follow l=text minimal w,ignore-all-space b,ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines I,ignore-matching-lines=text indent-heuristic no-indent-heuristic patience histogram diff-algorithm=text anchored=text word-diff=?text word-diff-regex=text color-words=?text color-moved=?text no-color-moved color-moved-ws=text relative=?text no-relative a,text R exit-code quiet no-ext-diff no-textconv ignore-submodules=?text submodule=?text S=text G=text pickaxe-all pickaxe-regex O=in rotate-to=text skip-to=text find-object=text diff-filter=text z output=out merge-base diff-merges=text no-diff-merges c cc m t r !ext-diff !textconv';
/** Options of everything that walks through commits. */
const WALK =
  'n,max-count=text skip=text since,after=text until,before=text since-as-filter=text author=text committer=text grep=text grep-reflog=text all-match invert-grep i,regexp-ignore-case basic-regexp E,extended-regexp F,fixed-strings P,perl-regexp remove-empty merges no-merges min-parents=text max-parents=text no-min-parents no-max-parents first-parent exclude-first-parent-only not all branches=?text tags=?text remotes=?text glob=text exclude=text exclude-hidden=text reflog alternate-refs single-worktree ignore-missing bisect cherry-mark cherry-pick left-only right-only cherry left-right boundary g,walk-reflogs merge simplify-by-decoration show-pulls full-history dense sparse simplify-merges ancestry-path=?text date-order author-date-order topo-order reverse no-walk=?text do-walk pretty=?text format=text abbrev-commit no-abbrev-commit oneline encoding=text expand-tabs=?text no-expand-tabs notes=?text no-notes show-notes=?text relative-date date=text parents children graph no-graph show-linear-break=?text decorate=?text no-decorate decorate-refs=text decorate-refs-exclude=text clear-decorations source use-mailmap mailmap no-mailmap full-diff log-size L=text root count objects timestamp header progress=text disk-usage=?text stdin^ !show-signature';

const QUIET = [
  's',
  'raw',
  'numstat',
  'shortstat',
  'X',
  'summary',
  'name-only',
  'name-status',
  'stat',
  'quiet',
  'compact-summary',
  'exit-code',
  'check',
];
const PATCH = [
  'p',
  'U',
  'W',
  'patch-with-raw',
  'patch-with-stat',
  'c',
  'cc',
  'm',
  'L',
  'word-diff',
  'color-words',
  'binary',
  'diff-merges',
];

/** Whether the contents of files are shown, given what the subcommand does by default. */
function showsContents(argv: Argv, byDefault: boolean): boolean {
  if (PATCH.some((name) => argv.has(name))) return true;
  return byDefault && !QUIET.some((name) => argv.has(name));
}

/** The files behind revisions and paths. Without a path after `--` any file of the repository may be meant. */
export function readContents(argv: Argv, found: Findings): void {
  for (const word of argv.operands) readSpec(word, found);
  const specs = (argv.afterDashes ?? []).filter((word) => !isExclusion(word));
  const isOneFile = argv.operands.some((word) => typeof word === 'string' && /^[^:]*[^:/]:[^:]/.test(word));
  if (specs.length === 0 && !isOneFile) found.repository('read');
}

/**
 * A path as git reads it: its patterns are git's own, in which a star crosses directories, and what begins with a colon has a
 * meaning of its own.
 */
export function pathspec(word: Word): Word {
  if (typeof word !== 'string') return word;
  if (word.startsWith(':')) return ANY_PATH;
  const at = word.search(/[*?[\\]/);
  if (at === -1) return word;
  return { parts: [...(at === 0 ? [] : [word.slice(0, at)]), ANY_TEXT], many: true };
}

const ANY_PATH: Word = { parts: [ANY_TEXT], many: true };

/** `HEAD:path` is a file; `:/` and other magic may be any. */
function readSpec(given: Word, found: Findings) {
  if (isExclusion(given)) return;
  const text = typeof given === 'string' ? given : '';
  const [, path] = /^[^:]*:(?:\d:)?(.*)$/s.exec(text) ?? [];
  const word = path === undefined ? pathspec(given) : given;
  if (text.startsWith(':(') || text.startsWith(':/') || text === ':') found.file(ANY_PATH, 'tree');
  else if (path !== undefined && path !== '') found.file(path, 'in');
  else found.file(word, 'tree');
}

function isExclusion(word: Word): boolean {
  return typeof word === 'string' && /^:(?:!|\^|\(exclude\))/.test(word);
}

/** A format may ask for a signature to be checked, by the program that is set for it. */
function checkFormat(argv: Argv, found: Findings) {
  const formats = ['format', 'pretty'].map((name) => argv.value(name));
  if (formats.some((value) => value !== undefined && (typeof value !== 'string' || value.includes('%G'))))
    found.changes();
}

function shows(names: string, options: string, byDefault: boolean, more: Partial<TableGrammar> = {}): TableGrammar {
  return {
    names,
    options,
    operands: 'text*',
    reads: true,
    counts: '-',
    more: (argv, found) => {
      checkFormat(argv, found);
      for (const { name, value } of argv.given) {
        if (name === 'L' && typeof value === 'string') found.file(value.replace(/^.*:/s, ''), 'in');
      }
      // Without a revision or a path `diff` shows only what was changed and not yet recorded.
      const isOpenWork = names === 'diff' && argv.operands.length === 0 && !argv.has('cached');
      if (!showsContents(argv, byDefault)) return;
      if (isOpenWork) found.repository('read tracked');
      else readContents(argv, found);
    },
    ...more,
  };
}

function lists(names: string, options: string, more: Partial<TableGrammar> = {}): TableGrammar {
  return { names, options, operands: 'text*', reads: true, ...more };
}

const REFS =
  'sort=text points-at=?text merged=?text no-merged=?text contains=?text no-contains=?text with=?text without=?text format=text color=?text no-color column=?text no-column i,ignore-case omit-empty';
/** With one of these a name after it is looked for, not made. */
const LISTING = ['list', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at'];
const listsOrMakes = (argv: Argv, found: Findings) => {
  checkFormat(argv, found);
  if (argv.operands.length > 0 && !argv.has(...LISTING)) found.changes();
};

/** Subcommands that can be asked to only read. */
export const GIT_READERS: readonly TableGrammar[] = [
  lists(
    'status',
    'v,verbose s,short b,branch show-stash ahead-behind no-ahead-behind porcelain=?text long z,null u,untracked-files=?text ignored=?text ignore-submodules=?text column=?text no-column renames no-renames find-renames=?text',
    { more: (argv, found) => (argv.has('v') ? found.repository('read') : undefined) },
  ),
  shows('log whatchanged', `${DIFF} ${WALK} q`, false),
  shows('show', `${DIFF} ${WALK} q`, true),
  shows(
    'diff',
    `${DIFF} cached,staged no-index 0 1,base 2,ours 3,theirs ita-invisible-in-index ita-visible-in-index q`,
    true,
    {
      operands: (argv) => (argv.has('no-index') ? 'tree tree' : 'text*'),
    },
  ),
  shows(
    'diff-tree diff-index diff-files range-diff rev-list',
    `${DIFF} ${WALK} cached stdin^ v no-commit-id creation-factor=text no-dual-color left-only`,
    false,
    {
      more: (argv, found) => {
        checkFormat(argv, found);
        if (showsContents(argv, found.isWord('range-diff'))) readContents(argv, found);
      },
    },
  ),
  lists('shortlog', `${WALK} n,numbered s,summary e,email w=?text c,committer group=text`),
  lists(
    'blame annotate',
    'L=text w M=?text C=?text l t s e,show-email no-show-email p,porcelain line-porcelain f,show-name n,show-number incremental b root show-stats progress no-progress score-debug date=text since=text ignore-rev=text ignore-revs-file=in S=in reverse first-parent abbrev=text no-abbrev color-lines color-by-age c contents=in minimal encoding=text',
    { more: readContents },
  ),
  lists(
    'ls-files',
    'c,cached d,deleted m,modified o,others i,ignored s,stage k,killed directory no-empty-directory empty-directory eol u,unmerged resolve-undo x,exclude=text X,exclude-from=in exclude-per-directory=text exclude-standard full-name recurse-submodules error-unmatch with-tree=text abbrev=?text debug deduplicate sparse format=text z t v f',
  ),
  lists(
    'ls-tree',
    'd r t l,long z name-only name-status object-only full-name full-tree format=text abbrev=?text no-abbrev',
  ),
  lists(
    'rev-parse',
    'abbrev-ref=?text show-toplevel git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository short=?text verify q,quiet symbolic symbolic-full-name all branches=?text tags=?text remotes=?text glob=text exclude=text show-cdup show-prefix show-superproject-working-tree absolute-git-dir git-path=text path-format=text show-object-format=?text local-env-vars not flags no-flags revs-only no-revs since=text until=text default=text disambiguate=text sq',
  ),
  lists(
    'branch',
    `a,all r,remotes v,verbose q,quiet list l show-current abbrev=?text no-abbrev ${REFS} d,delete^ D^ m,move^ M^ c,copy^ C^ f,force^ t,track=?text^ no-track^ u,set-upstream-to=text^ unset-upstream^ create-reflog^ recurse-submodules^ !edit-description`,
    { more: listsOrMakes },
  ),
  lists(
    'tag',
    `l,list n=?text ${REFS} a,annotate^ s,sign^ no-sign^ u,local-user=text^ m,message=text^ F,file=in^ d,delete^ v,verify^ f,force^ cleanup=text^ create-reflog^ trailer=text^ !e !edit`,
    {
      more: (argv, found) => {
        if (!argv.has('l') && !argv.has('n')) listsOrMakes(argv, found);
        else checkFormat(argv, found);
      },
    },
  ),
  lists(
    'describe',
    'all tags contains abbrev=text candidates=text exact-match debug long match=text exclude=text always first-parent dirty=?text^ broken=?text^',
  ),
  lists('for-each-ref', `count=text shell perl python tcl start-after=text include-root-refs stdin^ ${REFS}`, {
    more: checkFormat,
  }),
  lists(
    'show-ref',
    'head heads branches tags d,dereference s,hash=?text verify exists abbrev=?text q,quiet exclude-existing=?text^',
  ),
  lists('name-rev', 'tags refs=text exclude=text all name-only no-undefined always annotate-stdin^ stdin^ peel-tag'),
  lists('merge-base', 'a,all octopus independent is-ancestor fork-point'),
  lists('cherry', 'abbrev=?text v,verbose'),
  lists('count-objects', 'v,verbose H,human-readable'),
  lists('check-ignore', 'q,quiet v,verbose stdin^ z n,non-matching no-index'),
  lists('check-attr', 'a,all stdin^ cached z source=text'),
  lists('check-ref-format', 'branch normalize allow-onelevel refspec-pattern'),
  lists('symbolic-ref', 'q,quiet d,delete^ short recurse no-recurse m=text^', {
    more: (argv, found) => (argv.operands.length > 1 ? found.changes() : undefined),
  }),
  lists(
    'cat-file',
    'e p t s z allow-unknown-type use-mailmap follow-symlinks batch=?text^ batch-check=?text^ batch-command=?text^ batch-all-objects^ buffer^ unordered^ path=text !textconv !filters',
    {
      more: (argv, found) => (argv.has('e', 't', 's') && !argv.has('batch') ? undefined : readContents(argv, found)),
    },
  ),
  lists('var version', 'l build-options'),
  lists(
    'fsck verify-pack',
    'unreachable dangling no-dangling tags root cache full no-full strict connectivity-only progress no-progress v,verbose name-objects s,stat-only reflogs no-reflogs lost-found^',
  ),
  {
    names: 'grep',
    options:
      'a,text i,ignore-case I w,word-regexp v,invert-match h H full-name E,extended-regexp G,basic-regexp F,fixed-strings P,perl-regexp n,line-number column l,files-with-matches name-only L,files-without-match z,null o,only-matching c,count color=?text no-color break heading p,show-function A,after-context=text B,before-context=text C,context=text W,function-context m,max-count=text threads=text f=in e=text and or not all-match q,quiet max-depth=text r,recursive no-recursive cached no-index untracked exclude-standard no-exclude-standard recurse-submodules parent-basename=text no-textconv !textconv !O !open-files-in-pager',
    operands: 'text*',
    reads: true,
    counts: '-',
    more: (argv, found) => {
      const operands = argv.has('e', 'f') ? argv.operands : argv.operands.slice(1);
      readContents({ ...argv, operands }, found);
    },
  },
  {
    names: 'remote',
    options: 'v,verbose',
    operands: 'text*',
    reads: true,
    more: ({ operands: [name] }, found) => {
      if (name === undefined || name === 'get-url') return;
      found.changes();
      const known = /^(?:add|rename|remove|rm|set-url|set-head|set-branches|show|prune|update)$/;
      if (typeof name !== 'string' || !known.test(name)) found.doubt('its subcommand is not known');
    },
  },
  {
    names: 'reflog',
    options: `${DIFF} ${WALK} expire=text^ expire-unreachable=text^ updateref^ rewrite^ dry-run^ verbose^`,
    operands: 'text*',
    reads: true,
    counts: '-',
    more: (argv, found) => {
      const [name] = argv.operands;
      if (name === 'expire' || name === 'delete' || name === 'drop') found.changes();
      if (showsContents(argv, false)) found.repository('read');
    },
  },
  {
    names: 'stash',
    options: `${DIFF} ${WALK} p,patch k,keep-index^ no-keep-index^ u,include-untracked^ all^ S,staged^ q,quiet m,message=text^ index^ only-untracked pathspec-from-file=in^ pathspec-file-nul^`,
    operands: 'text*',
    reads: true,
    counts: '-',
    more: (argv, found) => {
      const [name, ...rest] = argv.operands;
      checkFormat(argv, found);
      if (name === 'list') return showsContents(argv, false) ? found.repository('read') : undefined;
      if (name === 'show') return showsContents(argv, argv.has('p')) ? found.repository('read') : undefined;
      found.changes();
      if (argv.has('p')) found.repository('read');
      const known = /^(?:push|save|pop|apply|drop|clear|branch|create|store)$/;
      if (name !== undefined && (typeof name !== 'string' || !known.test(name)))
        return found.doubt('its subcommand is not known');
      if (name === 'drop' || name === 'clear' || name === 'create' || name === 'store') return;
      found.repository('write');
      if (name === 'push') for (const path of rest) found.file(pathspec(path), 'taken');
    },
  },
];
