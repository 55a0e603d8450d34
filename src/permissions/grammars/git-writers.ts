import type { Word } from '../shell/shell-script.ts';
import { DIFF, pathspec } from './git-readers.ts';
import type { Argv, Findings, TableGrammar } from './grammar.ts';

const FETCH =
  'v,verbose q,quiet all a,append atomic f,force k,keep t,tags n,no-tags p,prune P,prune-tags no-prune depth=text deepen=text shallow-since=text shallow-exclude=text unshallow update-shallow j,jobs=text dry-run write-fetch-head no-write-fetch-head progress no-progress u,update-head-ok refmap=text refetch recurse-submodules=?text no-recurse-submodules set-upstream 4,ipv4 6,ipv6 negotiation-tip=text filter=text multiple auto-maintenance no-auto-maintenance show-forced-updates no-show-forced-updates porcelain server-option=text o=text !upload-pack';
const MERGE =
  'commit no-commit e,edit no-edit cleanup=text ff no-ff ff-only S,gpg-sign=?text no-gpg-sign log=?text no-log signoff no-signoff stat n,no-stat squash no-squash no-verify verify s,strategy=text X,strategy-option=text verify-signatures no-verify-signatures summary no-summary q,quiet v,verbose progress no-progress autostash no-autostash allow-unrelated-histories m,message=text F,file=in rerere-autoupdate no-rerere-autoupdate overwrite-ignore no-overwrite-ignore abort quit continue into-name=text';

/** A strategy of another name is a program. */
function strategies(argv: Argv, found: Findings) {
  const isKnown = ({ value }: { value: Word | undefined }) =>
    typeof value === 'string' && /^(?:ort|recursive|resolve|octopus|ours|subtree)$/.test(value);
  if (!argv.given.filter(({ name }) => name === 's').every(isKnown))
    found.doubt('it is given a strategy that is not known');
}

function changesTree(argv: Argv, found: Findings) {
  strategies(argv, found);
  found.repository('write');
}

/** Asked for parts, or for what would be recorded, it shows the contents of files. */
function showsWork(argv: Argv, found: Findings) {
  const isTold = argv.has('v') && argv.has('dry-run', 'short', 'porcelain', 'long');
  if (argv.has('p') || isTold) found.repository('read');
}

/** Paths are changed, with everything below them. They may stand in a file; and what is left out alone leaves the rest. */
function takesSpecs(argv: Argv, found: Findings) {
  showsWork(argv, found);
  for (const word of argv.operands) found.file(pathspec(word), 'taken');
  if (argv.has('pathspec-from-file')) found.repository('write');
}

/** Paths after `--` alone are changed; without `--` an operand is a branch or a path. */
function checksOut(argv: Argv, found: Findings) {
  showsWork(argv, found);
  const isNew = argv.has('b', 'B', 'c', 'C', 'orphan') && argv.operands.length === 0;
  for (const word of argv.operands) found.file(pathspec(word), 'taken');
  const specs = argv.afterDashes ?? [];
  if (!isNew && (specs.length === 0 || specs.some((word) => typeof word !== 'string' || word.startsWith(':')))) {
    found.repository('write');
  }
}

const SUBMODULE =
  'q,quiet cached recursive init N,no-fetch remote merge rebase checkout f,force depth=text jobs=text j=text progress recommend-shallow no-recommend-shallow single-branch no-single-branch all files summary-limit=text n=text b,branch=text name=text reference=never default';

