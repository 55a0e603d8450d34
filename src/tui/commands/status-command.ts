import { stringField } from '../../util/json.ts';
import type { SessionInfo } from '../../view/view.ts';

/** What the session is, as its lines have told. */
export function statusLines(info: SessionInfo): string[] {
  const { sessionId, title, version, model, effort, mode, cwd, directories, keySource, outputStyle, servers } = info;
  return [
    row('version', version),
    row('session', [sessionId ?? 'not begun', ...(title === null ? [] : [title])].join(' \u00b7 ')),
    row('model', [model || 'told with the first prompt', ...(effort === null ? [] : [effort])].join(' \u00b7 ')),
    row('mode', mode || 'default'),
    row('directory', [cwd, ...directories].filter((path) => path !== '').join(', ')),
    row('key', keySource),
    row('style', outputStyle),
    row('servers', servers.map(({ name, status }) => `${name} (${status})`).join(', ') || 'none'),
    row('sandbox', sandboxText(info)),
    row('trust', trustText(info)),
  ].filter((line) => line !== '');
}

function row(name: string, text: string): string {
  return text === '' ? '' : `  ${name.padEnd(10)} ${text}`;
}

function sandboxText({ sandbox }: SessionInfo): string {
  if (sandbox === null) return '';
  if (sandbox.enabled !== true) {
    const why = stringField(sandbox, 'unavailable');
    return why === undefined ? 'off' : `off: ${why}`;
  }
  const network = stringField(sandbox, 'network');
  return [stringField(sandbox, 'provider') ?? 'on', ...(network === undefined ? [] : [`network ${network}`])].join(
    ' \u00b7 ',
  );
}

function trustText({ trust }: SessionInfo): string {
  if (trust === null) return '';
  const ignored = Array.isArray(trust.ignored) ? trust.ignored.map(String) : [];
  const without = ignored.length === 0 ? '' : `; left out: ${ignored.join(', ')}`;
  return `${trust.trusted === true ? 'the project is trusted' : 'the project is not trusted'}${without}`;
}
