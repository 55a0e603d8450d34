import { headerSecrets } from '../../host/engine/environment.ts';
import { openLaunchContext } from '../../host/launch/launch-context.ts';
import { serverStartupMs } from '../../host/mcp/define-server.ts';
import type { ConfiguredServer } from '../../host/mcp/find-servers.ts';
import { expandConfig } from '../../mcp/config/expand-config.ts';
import { createHide } from '../../model/hide-secrets.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import { type ServerLocation, writtenServers } from '../server-files.ts';
import { type AdminServer, openServerAdmin, type Reached, type ServerAdmin } from '../servers.ts';
import type { Check, DoctorContext } from './check.ts';

/** Shorter than the deadline of a check, so that one slow server does not hide the results of the others. */
const MAX_STARTUP_MS = 8000;

/**
 * Checks the MCP servers of the directory. Local ones are started and stopped; remote ones are contacted only if the
 * user allows it.
 */
export async function gatherServers({ engine, config, home, cwd, mayUseNetwork }: DoctorContext): Promise<Check[]> {
  if (home === null) return []; // the check of the home reports this, and no run can start without one
  const { env } = await openLaunchContext(engine, { config });
  const trouble = fileTrouble({ cwd, configHome: home });
  if (trouble) return [trouble];
  const startupMs = Math.min(serverStartupMs(env), MAX_STARTUP_MS);
  const admin = await openServerAdmin(engine, { config, env: { ...env, MCP_TIMEOUT: String(startupMs) } });
  const checks = await Promise.all(
    admin.servers.map((server) => serverCheck(server, admin, { startupMs, mayUseNetwork })),
  );
  return checks.length > 0 ? checks : [NO_SERVERS];
}

/** A session continues without the servers of an unreadable file; the doctor reports such a file. */
function fileTrouble(location: ServerLocation): Check | null {
  try {
    writtenServers(location);
    return null;
  } catch (error) {
    const next = 'correct the file; sessions go on without its servers';
    return { id: 'mcp', status: 'problem', summary: messageOf(error), next, facts: {} };
  }
}

const NO_SERVERS: Check = { id: 'mcp', status: 'ok', summary: 'no MCP servers here', facts: {} };

async function serverCheck(
  server: AdminServer,
  admin: ServerAdmin,
  { startupMs, mayUseNetwork }: { startupMs: number; mayUseNetwork: boolean },
): Promise<Check> {
  const { name, scope, config } = server;
  const id = `mcp.${name}`;
  const details = { name, scope, type: config.type };
  if (config.type !== 'stdio' && !server.idle && !mayUseNetwork) {
    const next = 'heddle doctor --network asks it';
    return { id, status: 'ok', summary: 'remote, not asked', next, facts: { ...details, status: 'not asked' } };
  }
  const began = performance.now();
  const reached = hideOwn(await admin.reach(server), server.server);
  const isLate = reached.status === 'failed' && performance.now() - began >= startupMs;
  return {
    id,
    facts: { ...details, ...detailsOf(reached) },
    ...(isLate ? late(name, startupMs) : judged(name, reached)),
  };
}

/** A failing server may repeat its variables and headers, which hold secrets. */
function hideOwn({ error, ...reached }: Reached, server: ConfiguredServer): Reached {
  if (error === undefined) return reached;
  const { env, headers } = withVariables(server);
  const given = [env, headers].flatMap((values) => (isObject(values) ? Object.entries(values) : []));
  const secrets = given.flatMap(([name, value]) => headerSecrets(`${name}: ${value}`));
  return { ...reached, error: createHide(secrets)(error) };
}

function withVariables({ raw, variables }: ConfiguredServer): JsonObject {
  try {
    return expandConfig(raw, variables);
  } catch {
    return raw; // a variable is not set, so the server was not started
  }
}

type Judgement = Pick<Check, 'status' | 'summary' | 'next'>;

/** A session would wait longer, and a server that first downloads itself may need that. */
function late(name: string, startupMs: number): Judgement {
  const summary = `no answer within ${startupMs / 1000} s`;
  return { status: 'warning', summary, next: `heddle mcp test ${shellWord(name)} waits as long as a session would` };
}

function judged(name: string, { status, error = 'no reason is known', tools, connectMs, listMs }: Reached): Judgement {
  switch (status) {
    case 'connected': {
      const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
      return { status: 'ok', summary: `connected, ${count}, ${(connectMs ?? 0) + (listMs ?? 0)} ms` };
    }
    case 'failed':
      return {
        status: 'problem',
        summary: `failed: ${error}`,
        next: `heddle mcp test ${shellWord(name)} shows what it says`,
      };
    case 'needs-auth':
      return { status: 'warning', summary: 'wants a sign-in', next: `heddle mcp login ${shellWord(name)}` };
    case 'untrusted':
      return {
        status: 'warning',
        summary: 'not started: it is the project’s, and nobody trusts it',
        next: 'heddle trust',
      };
    case 'disabled':
    case 'denied':
      return { status: 'ok', summary: `not started: ${error}` };
    default:
      return status satisfies never;
  }
}

function detailsOf({ status, tools, connectMs, listMs }: Reached) {
  if (status !== 'connected') return { status };
  return { status, tools: tools.length, ms: (connectMs ?? 0) + (listMs ?? 0) };
}
