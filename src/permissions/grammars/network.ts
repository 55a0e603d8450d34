import type { Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown, onlyText } from './grammar.ts';

const CURL =
  '#,progress-bar 0,http1.0 1,tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tls-max=text 2 3 4,ipv4 6,ipv6 http1.1 http2 http2-prior-knowledge http3 a,append anyauth basic digest negotiate ntlm bearer=text oauth2-bearer=text b,cookie=text c,cookie-jar=out cacert=in capath=in E,cert=in cert-type=text ciphers=text compressed connect-timeout=text connect-to=text C,continue-at=text create-dirs d,data=text data-ascii=text data-binary=text data-raw=text data-urlencode=text json=text url-query=text D,dump-header=out fail-early f,fail fail-with-body F,form=text form-string=text g,globoff G,get H,header=text I,head i,include,show-headers insecure,k interface=text j,junk-session-cookies keepalive-time=text key=in key-type=text limit-rate=text L,location location-trusted max-filesize=text max-redirs=text m,max-time=text M,manual N,no-buffer no-keepalive no-progress-meter noproxy=text o,output=out output-dir=out R,remote-time O,remote-name remote-name-all J,remote-header-name p,proxytunnel post301 post302 post303 x,proxy=text U,proxy-user=text parallel,Z parallel-max=text Q,quote=text r,range=text referer,e=text request,X=text request-target=text resolve=text retry=text retry-all-errors retry-connrefused retry-delay=text retry-max-time=text S,show-error s,silent speed-limit,Y=text speed-time,y=text ssl ssl-reqd stderr=out styled-output no-styled-output tcp-nodelay T,upload-file=in time-cond,z=text trace=out trace-ascii=out trace-time unix-socket=text url=text u,user=text A,user-agent=text v,verbose V,version w,write-out=text xattr next proto=text proto-default=never proto-redir=text disable,q path-as-is aws-sigv4=text !K !config !netrc-file !engine';
/** Values that begin with `@` or `<` name a file. */
const CURL_FILES = /^(?:d|data-ascii|data-binary|data-urlencode|json|url-query|F|H|b|w|proxy-header)$/;

const WGET =
  'V,version b,background q,quiet v,verbose nv,no-verbose i,input-file=never F,force-html B,base=text t,tries=text O,output-document=out nc,no-clobber c,continue start-pos=text progress=text show-progress N,timestamping S,server-response spider T,timeout=text dns-timeout=text connect-timeout=text read-timeout=text w,wait=text waitretry=text random-wait no-proxy Q,quota=text limit-rate=text no-dns-cache 4,inet4-only 6,inet6-only user=text password=text no-iri unlink nd,no-directories x,force-directories nH,no-host-directories cut-dirs=text P,directory-prefix=out default-page=text E,adjust-extension http-user=text http-password=text no-cache no-cookies load-cookies=in save-cookies=out keep-session-cookies ignore-length header=text compression=text max-redirect=text referer=text save-headers U,user-agent=text no-http-keep-alive post-data=text post-file=in method=text body-data=text body-file=in content-disposition no-check-certificate certificate=in private-key=in ca-certificate=in r,recursive l,level=text delete-after k,convert-links K,backup-converted m,mirror p,page-requisites A,accept=text R,reject=text D,domains=text np,no-parent L,relative H,span-hosts o,output-file=out a,append-output=out !e !execute !use-askpass !config !post-file-exec';

/** Settings of ssh that hold a number, a name or a choice. */
const SSH_SETTINGS =
  /^\s*(?:StrictHostKeyChecking|ConnectTimeout|ConnectionAttempts|BatchMode|Port|User|HostName|LogLevel|ServerAliveInterval|ServerAliveCountMax|TCPKeepAlive|Compression|PasswordAuthentication|PubkeyAuthentication|IdentitiesOnly|ForwardAgent|ForwardX11|RequestTTY|AddressFamily|ExitOnForwardFailure|PreferredAuthentications|NumberOfPasswordPrompts|HashKnownHosts|CheckHostIP|GSSAPIAuthentication|KbdInteractiveAuthentication|ProxyJump)\s*[= ]\s*[\w@.,:+-]*\s*$/i;
