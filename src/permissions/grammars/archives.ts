import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import type { Argv, Findings, Grammar, TableGrammar } from './grammar.ts';

const TAR =
  'A,catenate,concatenate c,create d,diff,compare delete r,append t,list u,update x,extract,get n,seek S,sparse G,incremental k,keep-old-files keep-newer-files keep-directory-symlink skip-old-files overwrite U,unlink-first recursive-unlink remove-files W,verify O,to-stdout owner=text group=text mode=text mtime=text clamp-mtime atime-preserve=?text delay-directory-restore m,touch no-same-owner same-owner no-same-permissions p,preserve-permissions,same-permissions preserve-order s,same-order numeric-owner sort=text f,file=text M,multi-volume b,blocking-factor=text B,read-full-records i,ignore-zeros record-size=text H,format=text old-archive,portability pax-option=text posix V,label=text a,auto-compress no-auto-compress j,bzip2 J,xz z,gzip,gunzip,ungzip Z,compress,uncompress zstd lzip lzma lzop one-top-level=?text strip-components=text transform,xform=text C,directory=at exclude=text exclude-from,X=in exclude-vcs exclude-vcs-ignores exclude-backups exclude-caches exclude-tag=text h,dereference hard-dereference N,newer,after-date=text newer-mtime=text one-file-system P,absolute-names recursion no-recursion T,files-from=in null no-null verbatim-files-from wildcards no-wildcards anchored no-anchored ignore-case checkpoint=?text full-time index-file=out l,check-links quote-chars=text quoting-style=text R,block-number show-defaults show-omitted-dirs show-transformed-names,show-stored-names totals=?text utc v,verbose no-verbose-members w,interactive,confirmation warning=text o no-xattrs xattrs no-acls acls no-selinux force-local occurrence=?text backup=?text suffix=text starting-file,K=text ignore-failed-read !checkpoint-action !to-command !F !info-script !new-volume-script !I !use-compress-program !rsh-command !rmt-command !g !listed-incremental !L !tape-length !volno-file !level !test-label !restrict !add-file !ignore-command-error !no-ignore-command-error !options';
const TAR_TABLE: TableGrammar = { names: 'tar gtar', options: TAR, operands: 'text*', more: tarFiles };

const COMPRESS =
  'c,stdout,to-stdout d,decompress,uncompress f,force h,help k,keep l,list n,no-name N,name q,quiet,silent r,recursive S,suffix=text s,small t,test v,verbose V,version z,compress 1,fast 2 3 4 5 6 7 8 9,best e,extreme T,threads=text rsyncable synchronous ultra long=?text 0 format=text F=text no-sparse C,check=text M,memlimit=text o=out rm';

/** Archives and compressed files. */
export const ARCHIVES: readonly Grammar[] = [
  { names: 'tar gtar', read: tar },
  {
    names:
      'gzip gunzip bzip2 bunzip2 pbzip2 pigz xz unxz lzma unlzma zstd unzstd pzstd zstdmt lz4 lz4c unlz4 plzip lbzip2 pixz lzip lzop brotli compress uncompress',
    options: COMPRESS,
    operands: (argv) => (argv.has('r') ? 'taken*' : 'edit*'),
    open: 'write',
    more: besides,
  },
  {
    names: 'zcat bzcat xzcat zstdcat lzcat gzcat',
    options: 'f,force v,verbose q,quiet',
    operands: 'in*',
    reads: true,
    open: 'read',
    more: (_argv, found) =>
      found.starts([
        found.program.startsWith('bz')
          ? 'bzip2'
          : found.program.startsWith('xz') || found.program.startsWith('lz')
            ? 'xz'
            : 'gzip',
        '-cd',
      ]),
  },
  {
    names: 'zip',
    options:
      'r,recurse-paths q,quiet v,verbose j,junk-paths m,move u,update d,delete f,freshen 0 1 2 3 4 5 6 7 8 9 e,encrypt l o X,no-extra y,symlinks x,exclude=text i,include=text n=text P,password=text T,test D,no-dir-entries g,grow !TT !unzip-command !b',
    operands: 'edit tree*',
    exact: true,
    more: (argv, found) => {
      if (argv.has('T')) found.doubt('its test may start a program');
      found.passes(argv.operands.slice(1));
      // It removes what it has packed.
      if (argv.has('m')) for (const file of argv.operands.slice(1)) found.file(file, 'taken');
    },
  },
  {
    names: 'unzip',
    options: 'l p t v z q n o a aa u f j C L X K V W b c d=out x=text P=text :',
    operands: 'in text*',
    exact: true,
    reads: true,
    more: unpacks,
  },
  { names: 'zipinfo', options: 'l m s 1 2 v h t z', operands: 'in*', reads: true, open: 'read' },
  { names: '7z 7za 7zr p7zip', read: (command, found) => sevenZip(command, found) },
  {
    names:
      'bsdtar cpio bsdcpio bsdcat pax ar jar ptar gpgtar gpg-zip tarcat rmt rmt-tar mksquashfs unsquashfs mkisofs genisoimage xorriso xorrisofs growisofs mke2fs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.cramfs mkfs.erofs mkfs.btrfs mkfs.jffs2 mkfs.ubifs genext2fs debugfs e2image e2cp mcp mmv mln mad hardlink funzip unzipsfx unrar rar unar lsar lha arj cabextract xar shar unshar',
    options: 'help',
    operands: 'never*',
    more: (_argv, found) => found.doubt('which files it touches cannot be told'),
  },
];

