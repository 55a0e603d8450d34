import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { isHarmlessAwk } from './awk-code.ts';
import { type Argv, type Findings, type Grammar, neverKnown, type OptionUse, type TableGrammar } from './grammar.ts';
import { readSedCode } from './sed-code.ts';

/** A program that reads the files which its operands name, and prints. */
function reader(names: string, options: string, more: Partial<TableGrammar> = {}): TableGrammar {
  return { names, options, operands: 'in*', reads: true, open: 'read', ...more };
}

const GREP =
  'E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp=text f,file=in i,ignore-case y no-ignore-case v,invert-match w,word-regexp x,line-regexp c,count color=?text colour=?text L,files-without-match l,files-with-matches m,max-count=text o,only-matching q,quiet,silent s,no-messages b,byte-offset H,with-filename h,no-filename label=text n,line-number T,initial-tab Z,null A,after-context=text B,before-context=text C,context=text a,text binary-files=text D,devices=text d,directories=text exclude=text exclude-from=in exclude-dir=text I include=text r,recursive R,dereference-recursive^ line-buffered^ U,binary z,null-data group-separator=text no-group-separator';

/** The pattern is the first operand unless an option gives it. */
const patternThen = (files: string) => (argv: Argv) =>
  argv.has('e', 'f', 'files', 'type-list') ? files : `text ${files}`;
const isRecursive = (argv: Argv) => argv.has('r', 'R') || argv.value('d') === 'recurse';

const RG =
  'e,regexp=text f,file=in A,after-context=text B,before-context=text C,context=text c,count count-matches color=text colors=text column no-column context-separator=text crlf d,max-depth=text maxdepth=text E,encoding=text F,fixed-strings files l,files-with-matches files-without-match L,follow^ g,glob=text iglob=text glob-case-insensitive heading no-heading hidden . i,ignore-case ignore-file=in I,no-filename H,with-filename include-zero v,invert-match json n,line-number N,no-line-number x,line-regexp M,max-columns=text m,max-count=text max-filesize=text multiline U multiline-dotall no-config no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot no-ignore-global no-ignore-exclude no-messages no-mmap mmap null 0 null-data o,only-matching one-file-system passthru P,pcre2 path-separator=text p,pretty q,quiet r,replace=text S,smart-case s,case-sensitive sort=text sortr=text stats a,text j,threads=text trim t,type=text T,type-not=text type-list u,unrestricted V,version vimgrep w,word-regexp b,byte-offset no-pcre2 no-unicode stop-on-nonmatch block-buffered line-buffered !pre !pre-glob !hostname-bin !z,search-zip';

