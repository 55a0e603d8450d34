import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { type Findings, type Grammar, neverKnown, onlyText } from './grammar.ts';

/** Programs that tell about the machine, its users and its processes, and those that do a little more. */
export const SYSTEM_TOOLS: readonly Grammar[] = [
  onlyText(
    'sleep seq expr factor arch nproc whoami groups logname tty users who w uptime free vmstat iostat mpstat lscpu lsmem lspci lsusb lsmod hostid getconf locale tput clear cal ncal lsb_release sw_vers uname id which whereis whatprovides numfmt',
    { reads: true },
  ),
  onlyText(
    'kill killall pkill pgrep pidof pidwait skill snice renice logger wall write mesg stty tset setterm yes sysctl dmesg last lastb lslogins timedatectl localectl hostnamectl ulimit nologin usleep fuser lsof pmap pwdx slabtop tload',
  ),
  { names: 'ps', read: (command, found) => textWords(command, found) },
  { names: 'printenv', options: '0,null', operands: 'text*', open: 'nothing' },
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
    'init shutdown reboot halt poweroff telinit service invoke-rc.d update-rc.d rc-service initctl loginctl machinectl systemd-nspawn systemd-analyze journalctl coredumpctl busctl udevadm ldconfig update-alternatives',
    'what it starts or changes cannot be told',
  ),
  neverKnown(
    'sqlite3 sqlite psql mysql mariadb mysqldump pg_dump pg_restore mongosh mongo redis-cli cqlsh clickhouse-client duckdb sqlcmd bq influx',
    'it runs commands of its own language, some of which start programs or open files',
  ),
  neverKnown(
    'ffmpeg ffprobe convert magick mogrify identify gs gimp inkscape pdftk pandoc latex pdflatex xelatex lualatex tex luatex bibtex latexmk dot graphviz soffice libreoffice wkhtmltopdf exiftool',
    'it can start programs or open files by its words and files',
  ),
];

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