const SSH =
  '4 6 A a C f G g K k M N n q s T t V v X x Y y B=text b=text c=text D=text e=text I=never i=in J=text L=text l=text m=text O=text o=text p=text Q=text R=text S=text W=text w=text E=out F=never';

/** Programs that talk to other machines. */
export const NETWORK: readonly Grammar[] = [
  { names: 'curl', options: CURL, operands: 'text*', more: curlFiles },
  { names: 'wget', options: WGET, operands: 'text*', more: wgetFiles },
  { names: 'ssh slogin autossh', options: SSH, operands: 'text*', optionsFirst: true, exact: true, more: remoteShell },
  {
    names: 'scp sftp',
    options: '3 4 6 A B C p q r T v O R s c=text i=in J=text l=text o=text P=text X=text !F !S !D !b',
    operands: 'edit*',
    exact: true,
    more: (argv, found) => {
      checkSettings(argv, found);
      if (argv.has('r')) for (const word of argv.operands) found.file(word, 'tree');
      if (found.program === 'sftp') found.doubt('it takes commands from its input');
    },
  },
  {
    names: 'ssh-keygen',
    options: 'q t=text b=text C=text f=out N=text l y e i m=text R=text F=text E=text v a=text P=text p',
    operands: 'text*',
    exact: true,
  },
  { names: 'ssh-keyscan', options: '4 6 c D H v p=text T=text t=text f=in', operands: 'text*', exact: true },
  { names: 'ssh-add', options: 'l L', operands: 'never*', exact: true },
  neverKnown('ssh-copy-id', 'it is a script around other programs'),
  {
    names: 'nc ncat netcat',
    options: '4 6 d h k l n r t u v z N w=text i=text p=text q=text s=text W=text !e !c !exec !sh-exec',
    operands: 'text*',
    exact: true,
  },
  { names: 'hostname', options: 's,short f,fqdn,long i,ip-address I,all-ip-addresses d,domain', reads: true },
  onlyText('ping ping6 traceroute tracepath host whois ifconfig netstat route'),
  {
    names: 'dig nslookup',
    options:
      '4 6 m r v b=text c=text f=in k=in p=text q=text t=text x=text y=text h type=text query=text port=text timeout=text debug nodebug',
    operands: 'text*',
    oneDash: true,
    more: (argv, found) => {
      const isAsked = found.program === 'dig' || argv.operands.length > 0;
      if (!isAsked) found.doubt('it takes commands from its input');
    },
  },
  {
    names: 'ss',
    options:
      'h,help V,version n,numeric r,resolve a,all l,listening o,options e,extended m,memory p,processes T,threads i,info tipcinfo s,summary tos cgroup b,bpf E,events^ Z,context z,contexts 4,ipv4 6,ipv6 0,packet t,tcp M,mptcp S,sctp u,udp d,dccp w,raw x,unix tipc vsock xdp f,family=text H,no-header O,oneline inet-sockopt A,query,socket=text D,diag=out F,filter=in',
    operands: 'text*',
    reads: true,
  },
  {
    names: 'arp',
    options: 'a e v,verbose n,numeric i,device=text d,delete D,use-device A,p,protocol=text H=text s,set f,file=in',
    operands: 'text*',
    more: (argv, found) => (argv.has('f') ? found.doubt('what it does is in a file') : undefined),
  },
  neverKnown('mtr nmap nping ndiff zenmap masscan', 'which files it opens and which scripts it runs cannot be told'),
  {
    names:
      'telnet ftp lftp tftp rsh rlogin rexec socat openssl gpg gpg2 gpgv aria2c axel http https xh httpie lynx links w3m elinks gcloud gsutil az rclone s3cmd mc restic borg',
    options: 'help',
    operands: 'never*',
    more: (_argv, found) => found.doubt('which commands it starts and which files it opens cannot be told'),
  },
  neverKnown(
    'tcpdump tshark wireshark inetd xinetd nginx httpd apache2 caddy',
    'it may start a program for what it gets',
  ),
];

