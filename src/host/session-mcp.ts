import { type AsToolSeams, asTools } from '../mcp/as-tool.ts';
import type { Manifest } from '../mcp/client.ts';
import { createConnections, type ServerDefinition } from '../mcp/connections.ts';
import { typeOf } from '../mcp/server-config.ts';
import { mcpToolName } from '../mcp/tool-names.ts';
import { readResult } from '../tools/custom-tool-result.ts';
import { type Tool, ToolError } from '../tools/tool.ts';
import { raceAbort } from '../util/abort.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { positiveInteger } from '../util/setting-text.ts';
import { defineServer, refusalOf, type ServerMeans } from './define-server.ts';
import type { Env } from './home.ts';
import type { SessionMcp, SessionMcpOptions } from './mcp.ts';
import { sessionFace } from './mcp-face.ts';
import { serverOffers } from './mcp-offers.ts';
import { serverStartupMs } from './server-env.ts';
import { agentServers, dynamicServer, type GivenServer } from './server-sources.ts';

/** How long a call may take, unless MCP_TOOL_TIMEOUT says otherwise: a tool may wait for a person. */
const CALL_MS = 100_000_000;
/** What of a result the model gets to see, unless MAX_MCP_OUTPUT_TOKENS says otherwise. */
const OUTPUT_TOKENS = 25_000;
const CHARS_PER_TOKEN = 4;

/**
 * The servers of a session. Those that are programs of their own, or elsewhere, begin to connect at once; those that live
 * in the host wait for `start`, which is when the host can answer.
 */
