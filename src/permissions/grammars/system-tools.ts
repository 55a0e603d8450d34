import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { type Findings, type Grammar, neverKnown, onlyText } from './grammar.ts';

/** Programs that tell about the machine, its users and its processes, and those that do a little more. */
export const SYSTEM_TOOLS: readonly Grammar[] = [
  onlyText(
    'sleep seq expr factor arch nproc whoami groups logname tty w uptime free vmstat iostat mpstat lscpu lsmem lspci lsusb lsmod hostid getconf locale tput clear cal ncal lsb_release sw_vers uname id which whereis whatprovides numfmt',
    { reads: true },
  ),
  onlyText(
    'kill killall pkill pidof pidwait skill snice renice write mesg stty yes ulimit nologin usleep fuser pwdx slabtop',
  ),
  {
    names: 'pgrep',
    options:
      'd,delimiter=text l,list-name a,list-full v,inverse w,lightweight c,count f,full g,pgroup=text G,group=text i,ignore-case n,newest o,oldest O,older=text P,parent=text s,session=text t,terminal=text u,euid=text U,uid=text x,exact F,pidfile=in L,logpidfile r,runstates=text A,ignore-ancestors cgroup=text ns=text nslist=text signal=text',
    operands: 'text*',
    reads: true,
    open: 'read',
  },
  {
    names: 'lsof',
    options:
      '? h a b C K=?text l n N O P R t U v V c=text d=text e=text F=?text g=?text i=?text o=?text p=text s=?text S=?text T=?text u=text w x=?text',
    operands: 'text*',
    exact: true,
    reads: true,
    open: 'read',
  },
  {
    names: 'pmap',
    options:
      'x,extended X d,device q,quiet p,show-path A,range=text c,read-rc C,read-rc-from=in n,create-rc N,create-rc-to=out h,help V,version',
    operands: 'text*',
  },
  {
    names: 'who users',
    options:
      'a,all b,boot d,dead H,heading l,login lookup m p,process q,count r,runlevel s,short t,time T,w,mesg u,users',
    operands: 'in*',
    reads: true,
  },
  {
    names: 'logger',
    options:
      'i id=?text f,file=in e,skip-empty no-act p,priority=text octet-count prio-prefix s,stderr S,size=text t,tag=text n,server=text P,port=text T,tcp d,udp rfc3164 rfc5424=?text msgid=text',
    operands: 'text*',
  },
  { names: 'wall', options: 'g,group=text n,nobanner t,timeout=text', operands: 'in*' },
  {
    names: 'dmesg',
    options:
      'C,clear c,read-clear D,console-off E,console-on F,file=in f,facility=text H,human J,json k,kernel L,color=?text l,level=text n,console-level=text P,nopager p,force-prefix r,raw noescape S,syslog s,buffer-size=text u,userspace w,follow W,follow-new x,decode d,show-delta e,reltime T,ctime t,notime time-format=text since=text until=text h,help V,version',
  },
  // What it sets may name a program that the kernel starts.
  {
    names: 'sysctl',
    options: 'a,all A X deprecated b,binary e,ignore N,names n,values r,pattern=text q,quiet',
    operands: 'text*',
    more: (argv, found) => {
      const sets = argv.operands.some((word) => typeof word !== 'string' || word.includes('='));
      if (sets) found.doubt('what it changes cannot be told');
    },
  },
  {
    names: 'last lastb lslogins',
    options:
      'a,hostlast d,dns f,file=in F,fulltimes i,ip n,limit=text R,nohostname s,since=text t,until=text p,present w,fullnames x,system time-format=text c,colon-separate e,export g,groups=text l,logins=text o,output=text u,user-accs',
    operands: 'text*',
    counts: '-',
  },
  {
    names: 'timedatectl localectl hostnamectl',
    options:
      'no-pager no-ask-password a,all p,property=text value monitor static transient pretty json=text l,full no-convert',
    operands: 'text*',
  },
  neverKnown('setterm tset reset tload', 'which files it opens cannot be told'),
  { names: 'ps', read: (command, found) => textWords(command, found) },
  {
    names: 'printenv',
    options: '0,null',
    operands: 'text*',
    open: 'nothing',
    reads: true,
    // Others may hold a secret.
    more: ({ operands }, found) => {
      if (operands.length === 0 || !operands.every((word) => typeof word === 'string' && SHOWN.test(word)))
        found.changes();
    },
  },
  { names: 'date gdate', read: date },
  {
    names: 'dircolors',
    options: 'b,sh,bourne-shell c,csh,c-shell p,print-database print-ls-colors',
    operands: 'in',
    reads: true,
  },
  {
    names: 'ldd nm objdump readelf size addr2line c++filt',
    options:
      'v,verbose u,unused d,data-relocs D,dynamic g,extern-only C,demangle=?text a,all h,headers section-headers S s,symbols l t,syms x f p r R T',
    operands: 'in*',
    more: (_argv, found) =>
      found.program === 'ldd' ? found.doubt('it may run the program that it looks at') : undefined,
  },
  {
    names:
      'mount umount losetup swapon swapoff mkfs fsck fdisk parted dmsetup cryptsetup lvm insmod modprobe rmmod kexec pivot_root switch_root',
    options: 'help',
    operands: 'never*',
    more: (_argv, found) => found.doubt('what it changes cannot be told'),
  },
  {
    names: 'useradd usermod userdel groupadd groupmod groupdel passwd chpasswd chsh chfn adduser deluser',
    options: 'help',
    operands: 'never*',
    more: (_argv, found) => found.doubt('what it changes cannot be told'),
  },
  neverKnown(
    'init shutdown reboot halt poweroff telinit service invoke-rc.d update-rc.d rc-service initctl loginctl machinectl systemd-nspawn systemd-analyze systemd-tmpfiles systemd-sysusers systemd-repart systemd-firstboot gpg-connect-agent xauth journalctl coredumpctl busctl udevadm ldconfig update-alternatives',
    'what it starts or changes cannot be told',
  ),
  neverKnown(
    'sqlite3 sqlite psql postgres initdb mysql mariadb mysqldump pg_dump pg_dumpall pg_restore pg_basebackup mongosh mongo redis-cli cqlsh clickhouse-client duckdb sqlcmd bq influx',
    'it runs commands of its own language, some of which start programs or open files',
  ),
  neverKnown(
    'ffmpeg ffprobe convert magick mogrify identify gs gimp inkscape pdftk pandoc groff troff nroff ditroff soelim pic gpic eqn geqn neqn tbl gtbl grn grap refer lookbib indxbib grog grops grotty catman mandb zsoelim preconv rpcgen latex pdflatex xelatex lualatex tex luatex bibtex latexmk dot graphviz soffice libreoffice wkhtmltopdf exiftool',
    'it can start programs or open files by its words and files',
  ),
];

