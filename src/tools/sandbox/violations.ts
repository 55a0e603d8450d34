import type { SandboxRules } from './sandbox-settings.ts';

/** Facts about a command that may have met the limits of the sandbox. */
export interface Evidence {
  command: string;
  stderr: string;
  /** Hosts that the proxy has refused meanwhile. */
  refusedHosts: readonly string[];
}

export interface Walls {
  writable: readonly string[];
  /** A clause about the network. */
  network: string;
  /** True when the model may ask to run a command outside. */
  mayLeave: boolean;
}

/** Messages of programs that could not write; some of them have other causes as well. */
const FILE = /Read-only file system|EROFS|Device or resource busy|EBUSY|Permission denied|EACCES|not permitted|EPERM/;
const NETWORK =
  /[Cc]ould not resolve|resolve host|name resolution|Name or service not known|ENOTFOUND|EAI_AGAIN|[Nn]etwork is unreachable|ENETUNREACH|response 403|403 Forbidden/;

/** A note for the model about errors of a command that the sandbox may have caused; empty without such errors. */
export function explainViolations(evidence: Evidence, ignored: SandboxRules['ignoreViolations'], walls: Walls): string {
  const isIgnored = (kind: 'file' | 'network', text: string) =>
    Object.entries(ignored).some(
      ([key, texts]) => (key === kind || isAbout(key, evidence.command)) && texts.some((each) => mentions(text, each)),
    );
  const lines = evidence.stderr.split('\n');
  if (lines.some((line) => line.startsWith('bwrap: '))) {
    return '[The sandbox could not be set up, so the command has not run.]';
  }
  const file = lines.some((line) => FILE.test(line) && !isIgnored('file', line));
  const refused = evidence.refusedHosts.filter((host) => !isIgnored('network', host));
  const network = refused.length > 0 || lines.some((line) => NETWORK.test(line) && !isIgnored('network', line));
  if (!file && !network) return '';
  const parts = [
    'The command ran in a sandbox, which may be why it failed.',
    ...(file
      ? [
          `It can write only below ${walls.writable.join(', ')} and /tmp, except to what configures git, a shell or this program.`,
        ]
      : []),
    ...(network ? [`${capitalised(walls.network)}.`] : []),
    ...(refused.length > 0 ? [`The proxy refused: ${refused.join(', ')}.`] : []),
    ...(walls.mayLeave ? ['With dangerouslyDisableSandbox the user is asked to let it run outside.'] : []),
  ];
  return `[${parts.join(' ')}]`;
}

/** `*` means every command; others are the words it begins with. */
function isAbout(key: string, command: string): boolean {
  if (key === 'file' || key === 'network') return false;
  const words = key.replace(/(:\*| \*)$/, '');
  const text = command.trim();
  return key === '*' || text === words || text.startsWith(`${words} `);
}

/** `*` stands for any text. */
function mentions(text: string, pattern: string): boolean {
  const pieces = pattern.split('*').filter(Boolean);
  let at = 0;
  return pieces.every((piece) => {
    const found = text.indexOf(piece, at);
    at = found + piece.length;
    return found !== -1;
  });
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
