import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attached } from '../../../admin/running/attached-transport.ts';
import { configHome } from '../../../host/engine/environment.ts';
import { RemoteTransport } from '../../../sdk/remote/remote-transport.ts';
import { ServerCalls } from '../../../sdk/remote/server-calls.ts';
import { runningServer, serveFolder } from '../../../server/embedded/serve-lock.ts';
import type { JsonObject } from '../../../util/json.ts';
import { stringField } from '../../../util/json.ts';
import { HeddleError } from '../../../wire/errors.ts';
import type { Transport } from '../../../wire/link/transport.ts';
import { HEDDLE_VERSION } from '../../../wire/version.ts';
import { usage } from '../../flags/args.ts';

/** So many lines of before are shown. */
const HISTORY = 300;

/** Joins a session of a server: `http://host:4150/SESSION`. */
export async function enterServer(address: string, role: 'drive' | 'watch'): Promise<Attached & { cwd: string }> {
  const { origin, pathname } = urlIn(address);
  const id = decodeURIComponent(pathname.replace(/^\/(?:v1\/sessions\/)?/, '').replace(/\/$/, ''));
  if (id === '') throw usage('heddle attach URL names a session: http://HOST:PORT/SESSION');
  const token = tokenFor(origin);
  const session = await new ServerCalls(origin, token).join(id, HISTORY);
  const transport = new RemoteTransport(origin, { token, onClose: 'leave' }, async () => session);
  await transport.connect();
  const result = { session_id: id, role, heddle_version: HEDDLE_VERSION };
  return { transport: role === 'watch' ? onlyWatching(transport) : transport, result, cwd: session.cwd };
}

function urlIn(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw usage(`'${address}' is no URL: http://HOST:PORT/SESSION`);
  }
}

/** That of the environment, or of the server of this home. */
function tokenFor(origin: string): string {
  const { HEDDLE_SERVER_TOKEN: given } = process.env;
  if (given) return given;
  const home = configHome(process.env);
  if (runningServer(home)?.url === origin) return readFileSync(join(serveFolder(home), 'admin-token'), 'utf8').trim();
  const message = `No token for ${origin}: set HEDDLE_SERVER_TOKEN (heddle serve token create makes one there)`;
  throw new HeddleError('not_authenticated', message);
}

/** What a watcher may send: nothing that prompts, answers or changes. */
const READING = new Set(['initialize', 'end_input', 'detach']);

function onlyWatching(transport: Transport): Transport {
  const isAllowed = (line: JsonObject) =>
    line.type === 'control_request' && READING.has(stringField(line.request, 'subtype') ?? '');
  return {
    connect: async () => {},
    write: (line) => (isAllowed(line) ? transport.write(line) : undefined),
    readMessages: () => transport.readMessages(),
    endInput: () => transport.endInput(),
    close: () => transport.close(),
    isReady: () => transport.isReady(),
    exit: transport.exit,
  };
}
