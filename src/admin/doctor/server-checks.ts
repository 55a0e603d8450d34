import { expandConfig } from '../../mcp/expand-config.ts';
import { createHide } from '../../model/hide-secrets.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { shellWord } from '../../util/shell-word.ts';
import { headerSecrets } from '../home.ts';
import { type AdminServer, openServerAdmin, type Reached, type ServerAdmin } from '../mcp-admin.ts';
import { type ServerPlace, writtenServers } from '../mcp-files.ts';
import { openPlace } from '../place.ts';
import { serverStartupMs } from '../server-env.ts';
import type { GivenServer } from '../server-sources.ts';
import type { Check, DoctorPlace } from './check.ts';

/** Shorter than the deadline of a check, so that one slow server does not hide how the others are. */
const MAX_STARTUP_MS = 8000;

/** The MCP servers of the directory. Those of this machine are started and ended; remote ones are asked if that was said. */
export async function gatherServers({ engine, config, home, cwd, mayUseNetwork }: DoctorPlace): Promise<Check[]> {
  if (home === null) return []; // which is told by the check of the home, and keeps every run from starting
  const { env } = await openPlace(engine, { config });
  const trouble = fileTrouble({ cwd, configHome: home });
  if (trouble) return [trouble];
  const startupMs = Math.min(serverStartupMs(env), MAX_STARTUP_MS);
  const admin = await openServerAdmin(engine, { config, env: { ...env, MCP_TIMEOUT: String(startupMs) } });
  const checks = await Promise.all(
    admin.servers.map((server) => serverCheck(server, admin, { startupMs, mayUseNetwork })),
  );
  return checks.length > 0 ? checks : [NO_SERVERS];
}

/** A session goes on without the servers of a file that cannot be read; somebody who asks should hear of it. */
function fileTrouble(place: ServerPlace): Check | null {
  try {
    writtenServers(place);
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
  const facts = { name, scope, type: config.type };
  if (config.type !== 'stdio' && !server.idle && !mayUseNetwork) {
    const next = 'heddle doctor --network asks it';
    return { id, status: 'ok', summary: 'remote, not asked', next, facts: { ...facts, status: 'not asked' } };
  }
  const began = performance.now();
  const reached = hideOwn(await admin.reach(server), server.server);
  const isLate = reached.status === 'failed' && performance.now() - began >= startupMs;
  return { id, facts: { ...facts, ...factsOf(reached) }, ...(isLate ? late(name, startupMs) : judged(name, reached)) };
}

/** A server may repeat on its way out what it was given: its variables and headers, which is where secrets are. */
function hideOwn({ error, ...reached }: Reached, server: GivenServer): Reached {
  if (error === undefined) return reached;
  const { env, headers } = withVariables(server);
  const given = [env, headers].flatMap((values) => (isObject(values) ? Object.entries(values) : []));
  const secrets = given.flatMap(([name, value]) => headerSecrets(`${name}: ${value}`));
  return { ...reached, error: createHide(secrets)(error) };
}

function withVariables({ given, variables }: GivenServer): JsonObject {
  try {
    return expandConfig(given, variables);
  } catch {
    return given; // a variable is not set: the server was not started
  }
}

type Judgement = Pick<Check, 'status' | 'summary' | 'next'>;

/** A session would wait longer, and a server that downloads itself first may need that. */
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

function factsOf({ status, tools, connectMs, listMs }: Reached) {
  if (status !== 'connected') return { status };
  return { status, tools: tools.length, ms: (connectMs ?? 0) + (listMs ?? 0) };
}
