import { isGlob, type SimpleCommand, type Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown, type Role, type TableGrammar } from './grammar.ts';

/** A program that looks at the paths which its operands name; without one, at the current directory. */
function inspects(names: string, options: string, more: Partial<TableGrammar> = {}): TableGrammar {
  return { names, options, operands: 'in*', reads: true, open: 'read', more: looksHere, ...more };
}

/** A program that changes the paths which its operands name, and starts nothing. */
function changer(
  names: string,
  options: string,
  operands: TableGrammar['operands'] = 'out*',
  more: Partial<TableGrammar> = {},
): TableGrammar {
  return { names, options, operands, open: 'write', ...more };
}

const LS =
  'a,all A,almost-all author b,escape block-size=text B,ignore-backups c C color=?text d,directory D,dired f F,classify=?text file-type format=text full-time g group-directories-first G,no-group h,human-readable si hide=text hyperlink=?text^ i,inode I,ignore=text indicator-style=text k,kibibytes l m n,numeric-uid-gid N,literal o p q,hide-control-chars Q,quote-name quoting-style=text r,reverse R,recursive s,size S sort=text time=text time-style=text t T,tabsize=text u U v w,width=text x X z,zero Z,context 1 show-control-chars L,dereference^ H,dereference-command-line^ dereference-command-line-symlink-to-dir^';
const COPY =
  'a,archive attributes-only backup=?text b copy-contents d f,force i,interactive H keep-directory-symlink l,link L,dereference n,no-clobber P,no-dereference p preserve=?text no-preserve=text parents R,r,recursive reflink=?text remove-destination sparse=text strip-trailing-slashes s,symbolic-link S,suffix=text t,target-directory=out T,no-target-directory u,update=?text v,verbose x,one-file-system Z context=?text debug';
const OWNERS =
  'c,changes f,silent,quiet v,verbose dereference h,no-dereference from=text no-preserve-root preserve-root reference=text R,recursive H L P';

