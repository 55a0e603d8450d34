import type { JsonObject } from '../util/json.ts';
import { within } from '../util/timer.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import type { CallOptions, ClientHandler, McpClient, ToolCallRequest } from './client.ts';
import { type ConnectingOptions, Connection } from './connection.ts';
import { statusOf } from './connection-status.ts';
import type { McpPromptInfo } from './prompts.ts';
import type { McpToolInfo } from './server-answers.ts';
import type { ServerDefinition } from './server-definition.ts';

/** How long a message from a server in the host waits for its connection to be complete. */
const RECEIVE_MS = 500;

/** A tool of a server that is connected or reconnecting. */
export interface ServerTool {
  server: string;
  /** The origin of the server's definition: `sdk` for the host's own servers, otherwise the scope. */
  source: string;
  info: McpToolInfo;
  /** How long a call may take, in milliseconds; absent: the limit for all servers. */
  timeoutMs?: number | undefined;
  call(request: ToolCallRequest, options: CallOptions): Promise<JsonObject>;
}

/** A connected server, for its prompts and resources. */
export interface ConnectedServer {
  name: string;
  client: McpClient;
  prompts: readonly McpPromptInfo[];
}

export interface ConnectionsOptions extends ConnectingOptions {
  /** How the session handles a server's own requests; absent: it does not. */
  handlerOf?(server: ServerDefinition): ClientHandler;
}

/** The MCP servers of one session, of every kind, and the status of each. */
export interface Connections {
  /** Adds a server and starts to connect it, unless it `waits`. Names are unique: an existing server stays. */
  add(definition: ServerDefinition, options?: { waits: boolean }): void;
  /** Starts to connect a server that waits. */
  begin(name: string): void;
  remove(name: string): Promise<void>;
  has(name: string): boolean;
  /** How a server is reached; undefined for an unknown server. */
  transportOf(name: string): string | undefined;
  /** Reconnects a server. Rejects with the reason of the failure, or when there is no such server. */
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /**
   * Resolves when every server has answered or reached its time limit; the limits run in parallel. Lists that a server
   * has reported as changed are read by then, unless it is slow.
   */
  settled(): Promise<void>;
  statuses(): McpServerStatus[];
  tools(): ServerTool[];
  connected(): ConnectedServer[];
  /** Increases whenever `tools` or `statuses` may have changed. */
  readonly version: number;
  /** Passes on a message that a server sends on its own; resolves with the response, if there is one. */
  receive(name: string, message: JsonObject): Promise<JsonObject | null>;
  close(): Promise<void>;
}

export function createConnections({ handlerOf, ...options }: ConnectionsOptions): Connections {
  const all = new Map<string, Connection>();
  const waiting = new Set<string>();
  let version = 0;
  /** Requests that began before the close may still run after it; they start nothing new. */
  let isClosed = false;
  const onChange = () => {
    version++;
  };

  function known(name: string): Connection {
    const connection = all.get(name);
    if (!connection) throw new Error(`Server not found: ${name}`);
    return connection;
  }

  /**
   * Connects a server if it is still wanted: it may have been removed, or everything closed, while it was being
   * disconnected.
   */
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
      const connection = new Connection(definition, { ...options, handler: handlerOf?.(definition), onChange });
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
      // The message may be on the line directly after the answer that completes the connection.
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
