import { type AsToolDependencies, asTools } from '../../mcp/as-tool.ts';
import type { Manifest } from '../../mcp/client.ts';
import { typeOf } from '../../mcp/config/server-config.ts';
import type { ServerRules } from '../../mcp/config/server-policy.ts';
import { type Connections, createConnections } from '../../mcp/connections.ts';
import { mcpToolName } from '../../mcp/tool-names.ts';
import { readResult } from '../../tools/custom/tool-result-content.ts';
import { type Tool, ToolError, type ToolOutput } from '../../tools/tool.ts';
import { raceAbort } from '../../util/abort.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { positiveInteger } from '../../util/text/setting-text.ts';
import type { Env } from '../engine/environment.ts';
import type { CommandLine } from '../extensions/parse-command.ts';
import { defineServer, refusalOf, type ServerDependencies, serverStartupMs } from './define-server.ts';
import { agentServers, type ConfiguredServer, type ConfiguredServers, dynamicServer } from './find-servers.ts';
import { sessionClientHandler } from './mcp-client-handler.ts';
import type { ServedSession } from './served-session.ts';
import { type ServerFeatures, serverFeatures } from './server-features.ts';
import { resourceTools } from './server-resources.ts';
import type { AgentServers, SessionMcp } from './session-mcp.ts';

export { findServers } from './find-servers.ts';
export { serverFetch } from './server-fetch.ts';

export interface SessionMcpOptions extends Pick<ServerDependencies, 'env' | 'processes' | 'fetchFor'> {
  configured: ConfiguredServers;
  /** Whether the host answers questions of servers. */
  canAskHost: boolean;
}

/** How long a call may take, unless MCP_TOOL_TIMEOUT says otherwise: a tool may wait for a person. */
const CALL_MS = 100_000_000;
/** How much of a result the model gets, unless MAX_MCP_OUTPUT_TOKENS says otherwise. */
const OUTPUT_TOKENS = 25_000;
const CHARS_PER_TOKEN = 4;

/**
 * Opens the servers of a session. Servers that are programs or remote begin to connect at once; servers that live in the
 * host wait for `start`, which the session calls when the host can answer.
 */
export function openSessionMcp(session: ServedSession, options: SessionMcpOptions): SessionMcp {
  return new OpenServers(session, options);
}

class OpenServers implements SessionMcp {
  readonly #session: ServedSession;
  readonly #canAskHost: boolean;
  readonly #dependencies: ServerDependencies;
  readonly #connections: Connections;
  readonly #features: ServerFeatures;
  readonly #toolDependencies: AsToolDependencies;
  #configured: ConfiguredServer[];
  #rules: readonly ServerRules[];
  /** By name, the servers that `setServers` has added. */
  readonly #added = new Map<string, JsonObject>();
  /** The host's descriptions of its own servers, by name. */
  readonly #manifests = new Map<string, Manifest>();
  #hasStarted = false;
  /** The version of the connections that the tools were made from. */
  #joined = -1;
  #tools: readonly Tool[] = [];