/** Programs for files and directories. */
export const FILE_TOOLS: readonly Grammar[] = [
  inspects('ls dir vdir gls exa eza lsd', LS),
  inspects('stat gstat', 'L,dereference f,file-system c,format=text printf=text t,terse cached=text', { more: noMore }),
  inspects(
    'file',
    'b,brief c i,mime mime-type mime-encoding extension k,keep-going L,dereference^ h,no-dereference N,no-pad n,no-buffer p,preserve-date^ r,raw s,special-files^ v,version 0,print0 e,exclude=text F,separator=text P,parameter=text',
    { more: noMore },
  ),
  inspects(
    'du gdu',
    '0,null a,all apparent-size B,block-size=text b,bytes c,total D,dereference-args^ d,max-depth=text files0-from=never H^ h,human-readable inodes k L,dereference^ l,count-links m P,no-dereference S,separate-dirs si s,summarize t,threshold=text time=?text time-style=text X,exclude-from=in exclude=text x,one-file-system',
  ),
  // It tells of the file systems on which its operands lie, and opens none of them.
  inspects(
    'df gdf',
    'a,all B,block-size=text h,human-readable H,si i,inodes k l,local no-sync output=?text P,portability sync^ total t,type=text T,print-type x,exclude-type=text v',
    { operands: 'text*', more: noMore },
  ),
  inspects(
    'tree',
    'a d f x L=text R P=text I=text matchcase ignore-case metafirst prune info gitignore noreport charset=text filelimit=text sort=text timefmt=text si du dirsfirst filesfirst q N Q p u g s h D F i A S n C J X inodes device nolinks v t c U r o=out^ l^',
    { exact: true },
  ),
  inspects(
    'realpath',
    'e,canonicalize-existing m,canonicalize-missing L,logical P,physical q,quiet relative-to=in relative-base=in s,strip,no-symlinks z,zero',
    { more: noMore },
  ),
  inspects(
    'readlink greadlink',
    'f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero',
    { more: noMore },
  ),
  { names: 'basename', options: 'a,multiple s,suffix=text z,zero', operands: 'text*', reads: true, open: 'nothing' },
  { names: 'dirname', options: 'z,zero', operands: 'text*', reads: true, open: 'nothing' },
  { names: 'pathchk', options: 'p P portability', operands: 'text*', reads: true, open: 'nothing' },
  inspects(
    'namei lsattr getfacl lsblk findmnt',
    'l,long m,modes o,owners x,mountpoints n,nosymlinks v,vertical a R d p c,omit-header e,all-effective E,no-effective R,recursive',
    { more: noMore, reads: true },
  ),
  changer('touch gtouch', 'a c,no-create d,date=text f h,no-dereference m r,reference=in t=text time=text'),
  changer('mkdir gmkdir', 'm,mode=text p,parents v,verbose Z context=?text'),
  changer('rmdir', 'ignore-fail-on-non-empty p,parents v,verbose', 'taken*'),
  changer(
    'rm grm',
    'f,force i I interactive=?text one-file-system no-preserve-root preserve-root=?text r,R,recursive d,dir v,verbose',
    (argv) => (argv.has('r') ? 'taken*' : 'out*'),
  ),
  changer('unlink', '', 'out'),
  changer('link', '', 'edit out'),
  changer('mkfifo', 'm,mode=text Z context=?text'),
  changer('mknod', 'm,mode=text Z context=?text', 'out text*'),
  changer('truncate', 'c,no-create o,io-blocks r,reference=in s,size=text'),
  changer('shred', 'f,force n,iterations=text random-source=in s,size=text u remove=?text v,verbose x,exact z,zero'),
  changer(
    'chmod gchmod',
    'c,changes f,silent,quiet v,verbose no-preserve-root preserve-root reference=in R,recursive h,no-dereference dereference H L P x w r X s t u g o',
    (argv) => modeThen(argv),
  ),
  changer('chown gchown chgrp', OWNERS, (argv) => (argv.has('reference') ? owned(argv) : `text ${owned(argv)}`)),
  changer(
    'chattr setfacl setfattr',
    'R V f v=text p=text m,modify=text x,remove=text b,remove-all k,remove-default d,default n,name=text',
    'text* taken',
    { more: (argv, found) => eachFile(argv.operands, 'out', found) },
  ),
  changer('tee gtee', 'a,append i,ignore-interrupts p output-error=?text'),
  changer('sponge', 'a', 'out'),
  changer('mktemp', 'd,directory u,dry-run q,quiet suffix=text p,tmpdir=?out t V', 'out'),
  changer('cp gcp', COPY, (argv) => copied(argv), { more: landing }),
  changer(
    'mv gmv',
    'backup=?text b f,force i,interactive n,no-clobber no-copy strip-trailing-slashes S,suffix=text t,target-directory=out T,no-target-directory u,update=?text v,verbose Z context=?text debug exchange',
    (argv) => (argv.has('t') ? 'taken*' : 'taken* out'),
    { more: landing },
  ),
  changer(
    'ln gln',
    'backup=?text b d,F,directory f,force i,interactive L,logical n,no-dereference P,physical r,relative s,symbolic S,suffix=text t,target-directory=out T,no-target-directory v,verbose',
    (argv) => (argv.has('t') ? 'edit*' : 'edit* out'),
    { more: landing },
  ),
  changer(
    'install ginstall',
    'backup=?text b c C,compare d,directory D debug g,group=text m,mode=text o,owner=text p,preserve-timestamps s,strip S,suffix=text t,target-directory=out T,no-target-directory v,verbose preserve-context Z context=?text !strip-program',
    (argv) => (argv.has('d') ? 'out*' : argv.has('t') ? 'in*' : 'in* out'),
    { more: landing },
  ),
  { names: 'dd gdd', read: convert },
  {
    names: 'split gsplit',
    options:
      'a,suffix-length=text additional-suffix=text b,bytes=text C,line-bytes=text d numeric-suffixes=?text x hex-suffixes=?text e,elide-empty-files filter=sh l,lines=text n,number=text t,separator=text u,unbuffered verbose',
    operands: 'in text',
    counts: '-',
    more: ({ operands: [, prefix = 'x'] }, found) => found.file(withEnding(prefix), 'out'),
  },
  {
    names: 'csplit',
    options:
      'b,suffix-format=text f,prefix=text k,keep-files suppress-matched n,digits=text s,quiet,silent z,elide-empty-files',
    operands: 'in text*',
    open: 'write',
    more: (argv, found) => found.file(withEnding(argv.value('f') ?? 'xx'), 'out'),
  },
  { names: 'sync', options: 'd,data f,file-system', operands: 'in*', open: 'read' },
  {
    names: 'patch',
    options:
      'p,strip=text F,fuzz=text l,ignore-whitespace c,context e,ed n,normal u,unified N,forward R,reverse i,input=in b,backup B,prefix=text V,version-control=text Y,basename-prefix=text z,suffix=text Z,set-utc T,set-time t,batch f,force s,quiet,silent verbose dry-run posix d,directory=at o,output=out r,reject-file=out merge=?text E,remove-empty-files',
    operands: 'edit in',
    more: (_argv, found) => found.doubt('which files it changes is in its input'),
  },
  neverKnown('ctags ctags-universal etags cscope cscope-indexer ocs gtags', 'it reads whole directories'),
  { names: 'rename prename file-rename', options: 'n,nono,no-act v,verbose f,force', operands: 'lang edit*' },
  changer('dos2unix unix2dos', 'k q f', 'edit*'),
  {
    names: 'rsync',
    options:
      'a,archive v,verbose q,quiet c,checksum r,recursive R,relative u,update inplace append l,links L,copy-links k,copy-dirlinks H,hard-links p,perms E,executability A,acls X,xattrs o,owner g,group D devices specials t,times O,omit-dir-times S,sparse n,dry-run W,whole-file x,one-file-system existing ignore-existing remove-source-files delete delete-before delete-during delete-after delete-excluded force max-delete=text max-size=text min-size=text partial P partial-dir=out z,compress exclude=text exclude-from=in include=text include-from=in files-from=in f,filter=text C,cvs-exclude I,ignore-times size-only stats h,human-readable progress i,itemize-changes info=text bwlimit=text numeric-ids b,backup suffix=text backup-dir=out chmod=text chown=text mkpath timeout=text contimeout=text 4,ipv4 6,ipv6 port=text !e !rsh !rsync-path',
    operands: 'tree* taken',
    more: remotePaths,
  },
];

