import type { JsonObject } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import { within } from '../util/timer.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { CallOptions, ClientFace, ClientSeams, McpClient, ToolCallRequest } from './client.ts';
import { Connection } from './connection.ts';
import { statusOf } from './connection-status.ts';
import type { McpPromptInfo } from './prompts.ts';
import type { McpToolInfo } from './server-answers.ts';

/** How long what a server of the host says waits for its connection to be complete. */
const RECEIVE_MS = 500;

/** A server and how to reach it. */
export interface ServerDefinition {
  name: string;
  /** `local`, `project`, `user` or `plugin`: whose file has it. `dynamic`: it came with the launch or a request. */
  scope: string;
  /** Who has defined it: `sdk` for the host's own, otherwise the scope. */
  source: string;
  transport: string;
  /** As `mcp_status` shows it: without what is secret. */
  config: JsonObject;
  /** How long a call may take, in milliseconds; absent: as long as with other servers. */
  timeoutMs?: number | undefined;
  /** Its tools are never left out of requests. */
  alwaysLoad?: boolean | undefined;
  /** It is not connected until somebody switches it on. */
  isDisabled?: boolean | undefined;
  /** A client that is not initialized yet. Rejects with why there can be none. */
  open(seams: OpenSeams): McpClient | Promise<McpClient>;
}

export interface OpenSeams extends ClientSeams {
  /** To be told when the connection is gone: the server is connected anew. */
  onLost(reason: Error): void;
}

/** A tool of a server that is connected, or is being connected anew. */
export interface ServerTool {
  server: string;
  /** Who has defined the server: `sdk` for the host's own, otherwise the scope. */
  source: string;
  info: McpToolInfo;
  /** How long a call of it may take, in milliseconds; absent: as long as with other servers. */
  timeoutMs?: number | undefined;
  call(request: ToolCallRequest, options: CallOptions): Promise<JsonObject>;
}

/** A server that is connected, for what it has beside tools. */
export interface ConnectedServer {
  name: string;
  client: McpClient;
  prompts: readonly McpPromptInfo[];
}

export interface ConnectionsOptions {
  /** How long a server may take to connect and to tell its tools, in milliseconds. */
  startupMs: number;
  log: Logger;
  /** What the session does for a server; nothing when absent. */
  faceOf?(server: ServerDefinition): ClientFace;
  /** Milliseconds before each attempt to get a lost server back; for tests. */
  retryMs?: readonly number[];
}

/** The MCP servers of one session, of every kind, and how it stands with each. */
export interface Connections {
  /** Begins to connect, at once unless it `waits`. Names are unique: one that is there already stays. */
  add(definition: ServerDefinition, options?: { waits: boolean }): void;
  /** Begins to connect what waits. */
  begin(name: string): void;
  remove(name: string): Promise<void>;
  has(name: string): boolean;
  /** How a server is reached; undefined for one that is not there. */
  transportOf(name: string): string | undefined;
  /** Rejects with why it could not be connected, or when there is no such server. */
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /**
   * Resolves when every server has answered or used up its time: each has its own, and all at once. Lists that a server
   * has said to be changed are read by then, unless it is slow to tell them.
   */
  settled(): Promise<void>;
  statuses(): McpServerStatus[];
  tools(): ServerTool[];
  connected(): ConnectedServer[];
  /** Rises whenever `tools` or `statuses` may have changed. */
  readonly version: number;
  /** Hands over what a server says by itself; the response, if there is one. */
  receive(name: string, message: JsonObject): Promise<JsonObject | null>;
  close(): Promise<void>;
}

export function createConnections({ faceOf, ...options }: ConnectionsOptions): Connections {
  const all = new Map<string, Connection>();
  const waiting = new Set<string>();
  let version = 0;
  /** Requests that began before the end may go on after it: nothing is started for them any more. */
  let isClosed = false;
  const onChange = () => {
    version++;
  };

  function known(name: string): Connection {
    const connection = all.get(name);
    if (!connection) throw new Error(`Server not found: ${name}`);
    return connection;
  }

  /** Connects what is still wanted: it may have been removed, or all may be over, while it was being disconnected. */
  async function connect(connection: Connection): Promise<void> {
    const { name } = connection.definition;
    if (isClosed || all.get(name) !== connection) throw new Error(`Server not found: ${name}`);
    waiting.delete(name);
    await connection.connect();
  }

  return {
    get version() {
      return version;
    },
    has: (name) => all.has(name),
    transportOf: (name) => all.get(name)?.definition.transport,
    add(definition, { waits } = { waits: false }) {
      const { name, isDisabled } = definition;
      if (isClosed || all.has(name)) return;
      const connection = new Connection(definition, { ...options, face: faceOf?.(definition), onChange });
      all.set(name, connection);
      if (isDisabled) connection.disconnect({ status: 'disabled' });
      else if (waits) waiting.add(name);
      else connection.connect();
    },
    begin(name) {
      if (waiting.delete(name)) known(name).connect();
    },
    async remove(name) {
      const connection = all.get(name);
      if (!connection) return;
      all.delete(name);
      waiting.delete(name);
      await connection.disconnect({ status: 'disabled' });
    },
    async reconnect(name) {
      const connection = known(name);
      await connection.disconnect({ status: 'pending' });
      await connect(connection);
      const { state } = connection;
      if (state.status === 'failed' || state.status === 'needs-auth') throw new Error(state.error);
    },
    async setEnabled(name, enabled) {
      const connection = known(name);
      const isEnabled = connection.state.status !== 'disabled';
      if (enabled === isEnabled) return;
      if (enabled) return connect(connection);
      waiting.delete(name);
      await connection.disconnect({ status: 'disabled' });
    },
    async settled() {
      await Promise.all([...all.values()].map(({ attempt }) => attempt));
      await Promise.all([...all.values()].map((connection) => connection.upToDate()));
    },
    statuses: () => [...all.values()].map(({ definition, state }) => statusOf(definition, state)),
    tools: () => [...all.values()].flatMap(toolsOf),
    connected: () =>
      [...all.values()].flatMap(({ definition: { name }, state }) =>
        state.status === 'connected' ? { name, client: state.client, prompts: state.prompts } : [],
      ),
    async receive(name, message) {
      const connection = known(name);
      // It may stand on the very line behind the answer that completes the connection.
      if (connection.state.status === 'pending') await within(RECEIVE_MS, connection.attempt);
      const { state } = connection;
      return state.status === 'connected' ? state.client.receive(message) : null;
    },
    async close() {
      isClosed = true;
      await Promise.all([...all.values()].map((connection) => connection.disconnect({ status: 'disabled' })));
      all.clear();
    },
  };
}

function toolsOf(connection: Connection): ServerTool[] {
  const { definition, state } = connection;
  const tools = 'tools' in state ? (state.tools ?? []) : [];
  const { name: server, source, timeoutMs, alwaysLoad } = definition;
  return tools.map((info) => ({
    server,
    source,
    info: alwaysLoad ? { ...info, alwaysLoad } : info,
    timeoutMs,
    call: (request, options) => connection.call(request, options),
  }));
}
