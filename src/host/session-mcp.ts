import { type AsToolSeams, asTools } from '../mcp/as-tool.ts';
import { type Manifest, McpClient } from '../mcp/client.ts';
import { createConnections, type ServerDefinition } from '../mcp/connections.ts';
import { readMcpConfig } from '../mcp/read-config.ts';
import { type CallHost, sdkLink } from '../mcp/sdk-bridge.ts';
import { readResult } from '../tools/custom-tool-result.ts';
import { type Tool, ToolError } from '../tools/tool.ts';
import { raceAbort } from '../util/abort.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { positiveInteger } from '../util/setting-text.ts';
import type { Env } from './home.ts';
import type { SessionMcp, SessionMcpOptions } from './mcp.ts';

/** How long a server may take to connect, unless MCP_TIMEOUT says otherwise. */
const STARTUP_MS = 30_000;
/** How long a call may take, unless MCP_TOOL_TIMEOUT says otherwise: a tool may wait for a person. */
const CALL_MS = 100_000_000;
/** What of a result the model gets to see, unless MAX_MCP_OUTPUT_TOKENS says otherwise. */
const OUTPUT_TOKENS = 25_000;
const CHARS_PER_TOKEN = 4;

/** Makes the servers of a session from its launch; none is connected yet. Rejects with `invalid_option`. */
export async function openSessionMcp(options: SessionMcpOptions): Promise<SessionMcp> {
  const { config, cwd, env, callHost, log } = options;
  const launched = await readMcpConfig(config.mcpConfig ?? [], cwd);
  const startupMs = positiveInteger(env.MCP_TIMEOUT) ?? STARTUP_MS;
  const connections = createConnections({ startupMs, log });
  const define = (name: string, server: JsonObject, manifest?: Manifest) =>
    defineServer(name, server, { callHost, startupMs, ...(manifest && { manifest }) });
  const seams = toolSeams(env);
  /** By name, those that a request has set. */
  const added = new Map<string, JsonObject>();
  let joined = -1;
  let tools: readonly Tool[] = [];

  const mcp: SessionMcp = {
    start(initialize = {}) {
      const manifests = isObject(initialize.sdkMcpServerManifests) ? initialize.sdkMcpServerManifests : {};
      const named = Array.isArray(initialize.sdkMcpServers) ? initialize.sdkMcpServers : [];
      const hosted = named.filter((name) => typeof name === 'string' && !launched.has(name));
      const servers = [...launched, ...hosted.map((name) => [name, { type: 'sdk', name }] as const)];
      for (const [name, server] of servers) {
        connections.add(define(name, server, Object.hasOwn(manifests, name) ? manifestOf(manifests[name]) : undefined));
      }
    },
    async join(signal) {
      mcp.start();
      await raceAbort(connections.settled(), signal).catch(() => {}); // how the turn ends, it tells itself
      if (joined === connections.version) return false;
      joined = connections.version;
      tools = asTools(connections.tools(), seams, (twin) => log('warn', twin));
      return true;
    },
    tools: () => tools,
    statuses: () => connections.statuses(),
    receive: (name, message) => connections.receive(name, message),
    reconnect: (name) => connections.reconnect(name),
    setEnabled: (name, enabled) => connections.setEnabled(name, enabled),
    async setServers(servers) {
      mcp.start();
      const isSame = (name: string) => JSON.stringify(servers[name]) === JSON.stringify(added.get(name));
      const removed = [...added.keys()].filter((name) => !isSame(name));
      await Promise.all(removed.map((name) => connections.remove(name)));
      for (const name of removed) added.delete(name);
      const errors: Record<string, string> = {};
      const wanted = Object.keys(servers).filter((name) => !added.has(name));
      for (const name of wanted) {
        const server = servers[name];
        if (connections.has(name)) errors[name] = 'A server of this name was there from the start';
        else if (!isObject(server)) errors[name] = 'It must be an object';
        else {
          added.set(name, server);
          connections.add(define(name, server));
        }
      }
      await connections.settled();
      for (const { name, error } of connections.statuses()) if (error && wanted.includes(name)) errors[name] = error;
      return { added: wanted.filter((name) => added.has(name)), removed, errors };
    },
    close: () => connections.close(),
  };
  return mcp;
}

interface Means {
  callHost: CallHost;
  startupMs: number;
  manifest?: Manifest;
}

function defineServer(name: string, server: JsonObject, { callHost, startupMs, manifest }: Means): ServerDefinition {
  const type = stringField(server, 'type') ?? 'stdio';
  if (type !== 'sdk') return unsupported(name, type);
  return {
    name,
    source: 'sdk',
    transport: 'sdk',
    config: { type, name },
    open: (seams) =>
      new McpClient({
        link: sdkLink(name, callHost),
        timeoutMs: startupMs,
        ...seams,
        capabilities: {}, // as the reference introduces itself to them (wire.md 11.1)
        ...(manifest && { manifest: { ...manifest } }),
      }),
  };
}

/** In the list, with the reason, so that nobody looks for its tools in vain. */
function unsupported(name: string, type: string): ServerDefinition {
  return {
    name,
    source: 'dynamic',
    transport: type,
    config: { type },
    open() {
      throw new Error(`servers of the type ${type} are not supported in this version`);
    },
  };
}

function manifestOf(value: unknown): Manifest | undefined {
  return isObject(value) ? value : undefined;
}

function toolSeams(env: Env): AsToolSeams {
  return {
    readResult,
    failure: (message, cause) => new ToolError(message || messageOf(cause), { cause }),
    timeoutMs: positiveInteger(env.MCP_TOOL_TIMEOUT) ?? CALL_MS,
    maxResultChars: (positiveInteger(env.MAX_MCP_OUTPUT_TOKENS) ?? OUTPUT_TOKENS) * CHARS_PER_TOKEN,
  };
}