function eachFile(words: readonly Word[], role: Role, found: Findings) {
  for (const word of words) found.file(word, role);
}

function noMore() {}

function looksHere(argv: Argv, found: Findings) {
  const isDeep = argv.has('R') && found.program !== 'du';
  const paths: readonly Word[] = argv.operands.length > 0 ? argv.operands : ['.'];
  if (argv.operands.length === 0 || isDeep) for (const path of paths) found.file(path, isDeep ? 'tree' : 'in');
}

/** A mode may be written like an option: `chmod -x f`. */
function modeThen(argv: Argv): string {
  const isMode = argv.given.some(({ name }) => /^[xwrXstugo]$/.test(name));
  const files = argv.has('R') ? 'taken*' : 'out*';
  return argv.has('reference') || isMode ? files : `text ${files}`;
}

function owned(argv: Argv): string {
  return argv.has('R') ? 'taken*' : 'out*';
}

function copied(argv: Argv): string {
  const sources = argv.has('R', 'a') ? 'tree*' : 'in*';
  if (argv.has('t')) return sources;
  return argv.has('l', 's') ? 'edit* out' : `${sources} out`;
}

/** A file that is copied or moved into a directory keeps its name there; and a program may get another name. */
function landing(argv: Argv, found: Findings) {
  const { operands } = argv;
  const named = argv.value('t');
  const target = named ?? operands.at(-1);
  const sources = named === undefined ? operands.slice(0, -1) : operands;
  found.passes(sources.filter(mayBeProgram));
  if (found.program.endsWith('install') && argv.has('d')) return;
  // With one operand a link gets the name of its target, here.
  if (named === undefined && operands.length === 1 && found.program.endsWith('ln'))
    found.file(lastSegment(operands[0] as Word), 'out');
  if (target === undefined) return;
  for (const source of sources) {
    if (argv.has('parents')) found.file(inside(target, source), 'out');
    found.file(inside(target, lastSegment(source)), 'out');
  }
}

/** A program that gets another name may be any word, but not what a star alone finds: those keep their names. */
function mayBeProgram(word: Word): boolean {
  const last = lastSegment(word);
  return (
    typeof last === 'string' || !isGlob(last) || last.parts.some((part) => typeof part === 'string' && /\w/.test(part))
  );
}

function lastSegment(word: Word): Word {
  if (typeof word === 'string') return word.split('/').findLast((segment) => segment !== '') ?? '';
  const cut = word.parts.findLastIndex((part) => typeof part === 'string' && part.includes('/'));
  const slash = word.parts[cut];
  if (typeof slash !== 'string') return word;
  const rest = [slash.slice(slash.lastIndexOf('/') + 1), ...word.parts.slice(cut + 1)].filter((part) => part !== '');
  return rest.length === 0 ? { parts: [{ any: 'name' }], many: true } : { parts: rest, many: word.many };
}

function inside(directory: Word, name: Word): Word {
  if (typeof directory === 'string' && typeof name === 'string') return `${directory}/${name}`;
  const partsOf = (word: Word) => (typeof word === 'string' ? [word] : word.parts);
  return { parts: [...partsOf(directory), '/', ...partsOf(name)], many: false };
}

function withEnding(prefix: Word): Word {
  const parts = typeof prefix === 'string' ? [prefix] : prefix.parts;
  return { parts: [...parts, { any: 'name' }], many: true };
}

const DD_TEXT = /^(?:bs|cbs|conv|count|ibs|iflag|obs|oflag|seek|skip|iseek|oseek|status)=/;

/** Its words are `name=value`. */
function convert({ words }: SimpleCommand, found: Findings) {
  found.changes();
  for (const word of words) {
    const start =
      typeof word === 'string' ? word : typeof word.parts[0] === 'string' && !word.many ? word.parts[0] : '';
    const [, name] = /^(if|of)=/.exec(start) ?? [];
    if (name !== undefined) {
      const value: Word =
        typeof word === 'string'
          ? word.slice(3)
          : { ...word, parts: [start.slice(3), ...word.parts.slice(1)].filter((part) => part !== '') };
      found.file(value, name === 'if' ? 'in' : 'out');
      if (name === 'if') found.passes([value]);
    } else if (!DD_TEXT.test(start) && word !== '--version' && word !== '--help') {
      found.doubt('it is given a word that is not known');
    }
  }
}

/** A host before a path needs a remote shell, which is set elsewhere. */
function remotePaths({ operands }: Argv, found: Findings) {
  found.passes(operands.slice(0, -1));
}