/** Programs that take text apart. */
export const TEXT_TOOLS: readonly Grammar[] = [
  reader(
    'cat gcat',
    'A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting',
  ),
  reader('tac', 'b,before r,regex s,separator=text'),
  reader('rev', ''),
  reader(
    'nl',
    'b,body-numbering=text d,section-delimiter=text f,footer-numbering=text h,header-numbering=text i,line-increment=text l,join-blank-lines=text n,number-format=text p,no-renumber s,number-separator=text v,starting-line-number=text w,number-width=text',
  ),
  reader('head ghead', 'c,bytes=text n,lines=text q,quiet,silent v,verbose z,zero-terminated', { counts: '-' }),
  reader(
    'tail gtail',
    'c,bytes=text n,lines=text q,quiet,silent v,verbose z,zero-terminated f^ F^ follow=?text^ retry^ pid=text^ s,sleep-interval=text^ max-unchanged-stats=text^',
    { counts: '-+' },
  ),
  reader('wc gwc', 'c,bytes m,chars l,lines w,words L,max-line-length total=text files0-from=never'),
  reader(
    'cut gcut',
    'b,bytes=text c,characters=text d,delimiter=text f,fields=text n complement s,only-delimited output-delimiter=text z,zero-terminated',
  ),
  reader('paste', 'd,delimiters=text s,serial z,zero-terminated'),
  reader(
    'join',
    'a=text e=text i,ignore-case j=text o=text t=text v=text 1=text 2=text check-order nocheck-order header z,zero-terminated',
  ),
  reader('comm', '1 2 3 check-order nocheck-order output-delimiter=text total z,zero-terminated'),
  {
    names: 'tr gtr',
    options: 'c,C,complement d,delete s,squeeze-repeats t,truncate-set1',
    operands: 'text text',
    reads: true,
    open: 'nothing',
    optionsFirst: true,
  },
  reader('fold', 'b,bytes s,spaces w,width=text c,characters', { counts: '-' }),
  reader(
    'fmt',
    'c,crown-margin p,prefix=text s,split-only t,tagged-paragraph u,uniform-spacing w,width=text g,goal=text',
    { counts: '-' },
  ),
  reader('expand unexpand', 'i,initial t,tabs=text a,all first-only', { counts: '-' }),
  reader(
    'column',
    't,table s,separator=text o,output-separator=text c,output-width=text x,fillrows n,table-name=text N,table-columns=text R,table-right=text H,table-hide=text J,json e,table-header-repeat L,keep-empty-lines',
  ),
  reader(
    'od hexdump hd',
    'A,address-radix=text j,skip-bytes=text N,read-bytes=text t,format=text v,output-duplicates w,width=?text a b c d f i l o s x C n=text e=text S,strings=?text endian=text f=in',
  ),
  {
    names: 'xxd',
    options: 'a b c=text C E e g=text h i l=text o=text p P q R=text r^ s=text u v',
    operands: 'in out',
    open: 'write',
    reads: true,
    optionsFirst: true,
  },
  reader(
    'strings',
    'a,all f,print-file-name n,bytes=text t,radix=text o e,encoding=text w,include-all-whitespace s,output-separator=text d,data',
    { counts: '-' },
  ),
  reader(
    'base64 base32 basenc gbase64',
    'd,decode i,ignore-garbage w,wrap=text base64 base64url base32 base32hex base16 base2msbf base2lsbf z85 D',
    { operands: 'in' },
  ),
  reader(
    'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum gmd5sum',
    'b,binary c,check^ l,length=text tag t,text z,zero ignore-missing quiet status strict w,warn',
  ),
  reader(
    'shasum',
    'a,algorithm=text b,binary c,check^ t,text U,UNIVERSAL 0,01 q,quiet s,status w,warn ignore-missing tag',
  ),
  reader('md5', 'q r n'),
  reader(
    'cksum gcksum',
    'a,algorithm=text base64 c,check^ l,length=text raw tag untagged z,zero ignore-missing quiet status strict w,warn debug',
  ),
  reader('sum', 'r s,sysv'),
  {
    names: 'sort gsort',
    options:
      'b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort i,ignore-nonprinting M,month-sort h,human-numeric-sort n,numeric-sort R,random-sort r,reverse V,version-sort sort=text c,check=?text C k,key=text m,merge batch-size=text o,output=out s,stable S,buffer-size=text t,field-separator=text T,temporary-directory=out parallel=text u,unique z,zero-terminated debug !compress-program random-source=in^ files0-from=never',
    operands: 'in*',
    reads: true,
  },
  // An option after an operand is the name of a file that is written, where options end at the first operand.
  {
    names: 'uniq',
    options:
      'c,count d,repeated D all-repeated=?text f,skip-fields=text group=?text i,ignore-case s,skip-chars=text u,unique z,zero-terminated w,check-chars=text',
    operands: 'in out',
    open: 'write',
    reads: true,
    optionsFirst: true,
  },
  reader(
    'shuf',
    'e,echo^ i,input-range=text n,head-count=text o,output=out random-source=in^ r,repeat z,zero-terminated',
    { open: 'write' },
  ),
  reader('tsort look ul colrm colcrt col', 'b f p x i=text d a t=text n=text'),
  reader('iconv', 'f,from-code=in t,to-code=in l,list c o,output=out s,silent verbose', { open: 'write' }),
  reader('grep egrep fgrep ggrep', GREP, {
    operands: (argv) => patternThen(isRecursive(argv) ? 'tree*' : 'in*')(argv),
    counts: '-',
    more: (argv, found) => {
      const files = argv.has('e', 'f') ? argv.operands : argv.operands.slice(1);
      if (isRecursive(argv) && files.length === 0) found.file('.', 'tree');
      // These are scripts around it.
      if (/^[ef]grep$/.test(found.program)) found.starts(['grep', ...found.command.words]);
    },
  }),
  { names: 'rg', options: RG, operands: patternThen('tree*'), reads: true, exact: true, more: walksHere },
  {
    names: 'ag ack',
    options:
      'i,ignore-case s,case-sensitive S,smart-case w,word-regexp Q,literal l,files-with-matches L,files-without-matches c,count n,norecurse H,heading A,after=text B,before=text C,context=text v,invert-match o,only-matching nocolor color=?text nogroup group column hidden r,recurse G=text g ignore=text ignore-dir=text depth=text a,all-types m,max-count=text nofilter',
    operands: 'text tree*',
    reads: true,
    exact: true,
    more: walksHere,
  },
  {
    names: 'diff colordiff gdiff',
    options:
      'normal q,brief s,report-identical-files c C,context=text u U,unified=?text e,ed n,rcs y,side-by-side W,width=text left-column suppress-common-lines p,show-c-function F,show-function-line=text label=text t,expand-tabs T,initial-tab tabsize=text suppress-blank-empty r,recursive no-dereference N,new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case x,exclude=text X,exclude-from=in S,starting-file=text i,ignore-case E,ignore-tab-expansion Z,ignore-trailing-space b,ignore-space-change w,ignore-all-space B,ignore-blank-lines I,ignore-matching-lines=text a,text strip-trailing-cr binary D,ifdef=text d,minimal horizon-lines=text speed-large-files color=?text palette=text',
    operands: 'tree tree',
    reads: true,
    open: 'read',
    counts: '-',
  },
  reader('cmp', 'b,print-bytes i,ignore-initial=text l,verbose n,bytes=text s,quiet,silent', {
    operands: 'in in text*',
  }),
  reader(
    'diff3',
    '3 A,show-all a,text E,show-overlap e,ed i L,label=text m,merge T,initial-tab x,overlap-only X strip-trailing-cr',
  ),
  {
    names: 'sdiff',
    options:
      'i,ignore-case s,suppress-common-lines l,left-column w,width=text o,output=never a,text b,ignore-space-change W,ignore-all-space B,ignore-blank-lines d,minimal',
    operands: 'in in',
    reads: true,
    open: 'write',
    more: (_argv, found) => found.starts(['diff', ...found.command.words]),
  },
  {
    names: 'jq gojq jaq',
    options:
      'c,compact-output r,raw-output raw-output0 R,raw-input s,slurp n,null-input j,join-output a,ascii-output C,color-output M,monochrome-output S,sort-keys e,exit-status tab indent=text unbuffered stream stream-errors seq V,version arg=text argjson=text args jsonargs f,from-file=in',
    operands: (argv) => (argv.has('f') ? 'in*' : 'text in*'),
    exact: true,
    reads: true,
    open: 'read',
    more: jqFilter,
  },
  {
    names: 'yq xq tomlq',
    options:
      'r,raw-output R c,compact-output P,prettyPrint j,tojson n,null-input e,exit-status s,slurp S,sort-keys o,output-format=text p,input-format=text I,indent=text N,no-doc M,no-colors C,colors y,yaml-output Y v,verbose V,version unwrapScalar=text i,inplace^ xml-output',
    operands: (argv) => {
      const files = argv.has('i') ? 'edit*' : 'in*';
      return /^e(?:val)?(?:-all)?$|^ea$/.test(String(argv.operands[0])) ? `text text ${files}` : `text ${files}`;
    },
    exact: true,
    more: (argv, found) => {
      const mayLoad = (word: Word) => typeof word !== 'string' || /load|include|import|env|strenv|system/.test(word);
      found.starts(['jq']);
      if (argv.operands.slice(0, 2).some(mayLoad)) found.doubt('its filter may take in other files');
    },
  },
  {
    names: 'sed gsed',
    options:
      'n,quiet,silent debug e,expression=text f,file=script E,r,regexp-extended i,in-place=?text l,line-length=text posix s,separate sandbox u,unbuffered z,null-data b,binary follow-symlinks^',
    operands: 'text*',
    reads: true,
    more: sedScript,
  },
  // Another format than JSON may be code of Perl.
  {
    names: 'json_pp json_xs',
    options: 'v V f=text t=text json_opt=text',
    operands: 'never*',
    oneDash: true,
    reads: true,
    more: (argv, found) => {
      const isJson = ({ value }: OptionUse) => typeof value === 'string' && /^(?:json|null|dumper|none)$/.test(value);
      if (!argv.given.filter(({ name }) => name === 'f' || name === 't').every(isJson))
        found.doubt('it may take its input for code');
    },
  },
  reader(
    'pr',
    'a,across c,show-control-chars d,double-space D,date-format=text e,expand-tabs=?text F f,form-feed h,header=text i,output-tabs=?text J,join-lines l,length=text m,merge n,number-lines=?text N,first-line-number=text o,indent=text r,no-file-warnings s,separator=?text S,sep-string=?text t,omit-header T,omit-pagination v,show-nonprinting w,width=text W,page-width=text',
    { counts: '-+' },
  ),
  neverKnown('ptx', 'its second file may be its output'),
  neverKnown('cg_annotate callgrind_annotate ms_print', 'it shows files that its input names'),
  neverKnown(
    'zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep lzgrep lzegrep lzfgrep zstdgrep zipgrep ptargrep rgrep zdiff zcmp bzdiff bzcmp xzdiff xzcmp lzdiff lzcmp zmore bzmore xzmore lzmore zless bzless xzless lzless zstdless lessfile lesspipe gzexe bzexe znew zforce',
    'it is a script around other programs',
  ),
  { names: 'awk gawk mawk nawk original-awk', read: awk },
];