/** Subcommands that change the repository or its files. */
export const GIT_WRITERS: readonly TableGrammar[] = [
  {
    names: 'add stage',
    options:
      'n,dry-run v,verbose f,force u,update A,all no-all no-ignore-removal ignore-removal N,intent-to-add refresh ignore-errors ignore-missing renormalize sparse chmod=text p,patch pathspec-from-file=in pathspec-file-nul !i !interactive !e !edit',
    operands: 'in*',
    more: (argv, found) => (argv.has('p') ? found.repository('read') : undefined),
  },
  {
    names: 'commit',
    options:
      'a,all m,message=text F,file=in C,reuse-message=text c,reedit-message=text fixup=text squash=text reset-author trailer=text s,signoff no-signoff t,template=in e,edit no-edit cleanup=text status no-status S,gpg-sign=?text no-gpg-sign n,no-verify verify amend no-post-rewrite allow-empty allow-empty-message q,quiet v,verbose dry-run short branch porcelain long z,null u,untracked-files=?text author=text date=text i,include o,only p,patch pathspec-from-file=in pathspec-file-nul',
    operands: 'in*',
    more: showsWork,
  },
  {
    names: 'push',
    options:
      'v,verbose q,quiet all branches mirror d,delete tags n,dry-run porcelain f,force force-with-lease=?text no-force-with-lease force-if-includes no-force-if-includes recurse-submodules=text no-recurse-submodules thin no-thin u,set-upstream progress no-progress prune no-verify verify follow-tags no-follow-tags signed=?text no-signed atomic no-atomic o,push-option=text 4,ipv4 6,ipv6 repo=text !receive-pack !exec',
    operands: 'text*',
  },
  { names: 'fetch', options: FETCH, operands: 'text*' },
  { names: 'pull', options: `${FETCH} ${MERGE} r,rebase=?text no-rebase`, operands: 'text*', more: changesTree },
  {
    names: 'ls-remote',
    options:
      'b,branches,heads t,tags refs q,quiet exit-code get-url sort=text symref o,server-option=text !upload-pack !exec',
    operands: 'text*',
  },
  {
    names: 'clone',
    options:
      'v,verbose q,quiet progress n,no-checkout bare mirror l,local no-hardlinks s,shared reject-shallow recurse-submodules=?text recursive j,jobs=text o,origin=text b,branch=text revision=text depth=text shallow-since=text shallow-exclude=text single-branch no-single-branch no-tags shallow-submodules no-shallow-submodules remote-submodules no-remote-submodules dissociate 4,ipv4 6,ipv6 filter=text also-filter-submodules sparse !c !config !u !upload-pack !template !reference !separate-git-dir !bundle-uri',
    operands: 'text out',
    more: clones,
  },
  {
    names: 'init',
    options:
      'q,quiet bare b,initial-branch=text shared=?text object-format=text ref-format=text !template !separate-git-dir',
    operands: 'out',
  },
  { names: 'merge', options: MERGE, operands: 'text*', more: changesTree },
  {
    names: 'rebase',
    options:
      'onto=text keep-base q,quiet v,verbose stat n,no-stat no-verify verify C=text signoff committer-date-is-author-date reset-author-date ignore-date ignore-whitespace whitespace=text f,force-rebase no-ff ff continue skip abort quit show-current-patch apply m,merge i,interactive rerere-autoupdate no-rerere-autoupdate empty=text k,keep-empty no-keep-empty autosquash no-autosquash update-refs no-update-refs S,gpg-sign=?text no-gpg-sign autostash no-autostash x,exec=sh allow-empty-message r,rebase-merges=?text no-rebase-merges fork-point no-fork-point s,strategy=text X,strategy-option=text root reapply-cherry-picks no-reapply-cherry-picks !edit-todo',
    operands: 'text*',
    more: changesTree,
  },
  {
    names: 'cherry-pick revert',
    options:
      'e,edit no-edit cleanup=text x m,mainline=text n,no-commit commit s,signoff S,gpg-sign=?text no-gpg-sign ff allow-empty allow-empty-message keep-redundant-commits empty=text strategy=text X,strategy-option=text rerere-autoupdate no-rerere-autoupdate reference continue skip quit abort',
    operands: 'text*',
    more: changesTree,
  },
  {
    names: 'checkout',
    options:
      'b=text B=text l q,quiet progress no-progress f,force ours theirs t,track=?text no-track guess no-guess d,detach orphan=text ignore-other-worktrees ignore-skip-worktree-bits m,merge conflict=text p,patch recurse-submodules no-recurse-submodules overwrite-ignore no-overwrite-ignore overlay no-overlay pathspec-from-file=in pathspec-file-nul 2 3',
    operands: 'text*',
    more: checksOut,
  },
  {
    names: 'switch',
    options:
      'c,create=text C,force-create=text guess no-guess discard-changes q,quiet progress no-progress m,merge conflict=text d,detach t,track=?text no-track f,force orphan=text ignore-other-worktrees recurse-submodules no-recurse-submodules',
    operands: 'text*',
    more: checksOut,
  },
  {
    names: 'restore',
    options:
      's,source=text S,staged W,worktree ignore-unmerged overlay no-overlay q,quiet progress no-progress m,merge conflict=text ours theirs 2 3 p,patch ignore-skip-worktree-bits recurse-submodules no-recurse-submodules pathspec-from-file=in pathspec-file-nul',
    operands: 'text*',
    more: takesSpecs,
  },
  {
    names: 'reset',
    options:
      'q,quiet refresh no-refresh mixed soft hard merge keep recurse-submodules no-recurse-submodules p,patch N,intent-to-add pathspec-from-file=in pathspec-file-nul',
    operands: 'text*',
    more: (argv, found) => {
      showsWork(argv, found);
      if (argv.has('hard', 'merge', 'keep')) found.repository('write');
    },
  },
  {
    names: 'rm',
    options: 'n,dry-run q,quiet cached f,force r ignore-unmatch sparse pathspec-from-file=in pathspec-file-nul',
    operands: 'text*',
    more: takesSpecs,
  },
  { names: 'mv', options: 'v,verbose n,dry-run f,force k sparse', operands: 'taken* out', more: lands },
  {
    names: 'clean',
    options: 'q,quiet n,dry-run f,force d x X e,exclude=text !i !interactive',
    operands: 'text*',
    more: (argv, found) => {
      if (argv.has('n')) return;
      takesSpecs(argv, found);
      if (argv.operands.length === 0) found.repository('write');
    },
  },
  {
    names: 'apply',
    options:
      'stat numstat summary check index intent-to-add cached 3,3way R,reverse p=text C=text reject unidiff-zero exclude=text include=text directory=text whitespace=text ignore-space-change ignore-whitespace v,verbose q,quiet recount inaccurate-eof allow-empty apply z !unsafe-paths !build-fake-ancestor',
    operands: 'in*',
    more: (argv, found) =>
      argv.has('stat', 'numstat', 'summary', 'check') && !argv.has('apply') ? undefined : found.repository('write'),
  },
  {
    names: 'format-patch',
    options: `${DIFF} o,output-directory=out n,numbered N,no-numbered s,signoff stdout cover-letter no-cover-letter numbered-files suffix=text start-number=text v,reroll-count=text rfc=?text subject-prefix=text k,keep-subject zero-commit add-header=text to=text cc=text from=?text in-reply-to=text attach=?text inline=?text thread=?text no-thread signature=text no-signature base=text root no-stat no-binary ignore-if-in-upstream`,
    operands: 'text*',
    counts: '-',
    more: (argv, found) => {
      found.repository('read');
      if (!argv.has('o', 'stdout')) found.file({ parts: [{ any: 'name' }, '.patch'], many: true }, 'out');
    },
  },
  {
    names: 'archive',
    options:
      'format=text l,list prefix=text o,output=out add-file=in v,verbose worktree-attributes 0 1 2 3 4 5 6 7 8 9 !remote !exec',
    operands: 'text*',
    more: (_argv, found) => found.repository('read'),
  },
  {
    names: 'worktree',
    options:
      'f,force b=text B=text d,detach checkout no-checkout lock reason=text guess-remote no-guess-remote track no-track q,quiet n,dry-run v,verbose porcelain z expire=text orphan',
    operands: 'text out*',
    more: ({ operands: [name] }, found) => (name === 'add' ? found.repository('read') : undefined),
  },
  { names: 'submodule', options: SUBMODULE, operands: 'text*', optionsFirst: true, more: submodule },
  {
    names: 'bisect',
    options: 'no-checkout first-parent term-new=text term-old=text term-good=text term-bad=text',
    operands: 'text*',
    more: ({ operands: [name] }, found) =>
      typeof name === 'string' && /^(?:start|good|bad|new|old|skip|reset|log|terms|next)$/.test(name)
        ? found.repository('write')
        : found.doubt('its subcommand is not known'),
  },
  { names: 'gc', options: 'q,quiet prune=?text no-prune aggressive auto force cruft no-cruft keep-largest-pack' },
  { names: 'prune prune-packed pack-refs repack', options: 'n,dry-run v,verbose expire=text all a A d q,quiet f F l' },
  {
    names: 'update-ref update-index',
    options:
      'q,quiet refresh really-refresh add remove force-remove chmod=text assume-unchanged no-assume-unchanged skip-worktree no-skip-worktree d no-deref m=text again g ignore-missing',
    operands: 'text*',
  },
  { names: 'hash-object', options: 'w t=text stdin no-filters literally path=text', operands: 'in*' },
  { names: 'write-tree commit-tree', options: 'p=text m=text F=in missing-ok prefix=text S=?text', operands: 'text*' },
  {
    names: 'sparse-checkout',
    options: 'cone no-cone sparse-index no-sparse-index skip-checks stdin',
    operands: 'text*',
    more: (_argv, found) => found.repository('write'),
  },
  {
    names: 'lfs',
    options: 'all I,include=text X,exclude=text',
    operands: 'text*',
    optionsFirst: true,
    more: (argv, found) =>
      typeof argv.operands[0] === 'string' &&
      /^(?:pull|fetch|ls-files|status|env|version|push|track|untrack|install|prune|checkout)$/.test(argv.operands[0])
        ? undefined
        : found.doubt('its subcommand is not known'),
  },
  {
    names: 'config',
    options:
      'global system local worktree get get-all get-regexp l,list z,null name-only show-origin show-scope type=text bool int bool-or-int path default=text includes no-includes replace-all add unset unset-all fixed-value all regexp value=text !f !file !blob !e !edit',
    operands: 'text*',
    reads: true,
    more: config,
  },
];