/** Variables that tell about the place, and about no one's secrets. */
const SHOWN =
  /^(?:PATH|HOME|PWD|OLDPWD|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|TZ|CI|NODE_ENV|EDITOR|VIRTUAL_ENV|GOPATH|JAVA_HOME)$/;

/** Old options stand without a dash; nothing that it takes opens a file. */
function textWords({ words }: SimpleCommand, found: Findings) {
  if (!words.every((word) => typeof word === 'string')) found.changes();
}

const DATE_OPTIONS =
  /^(?:-u|-R|--utc|--universal|--rfc-email|--rfc-3339=[a-z]+|-I[a-z]*|--iso-8601(?:=[a-z]+)?|--date=.*|-d.+|--debug|--resolution)$/s;

/** An operand without a plus sign sets the clock. */
function date({ words }: SimpleCommand, found: Findings) {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    const text = typeof word === 'string' ? word : typeof word.parts[0] === 'string' ? word.parts[0] : '';
    const [, option, attached] = /^(-[rf]|--(?:reference|file)=)(.+)$/s.exec(text) ?? [];
    if (text === '-d' || text === '--date') at++;
    else if (option !== undefined && attached !== undefined) {
      found.file(typeof word === 'string' ? attached : { parts: [{ any: 'text' }], many: false }, 'in');
      if (/f/.test(option.slice(0, 3))) found.changes();
    } else if (/^(?:-[rf]|--(?:reference|file))$/.test(text)) {
      found.file(words[++at] ?? '', 'in');
      if (text.includes('f')) found.changes();
    } else if (!text.startsWith('+') && !DATE_OPTIONS.test(text)) {
      found.changes();
      if (text.startsWith('-')) found.doubt('its options are not known');
    }
  }
}