/** A search that names no path walks the current directory. */
function walksHere(argv: Argv, found: Findings) {
  const paths = argv.has('e', 'f', 'files') ? argv.operands : argv.operands.slice(1);
  if (paths.length === 0) found.file('.', 'tree');
}

/** `--arg name value` takes two words. A filter may include files. */
function jqFilter(argv: Argv, found: Findings) {
  const pairs = argv.given.filter(({ name }) => name === 'arg' || name === 'argjson').length;
  if (pairs > 0) for (const word of argv.operands) found.file(word, 'in');
  const filters = pairs > 0 ? argv.operands : argv.operands.slice(0, 1);
  if (argv.has('f')) return;
  // Both stand at the beginning of a filter.
  const mayInclude = (word: Word) => {
    const start = typeof word === 'string' ? word : word.parts[0];
    return typeof start !== 'string' || start === '' || /(?:^|[^.\w"$])(?:include|import)\b/.test(start);
  };
  if (filters.some(mayInclude)) found.doubt('its filter may take in other files');
  if (filters.some((word) => typeof word !== 'string')) found.changes();
}

/** Of `-i` the suffix names a further file. Some versions take it from the next word. */
function sedScript(argv: Argv, found: Findings) {
  const isInPlace = argv.has('i');
  const given = argv.given.flatMap(({ name, value }) => (name === 'e' && value !== undefined ? [value] : []));
  const hasCode = given.length > 0 || argv.has('f');
  const [first, ...others] = argv.operands;
  const isEmptySuffix = isInPlace && first === '' && !hasCode;
  const code = hasCode ? given : isEmptySuffix ? others.slice(0, 1) : first === undefined ? [] : [first];
  const files = hasCode ? argv.operands : isEmptySuffix ? others.slice(1) : others;
  const texts = code.filter((word) => typeof word === 'string');
  if (texts.length < code.length || !readSedCode(texts.join('\n'), found))
    found.doubt('its script is not read with certainty');
  for (const file of files) found.file(file, isInPlace ? 'edit' : 'in');
  if (!isInPlace) return;
  found.changes();
  for (const { name, value: suffix } of argv.given) {
    if (name !== 'i' || suffix === undefined) continue;
    if (typeof suffix !== 'string' || /[/*]/.test(suffix))
      return found.doubt('where it keeps the old files cannot be told');
    for (const file of files) if (typeof file === 'string') found.file(`${file}${suffix}`, 'out');
  }
}

/** Its options are few; the longer ones of single versions are not known. */
function awk({ words }: SimpleCommand, found: Findings) {
  const operands: Word[] = [];
  let hasFile = false;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as Word;
    const text = typeof word === 'string' ? word : typeof word.parts[0] === 'string' && !word.many ? word.parts[0] : '';
    if (text === '--') {
      at++;
      break;
    }
    if (text === '-f') {
      hasFile = true;
      const file = words[++at];
      if (typeof file !== 'string') return found.doubt('which program it would run cannot be told');
      if (/^(?:-|\/dev\/.*)$/.test(file)) return found.doubt('it takes its program from its input');
      found.file(file, 'script');
    } else if (text === '-F' || text === '-v') at++;
    else if (!/^-[Fv]./.test(text)) break;
  }
  operands.push(...words.slice(at));
  const [program, ...rest] = hasFile ? ['', ...operands] : operands;
  if (program === '--version') return;
  if (program === undefined || (typeof program === 'string' && program.startsWith('-'))) {
    return found.doubt('its options are not known');
  }
  if (typeof program !== 'string' || !isHarmlessAwk(program))
    found.doubt('its program may start others, or open files');
  for (const file of rest) {
    const isAssignment = typeof file === 'string' && /^[A-Za-z_]\w*=/.test(file);
    if (!isAssignment) found.file(file, 'in');
  }
}