/** The first word may be a bundle without a dash: `tar xzf a.tgz`. */
function tar({ words }: SimpleCommand, found: Findings) {
  const [first, ...rest] = words;
  if (typeof first !== 'string' || first.startsWith('-') || first === '') return found.readBy(TAR_TABLE, words);
  // In the old form the values of all letters follow in their order.
  const valued = [...first].filter((letter) => 'fbCTXVHNKg'.includes(letter));
  if (!/^[a-zA-Z]+$/.test(first)) return found.doubt('its first word is not known');
  const values = rest.slice(0, valued.length);
  if (values.length < valued.length) return found.doubt('the value of an option is missing');
  const flags = [...first].filter((letter) => !valued.includes(letter)).map((letter) => `-${letter}`);
  const pairs = valued.flatMap((letter, at) => [`-${letter}`, values[at] as Word]);
  found.readBy(TAR_TABLE, [...flags, ...pairs, ...rest.slice(valued.length)]);
}

function tarFiles(argv: Argv, found: Findings) {
  const archive = argv.value('f');
  // A host in front of the name needs a remote shell.
  if (typeof archive === 'string' && /^[^/]*:/.test(archive) && !argv.has('force-local'))
    return found.doubt('its archive is on another host');
  if (argv.has('T')) found.doubt('which files it touches is in another file');
  if (argv.operands.some((word) => typeof word === 'string' && word.startsWith('-')))
    found.doubt('an option may stand among its files');
  const writes = argv.has('c', 'r', 'u', 'A', 'delete');
  if (archive !== undefined) found.file(archive, writes ? 'out' : 'in');
  if (argv.has('t')) return;
  if (writes || argv.has('d')) {
    found.passes(argv.operands);
    for (const file of argv.operands) found.file(file, argv.has('remove-files') ? 'taken' : 'tree');
    return;
  }
  if (argv.has('O')) return;
  // What it writes is named in the archive.
  const isNamed =
    argv.operands.length > 0 && !argv.has('transform', 'P', 'one-top-level', 'strip-components', 'wildcards', 'C');
  if (isNamed) for (const file of argv.operands) found.file(file, 'taken');
  else found.file('.', 'taken');
}

/** The other file is in the same directory as the first. */
function besides(argv: Argv, found: Findings) {
  if (argv.has('r')) for (const file of argv.operands) found.file(file, 'tree');
  if (argv.has('c', 't', 'l')) return;
  for (const file of argv.operands) {
    const parts = typeof file === 'string' ? [file.replace(/\.\w+$/, '')] : file.parts;
    found.file({ parts: [...parts, { any: 'name' }], many: false }, 'out');
  }
}

function unpacks(argv: Argv, found: Findings) {
  if (argv.has('l', 't', 'v', 'z', 'p')) return;
  found.changes();
  found.file(argv.value('d') ?? '.', 'taken');
}

const SEVEN_FLAGS = /^-(?:y|r-?|mx=?\d|t\w+|p\S*|ao[asut]|o\S+|bd|bb\d?|bs[oep]\d)$/;

function sevenZip({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [verb, ...rest] = words;
  const options = rest.filter((word) => typeof word !== 'string' || word.startsWith('-'));
  if (
    typeof verb !== 'string' ||
    !/^[aeltxud]$/.test(verb) ||
    !options.every((word) => typeof word === 'string' && SEVEN_FLAGS.test(word))
  ) {
    return found.doubt('which files it touches cannot be told');
  }
  const [archive, ...files] = rest.filter((word) => !options.includes(word));
  if (files.some((word) => typeof word === 'string' && word.startsWith('@')))
    return found.doubt('which files it touches is in another file');
  if (archive !== undefined) found.file(archive, /^[aud]$/.test(verb) ? 'edit' : 'in');
  for (const file of files) found.file(file, 'tree');
  if (!/^[ex]$/.test(verb)) return;
  const targets = options.flatMap((word) => (typeof word === 'string' && word.startsWith('-o') ? [word.slice(2)] : []));
  for (const target of targets.length === 0 ? ['.'] : targets) found.file(target, 'taken');
}