  constructor(session: ServedSession, { configured, canAskHost, env, ...options }: SessionMcpOptions) {
    const { cwd, runtime, link, permissions } = session;
    this.#session = session;
    this.#canAskHost = canAskHost;
    const { log } = runtime;
    this.#dependencies = { ...options, env, cwd, log, callHost: link.call, startupMs: serverStartupMs(env) };
    this.#connections = this.#newConnections();
    this.#toolDependencies = toolDependencies(env);
    this.#features = serverFeatures(session, {
      connected: () => this.#connections.connected(),
      tools: () => this.#tools,
    });
    this.#rules = configured.rules;
    this.#configured = configured.servers.filter((server) => this.#admit(server));
    this.#connectConfigured();
    permissions.on('roots', () => this.#announceRoots());
  }

  get resources() {
    return this.#features.resources;
  }

  get policies() {
    return this.#features.policies;
  }

  commands() {
    return this.#features.commands();
  }

  calledPrompt(command: CommandLine) {
    return this.#features.calledPrompt(command);
  }

  instructions() {
    return this.#features.instructions();
  }

  connected() {
    return this.#features.connected();
  }

  start(initialize: JsonObject = {}): void {
    this.#hasStarted = true;
    const manifests = isObject(initialize.sdkMcpServerManifests) ? initialize.sdkMcpServerManifests : {};
    for (const [name, manifest] of Object.entries(manifests)) {
      if (isObject(manifest)) this.#manifests.set(name, manifest);
    }
    for (const { name } of this.#configured) this.#connections.begin(name);
    const named = Array.isArray(initialize.sdkMcpServers) ? initialize.sdkMcpServers : [];
    const configs = isObject(initialize.sdkMcpServerConfigs) ? initialize.sdkMcpServerConfigs : {};
    for (const name of named.filter((each) => typeof each === 'string')) {
      this.#addNamed(name, Object.hasOwn(configs, name) ? configs[name] : undefined);
    }
  }

  async join(signal: AbortSignal): Promise<boolean> {
    this.start();
    await raceAbort(this.#connections.settled(), signal).catch(() => {}); // the turn itself ends on an abort
    if (this.#joined === this.#connections.version) return false;
    this.#joined = this.#connections.version;
    const ofServers = this.#connections.tools();
    this.#tools = [
      ...asTools(ofServers, this.#toolDependencies, (twin) => this.#warn(twin)),
      ...resourceTools(this.resources, this.#toolDependencies),
    ];
    this.policies.bind(this.#tools, ofServers);
    this.policies.approvals.noteChanges();
    return true;
  }

  settled(): Promise<void> {
    return this.#connections.settled();
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  toolOf(name: string, read: (result: unknown) => ToolOutput): { server: string; tool: Tool } | null {
    const match = this.#connections.tools().find(({ server, info }) => mcpToolName(server, info.name) === name);
    const [tool] = match ? asTools([match], { ...this.#toolDependencies, readResult: read }, () => {}) : [];
    return match && tool ? { server: match.server, tool } : null;
  }

  statuses() {
    return this.#connections.statuses();
  }

  receive(name: string, message: JsonObject): Promise<JsonObject | null> {
    return this.#connections.receive(name, message);
  }

  reconnect(name: string): Promise<void> {
    return this.#connections.reconnect(name);
  }

  setEnabled(name: string, enabled: boolean): Promise<void> {
    return this.#connections.setEnabled(name, enabled);
  }

  async setServers(servers: JsonObject) {
    this.start();
    const isSame = (name: string) => JSON.stringify(servers[name]) === JSON.stringify(this.#added.get(name));
    const removed = [...this.#added.keys()].filter((name) => !isSame(name));
    await this.#remove(removed);
    for (const name of removed) this.#added.delete(name);
    const errors: Record<string, string> = {};
    const wanted = Object.keys(servers).filter((name) => !this.#added.has(name));
    for (const name of wanted) {
      const problem = this.#addRequested(name, servers[name]);
      if (problem !== null) errors[name] = problem;
    }
    await this.#connections.settled();
    for (const { name, error } of this.statuses()) if (error && wanted.includes(name)) errors[name] = error;
    return { added: wanted.filter((name) => this.#added.has(name)), removed, errors };
  }

  async useConfigured({ servers, rules }: ConfiguredServers): Promise<void> {
    this.#rules = rules;
    const next = servers.filter((server) => this.#admit(server));
    const isSame = (server: ConfiguredServer) => next.some((other) => JSON.stringify(other) === JSON.stringify(server));
    const gone = this.#configured.filter((server) => !isOfHost(server) && !isSame(server));
    await this.#remove(gone.map(({ name }) => name));
    this.#configured = next;
    this.#connectConfigured();
  }

  addForMain(servers: JsonObject): void {
    for (const server of this.#admittedForAgent(servers)) {
      if (!this.#connections.has(server.name)) this.policies.declare(server);
      this.#connections.add(defineServer(server, this.#dependencies));
    }
  }

  async connectFor(agent: string, servers: JsonObject, signal: AbortSignal): Promise<AgentServers> {
    const own = this.#newConnections();
    for (const server of this.#admittedForAgent(servers)) {
      this.policies.declare(server, `agent ${agent}: ${server.name}`);
      own.add(defineServer(server, this.#dependencies));
    }
    await raceAbort(own.settled(), signal).catch(() => {}); // the turn of the agent itself ends on an abort
    const tools = asTools(own.tools(), this.#toolDependencies, (twin) => this.#warn(twin));
    return { tools, close: () => own.close() };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #newConnections(): Connections {
    const { startupMs, log } = this.#dependencies;
    const canAskHost = this.#canAskHost;
    return createConnections({
      startupMs,
      log,
      handlerOf: (server) => sessionClientHandler(this.#session, server, { canAskHost }),
    });
  }

  #warn(text: string): void {
    this.#dependencies.log('warn', text);
  }

  /** Whether settings permit the server. One that they forbid is logged and left out. */
  #admit(server: ConfiguredServer): boolean {
    const refusal = refusalOf(server, this.#rules);
    if (refusal !== null) this.#warn(`The MCP server ${server.name} was left out: ${refusal}`);
    return refusal === null;
  }

  #admittedForAgent(servers: JsonObject): ConfiguredServer[] {
    return agentServers(servers, this.#dependencies.env).filter((server) => this.#admit(server));
  }

  #connectConfigured(): void {
    for (const server of this.#configured) {
      if (!this.#connections.has(server.name)) this.policies.declare(server);
      const waits = isOfHost(server) && !this.#hasStarted;
      this.#connections.add(defineServer(server, this.#dependencies, this.#manifests), { waits });
    }
  }

  async #remove(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#connections.remove(name)));
    for (const name of names) this.policies.forget(name);
  }

  /** Adds a server that a request names. Returns why it cannot be added; null when it was. */
  #addRequested(name: string, raw: unknown): string | null {
    if (!isObject(raw)) return 'It must be an object';
    const server = dynamicServer(name, raw, this.#dependencies.env);
    if (this.#connections.has(name)) {
      if (isOfHost(server) && this.#connections.transportOf(name) === 'sdk') this.policies.declare(server);
      return 'A server of this name was there from the start';
    }
    const refusal = refusalOf(server, this.#rules);
    if (refusal !== null) return refusal;
    this.#added.set(name, raw);
    this.policies.declare(server);
    this.#connections.add(defineServer(server, this.#dependencies));
    return null;
  }

  /** Adds a server that the host runs. A server that exists already takes only the `tools` of the configuration. */
  #addNamed(name: string, raw: unknown): void {
    const config = isObject(raw) ? raw : {};
    const server = dynamicServer(name, { ...config, type: 'sdk', name }, this.#dependencies.env);
    const isKnown = this.#connections.has(name);
    if (isKnown && this.#connections.transportOf(name) !== 'sdk') return;
    if (!isKnown || Array.isArray(config.tools)) this.policies.declare(server);
    this.#connections.add(defineServer(server, this.#dependencies, this.#manifests));
  }

  /** Tells all servers that the directories of the session have changed. */
  #announceRoots(): void {
    for (const { client } of this.#connections.connected()) void client.notify('notifications/roots/list_changed');
  }
}

function isOfHost({ raw }: ConfiguredServer): boolean {
  return typeOf(raw) === 'sdk';
}

function toolDependencies(env: Env): AsToolDependencies {
  return {
    readResult,
    failure: (message, cause) => new ToolError(message || messageOf(cause), { cause }),
    timeoutMs: positiveInteger(env.MCP_TOOL_TIMEOUT) ?? CALL_MS,
    maxResultChars: (positiveInteger(env.MAX_MCP_OUTPUT_TOKENS) ?? OUTPUT_TOKENS) * CHARS_PER_TOKEN,
  };
}