function curlFiles(argv: Argv, found: Findings) {
  for (const { name, value } of argv.given) {
    if (value === undefined) continue;
    if (CURL_FILES.test(name)) attached(value, name, found);
    if (name === 'o' && typeof value === 'string' && value.includes('#'))
      found.doubt('which file it writes cannot be told');
    // It finds names by patterns of its own, reads addresses from a file, and writes where a format says.
    if (name === 'T' && typeof value === 'string' && /[[{]/.test(value))
      found.doubt('which files it sends cannot be told');
    if (name === 'url' && typeof value === 'string' && value.startsWith('@'))
      found.doubt('its addresses are in another file');
    if (name === 'w' && (typeof value !== 'string' || value.includes('output{')))
      found.doubt('which file it writes cannot be told');
  }
  for (const word of [...argv.operands, argv.value('url') ?? '']) fileAddress(word, found);
  const directory = argv.value('output-dir');
  if (directory !== undefined) found.file(directory, 'taken');
  // The name comes from the address, or from the server.
  if (argv.has('J')) found.file({ parts: [{ any: 'name' }], many: false }, 'out');
  if (argv.has('O', 'remote-name-all')) for (const word of argv.operands) found.file(lastName(word), 'out');
  if (argv.operands.some((word) => typeof word === 'string' && /[{[]/.test(word) && !argv.has('g')))
    found.doubt('which addresses it takes cannot be told');
}

/** `@file`, `name@file`, `field=@file`, `field=<file`; a cookie without `=` is a file. */
function attached(value: Word, name: string, found: Findings) {
  if (typeof value !== 'string') {
    const [start] = value.parts;
    if (typeof start !== 'string' || /[@<]/.test(start) || name === 'b')
      found.file({ parts: [{ any: 'text' }], many: false }, 'in');
    return;
  }
  if (name === 'b' && !value.includes('=')) found.file(value, 'in');
  for (const [at, char] of [...value].entries()) {
    if (char !== '@' && char !== '<') continue;
    const path = value.slice(at + 1);
    found.file(path, 'in');
    for (const piece of path.split(/[,;"]/)) if (piece !== path && piece !== '') found.file(piece, 'in');
  }
}

function fileAddress(word: Word, found: Findings) {
  const text = typeof word === 'string' ? word : word.parts.filter((part) => typeof part === 'string').join('');
  if (!/file:/i.test(text)) return;
  const [, path = ''] = /^file:\/*([^?#]*)/i.exec(text) ?? [];
  const isPlain = typeof word === 'string' && path !== '' && !/[%{[]/.test(path);
  if (isPlain) found.file(`/${path}`, 'in');
  else found.file({ parts: [{ any: 'text' }], many: false }, 'in');
}

function lastName(word: Word): Word {
  return typeof word === 'string'
    ? (/([^/?#]*)(?:[?#].*)?$/s.exec(word)?.[1] ?? '')
    : { parts: [{ any: 'name' }], many: false };
}

function wgetFiles(argv: Argv, found: Findings) {
  if (argv.has('O')) return;
  if (argv.has('P', 'r', 'm', 'p', 'x', 'content-disposition')) found.file(argv.value('P') ?? '.', 'taken');
  else for (const word of argv.operands) found.file(lastName(word), 'out');
}

function checkSettings(argv: Argv, found: Findings) {
  const jump = argv.value('J');
  if (jump !== undefined && !(typeof jump === 'string' && /^(?!-)[\w@.,:[\]-]+$/.test(jump)))
    found.doubt('the host between cannot be told');
  const isPlain = ({ value }: { value: Word | undefined }) => typeof value === 'string' && SSH_SETTINGS.test(value);
  if (!argv.given.filter(({ name }) => name === 'o').every(isPlain))
    found.doubt('it is given a setting that can run commands');
  if (argv.given.some(({ value }) => typeof value === 'string' && value.includes('%')))
    found.doubt('a value of it is filled in');
}

/** The words after the host are code for a shell over there. */
function remoteShell(argv: Argv, found: Findings) {
  checkSettings(argv, found);
  const [host, ...words] = argv.operands;
  // Options may stand behind the host, too.
  if (words.length > 0 && (typeof words[0] !== 'string' || words[0].startsWith('-')))
    return found.doubt('its options are not known');
  if (host === undefined) return;
  if (words.length === 0) {
    if (!argv.has('N', 'G', 'Q', 'V')) found.doubt('it starts a shell');
    return;
  }
  const texts = words.filter((word) => typeof word === 'string');
  if (texts.length < words.length) found.doubt('it runs code that is not known beforehand');
  else found.code(texts.join(' '));
}