export function openSessionMcp(options: SessionMcpOptions): SessionMcp {
  const { env, log, parts, canAskHost } = options;
  const startupMs = serverStartupMs(env);
  const means: ServerMeans = { ...options, startupMs };
  const faceOf = (server: ServerDefinition) => sessionFace(parts, server, { canAskHost });
  const connections = createConnections({ startupMs, log, faceOf });
  const seams = toolSeams(env);
  let { servers: configured, rules } = options.found;
  /** By name, those that a request has set. */
  const added = new Map<string, JsonObject>();
  /** What the host says of its own servers, by name. */
  const manifests = new Map<string, Manifest>();
  let hasStarted = false;
  let joined = -1;
  let tools: readonly Tool[] = [];
  const { resourceTools, ...offers } = serverOffers(parts, {
    connected: () => connections.connected(),
    tools: () => tools,
  });
  const { policies } = offers;

  /** Those that settings do not want are told and left out. */
  const admit = (server: GivenServer): boolean => {
    const refusal = refusalOf(server, rules);
    if (refusal !== null) log('warn', `The MCP server ${server.name} was left out: ${refusal}`);
    return refusal === null;
  };
  const isOfHost = ({ given }: GivenServer) => typeOf(given) === 'sdk';
  const connectConfigured = () => {
    for (const server of configured) {
      if (!connections.has(server.name)) policies.declare(server);
      connections.add(defineServer(server, means, manifests), { waits: isOfHost(server) && !hasStarted });
    }
  };
  configured = configured.filter(admit);
  connectConfigured();

  /** Why a server that a request names cannot be added; null when it was. */
  const addRequested = (name: string, given: unknown): string | null => {
    if (!isObject(given)) return 'It must be an object';
    const server = dynamicServer(name, given, env);
    if (connections.has(name)) {
      if (isOfHost(server) && connections.transportOf(name) === 'sdk') policies.declare(server);
      return 'A server of this name was there from the start';
    }
    const refusal = refusalOf(server, rules);
    if (refusal !== null) return refusal;
    added.set(name, given);
    policies.declare(server);
    connections.add(defineServer(server, means));
    return null;
  };

  /** What the host says of its servers beside their names. One that is there already keeps what it has of the rest. */
  const addNamed = (name: string, given: unknown) => {
    const config = isObject(given) ? given : {};
    const server = dynamicServer(name, { ...config, type: 'sdk', name }, env);
    const isKnown = connections.has(name);
    if (isKnown && connections.transportOf(name) !== 'sdk') return;
    if (!isKnown || Array.isArray(config.tools)) policies.declare(server);
    connections.add(defineServer(server, means, manifests));
  };

  const mcp: SessionMcp = {
    ...offers,
    start(initialize = {}) {
      hasStarted = true;
      const given = isObject(initialize.sdkMcpServerManifests) ? initialize.sdkMcpServerManifests : {};
      for (const [name, manifest] of Object.entries(given)) if (isObject(manifest)) manifests.set(name, manifest);
      for (const { name } of configured) connections.begin(name);
      const named = Array.isArray(initialize.sdkMcpServers) ? initialize.sdkMcpServers : [];
      const configs = isObject(initialize.sdkMcpServerConfigs) ? initialize.sdkMcpServerConfigs : {};
      for (const name of named.filter((each) => typeof each === 'string')) {
        addNamed(name, Object.hasOwn(configs, name) ? configs[name] : undefined);
      }
    },
    async join(signal) {
      mcp.start();
      await raceAbort(connections.settled(), signal).catch(() => {}); // how the turn ends, it tells itself
      if (joined === connections.version) return false;
      joined = connections.version;
      tools = [...asTools(connections.tools(), seams, (twin) => log('warn', twin)), ...resourceTools(seams)];
      policies.bind(tools, connections.tools());
      offers.approvals.noteChanges();
      return true;
    },
    settled: () => connections.settled(),
    tools: () => tools,
    toolOf(name, read) {
      const found = connections.tools().find(({ server, info }) => mcpToolName(server, info.name) === name);
      const [tool] = found ? asTools([found], { ...seams, readResult: read }, () => {}) : [];
      return found && tool ? { server: found.server, tool } : null;
    },
    statuses: () => connections.statuses(),
    receive: (name, message) => connections.receive(name, message),
    reconnect: (name) => connections.reconnect(name),
    setEnabled: (name, enabled) => connections.setEnabled(name, enabled),
    async setServers(servers) {
      mcp.start();
      const isSame = (name: string) => JSON.stringify(servers[name]) === JSON.stringify(added.get(name));
      const removed = [...added.keys()].filter((name) => !isSame(name));
      await Promise.all(removed.map((name) => connections.remove(name)));
      for (const name of removed) {
        added.delete(name);
        policies.forget(name);
      }
      const errors: Record<string, string> = {};
      const wanted = Object.keys(servers).filter((name) => !added.has(name));
      for (const name of wanted) {
        const problem = addRequested(name, servers[name]);
        if (problem !== null) errors[name] = problem;
      }
      await connections.settled();
      for (const { name, error } of connections.statuses()) if (error && wanted.includes(name)) errors[name] = error;
      return { added: wanted.filter((name) => added.has(name)), removed, errors };
    },
    async useFound(found) {
      rules = found.rules;
      const next = found.servers.filter(admit);
      const isSame = (server: GivenServer) => next.some((other) => JSON.stringify(other) === JSON.stringify(server));
      const gone = configured.filter((server) => !isOfHost(server) && !isSame(server));
      await Promise.all(gone.map(({ name }) => connections.remove(name)));
      for (const { name } of gone) policies.forget(name);
      configured = next;
      connectConfigured();
    },
    addForMain(servers) {
      for (const server of agentServers(servers, env).filter(admit)) {
        if (!connections.has(server.name)) policies.declare(server);
        connections.add(defineServer(server, means));
      }
    },
    async connectFor(agent, servers, signal) {
      const own = createConnections({ startupMs, log, faceOf });
      for (const server of agentServers(servers, env).filter(admit)) {
        policies.declare(server, `agent ${agent}: ${server.name}`);
        own.add(defineServer(server, means));
      }
      await raceAbort(own.settled(), signal).catch(() => {}); // whoever waits is told
      return { tools: asTools(own.tools(), seams, (twin) => log('warn', twin)), close: () => own.close() };
    },
    close: () => connections.close(),
  };
  return mcp;
}

function toolSeams(env: Env): AsToolSeams {
  return {
    readResult,
    failure: (message, cause) => new ToolError(message || messageOf(cause), { cause }),
    timeoutMs: positiveInteger(env.MCP_TOOL_TIMEOUT) ?? CALL_MS,
    maxResultChars: (positiveInteger(env.MAX_MCP_OUTPUT_TOKENS) ?? OUTPUT_TOKENS) * CHARS_PER_TOKEN,
  };
}