/** A repository on this machine is read as a whole, also where only its `.git` is named. */
function clones({ operands: [source] }: Argv, found: Findings) {
  if (source === undefined) return;
  if (typeof source !== 'string') return found.file(source, 'tree');
  if (/^(?:https?|ssh|git):\/\//i.test(source) || /^[^/:]+@?[^/:]*:(?!\/\/)/.test(source)) return;
  const path = source.replace(/^file:\/\/[^/]*/i, '');
  for (const each of new Set([path, path.replace(/(?:^|\/)\.git\/*$/, '') || '.'])) found.file(each, 'tree');
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) found.doubt('which repository it copies cannot be told');
}

function lands(argv: Argv, found: Findings) {
  const target = argv.operands.at(-1);
  for (const source of argv.operands.slice(0, -1)) {
    if (typeof source === 'string' && typeof target === 'string')
      found.file(`${target}/${source.replace(/\/+$/, '').replace(/^.*\//, '')}`, 'out');
  }
}

/** `foreach` runs code in each of them. */
function submodule(argv: Argv, found: Findings) {
  const [name, ...rest] = argv.operands;
  if (name === 'foreach') {
    const code = rest.filter((word) => word !== '--recursive' && word !== '--quiet');
    if (code.length === 1) return found.code(code[0]);
    return found.starts(code);
  }
  const isKnown =
    typeof name === 'string' &&
    /^(?:status|update|init|sync|summary|add|deinit|absorbgitdirs|set-branch|set-url)$/.test(name);
  if (name !== undefined && !isKnown) return found.doubt('its subcommand is not known');
  const options = rest.filter((word) => typeof word !== 'string' || word.startsWith('-'));
  const isPlain = (word: Word) =>
    typeof word === 'string' &&
    /^--?(?:init|recursive|remote|merge|rebase|checkout|force|f|N|no-fetch|depth(?:=\d+)?|jobs=?\d*|j\d*|progress|quiet|q|cached|files|all|single-branch|recommend-shallow|b|branch|name)$/.test(
      word,
    );
  if (!options.every(isPlain)) found.doubt('an option of its subcommand is not known');
  if (name === 'update') found.repository('write');
}

/** One setting that holds no secret, by its name. */
function showsSetting({ given, operands }: Argv): boolean {
  const [key, ...others] = operands[0] === 'get' ? operands.slice(1) : operands;
  const isPlain = given.every(({ name }) =>
    /^(?:get|get-all|type|bool|int|path|local|global|system|show-origin|show-scope)$/.test(name),
  );
  return isPlain && others.length === 0 && typeof key === 'string' && OPEN_SETTINGS.test(key);
}

const OPEN_SETTINGS =
  /^(?:user\.(?:name|email)|core\.\w+|init\.defaultbranch|branch\.[^.]+\.(?:remote|merge|rebase)|remote\.[^.]+\.(?:url|fetch)|(?:pull|push|fetch|merge|rebase|commit|tag|diff|color)\.\w+)$/i;

/** With a value it writes the setting, for this call and all others. */
function config(argv: Argv, found: Findings) {
  if (!showsSetting(argv)) found.changes();
  const [first, ...others] = argv.operands;
  const isVerb = typeof first === 'string' && /^(?:get|list|set|unset|get-all|get-regexp)$/.test(first);
  if (
    first === 'list' ||
    first === 'get' ||
    first === 'unset' ||
    argv.has('get', 'get-all', 'get-regexp', 'l', 'unset', 'unset-all')
  )
    return;
  const [key, value] = isVerb ? others : argv.operands;
  if (first === 'edit' || first === 'rename-section' || first === 'remove-section')
    return found.doubt('it changes its settings');
  if (value !== undefined && !(typeof key === 'string' && isHarmlessSetting(`${key}=`)))
    found.doubt('it changes a setting that can run commands');
}

/** Settings that hold a name, a number or a colour. */
const HARMLESS_SETTINGS =
  /^(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|autocrlf|abbrev|safecrlf|eol|filemode|ignorecase|longpaths)|init\.defaultbranch|commit\.gpgsign|tag\.gpgsign|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|rebase\.(?:autostash|autosquash)|merge\.(?:ff|conflictstyle)|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix)|log\.(?:date|decorate|follow)|fetch\.prune|rerere\.enabled|gc\.auto|http\.(?:postbuffer|lowspeedlimit|lowspeedtime)|safe\.directory|protocol\.version|status\.\w+|column\.\w+|branch\.(?:autosetuprebase|autosetupmerge|sort))$/i;

export function isHarmlessSetting(setting: Word): boolean {
  const text = typeof setting === 'object' ? setting.parts[0] : setting;
  const isOpen = typeof setting === 'object' && (setting.many || !String(text).includes('='));
  return !isOpen && typeof text === 'string' && HARMLESS_SETTINGS.test(text.replace(/=.*/s, ''));
}
