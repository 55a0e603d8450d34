import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { startTimer } from '../util/timer.ts';
import type { McpServerStatus } from '../wire/mcp.ts';
import { type McpClient, McpTimeout, type ToolCallRequest } from './client.ts';
import type { McpToolInfo } from './server-answers.ts';

/** A server and how to reach it. */
export interface ServerDefinition {
  name: string;
  /** Where it was defined: `sdk` for the host's own, `dynamic` for those of the launch and of requests. */
  source: string;
  transport: string;
  /** As `mcp_status` shows it: without what is secret. */
  config: JsonObject;
  /** A client that is not initialized yet. */
  open(seams: { onToolsChanged(): void }): McpClient | Promise<McpClient>;
}

/** A tool of a server that is connected. */
export interface ServerTool {
  server: string;
  info: McpToolInfo;
  call(request: ToolCallRequest, options: { signal: AbortSignal; timeoutMs: number }): Promise<JsonObject>;
}

export interface ConnectionsOptions {
  /** How long a server may take to connect and to tell its tools, in milliseconds. */
  startupMs: number;
  log: Logger;
}

/** The MCP servers of one session, of every kind, and how it stands with each. */
export interface Connections {
  /** Begins to connect, at once. Names are unique: one that is there already stays. */
  add(definition: ServerDefinition): void;
  remove(name: string): Promise<void>;
  has(name: string): boolean;
  /** Rejects with why it could not be connected, or when there is no such server. */
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, enabled: boolean): Promise<void>;
  /** Resolves when no server is pending any more: each has a deadline. */
  settled(): Promise<void>;
  statuses(): McpServerStatus[];
  tools(): ServerTool[];
  /** Rises whenever `tools` or `statuses` may have changed. */
  readonly version: number;
  /** Hands over what a server says by itself; the response, if there is one. */
  receive(name: string, message: JsonObject): JsonObject | null;
  close(): Promise<void>;
}

type State =
  | { status: 'pending' | 'disabled' }
  | { status: 'failed'; error: string }
  | { status: 'connected'; client: McpClient; tools: readonly McpToolInfo[] };

interface Connection {
  readonly definition: ServerDefinition;
  state: State;
  /** The attempt that is running or was last; never rejects. */
  attempt: Promise<void>;
  /** Ends the attempt. */
  stop: AbortController;
}

export function createConnections({ startupMs, log }: ConnectionsOptions): Connections {
  const all = new Map<string, Connection>();
  let version = 0;

  function change(connection: Connection, state: State): void {
    connection.state = state;
    version++;
    if (state.status === 'failed') log('warn', `The MCP server ${connection.definition.name} failed: ${state.error}`);
  }

  function connect(connection: Connection): Promise<void> {
    const stop = new AbortController();
    connection.stop = stop;
    change(connection, { status: 'pending' });
    const timer = startTimer(startupMs, () => stop.abort(new McpTimeout(`it did not answer within ${startupMs} ms`)));
    const work = open(connection, stop.signal).finally(() => clearTimeout(timer));
    connection.attempt = work.then(
      (state) => {
        if (connection.stop === stop) change(connection, state);
      },
      (error) => {
        if (connection.stop === stop) change(connection, { status: 'failed', error: messageOf(error) });
      },
    );
    return connection.attempt;
  }

  async function open(connection: Connection, signal: AbortSignal): Promise<State> {
    const onToolsChanged = () => relist(connection).catch((error) => log('warn', toolsNotRead(connection, error)));
    const client = await connection.definition.open({ onToolsChanged });
    try {
      await client.initialize(signal);
      return { status: 'connected', client, tools: await client.listTools(signal) };
    } catch (error) {
      await client.close().catch(() => {}); // why it failed is told already
      throw error;
    }
  }

  async function relist(connection: Connection): Promise<void> {
    const { state, stop } = connection;
    if (state.status !== 'connected') return;
    const tools = await state.client.listTools(stop.signal);
    if (connection.state === state) change(connection, { ...state, tools });
  }

  async function disconnect(connection: Connection, next: State): Promise<void> {
    const { state, stop } = connection;
    connection.stop = new AbortController(); // the outcome of a running attempt is nobody's any more
    stop.abort(new Error('it was disconnected'));
    change(connection, next);
    if (state.status === 'connected') await state.client.close();
  }

  function known(name: string): Connection {
    const connection = all.get(name);
    if (!connection) throw new Error(`Server not found: ${name}`);
    return connection;
  }

  return {
    get version() {
      return version;
    },
    has: (name) => all.has(name),
    add(definition) {
      if (all.has(definition.name)) return;
      const connection: Connection = {
        definition,
        state: { status: 'pending' },
        attempt: Promise.resolve(),
        stop: new AbortController(),
      };
      all.set(definition.name, connection);
      connect(connection);
    },
    async remove(name) {
      const connection = all.get(name);
      if (!connection) return;
      all.delete(name);
      await disconnect(connection, { status: 'disabled' });
    },
    async reconnect(name) {
      const connection = known(name);
      await disconnect(connection, { status: 'pending' });
      await connect(connection);
      if (connection.state.status === 'failed') throw new Error(connection.state.error);
    },
    async setEnabled(name, enabled) {
      const connection = known(name);
      const isEnabled = connection.state.status !== 'disabled';
      if (enabled === isEnabled) return;
      if (enabled) await connect(connection);
      else await disconnect(connection, { status: 'disabled' });
    },
    async settled() {
      await Promise.all([...all.values()].map(({ attempt }) => attempt));
    },
    statuses: () => [...all.values()].map(statusOf),
    tools: () => [...all.values()].flatMap(toolsOf),
    receive(name, message) {
      const { state } = known(name);
      return state.status === 'connected' ? state.client.receive(message) : null;
    },
    async close() {
      await Promise.all([...all.values()].map((connection) => disconnect(connection, { status: 'disabled' })));
      all.clear();
    },
  };
}

/** Of a connection, not of its client: a tool of a server that was connected anew goes on to work. */
function toolsOf(connection: Connection): ServerTool[] {
  const { definition, state } = connection;
  if (state.status !== 'connected') return [];
  return state.tools.map((info) => ({
    server: definition.name,
    info,
    async call(request, options) {
      const now = connection.state;
      if (now.status === 'connected') return now.client.callTool(request, options);
      const why = now.status === 'failed' ? now.error : now.status;
      throw new Error(`The MCP server ${definition.name} is not connected: ${why}`);
    },
  }));
}

function statusOf({ definition, state }: Connection): McpServerStatus {
  const { name, config, transport, source } = definition;
  const place = { config, transport, scope: 'dynamic', source };
  switch (state.status) {
    case 'connected': {
      const { serverInfo } = state.client;
      const tools = state.tools.map((tool) => ({ name: tool.name, annotations: shortHints(tool.annotations) }));
      return { name, status: state.status, ...(serverInfo && { serverInfo }), ...place, tools };
    }
    case 'failed':
      return { name, status: state.status, error: state.error, ...place };
    case 'pending':
    case 'disabled':
      return { name, status: state.status, ...place };
    default:
      return state satisfies never;
  }
}

/** As `mcp_status` names them (wire.md 11.2). */
function shortHints(annotations: JsonObject): JsonObject {
  const names = { readOnly: 'readOnlyHint', destructive: 'destructiveHint', openWorld: 'openWorldHint' };
  return Object.fromEntries(
    Object.entries(names).flatMap(([short, hint]) => (annotations[hint] === true ? [[short, true]] : [])),
  );
}

function toolsNotRead({ definition }: Connection, error: unknown): string {
  return `The tools of the MCP server ${definition.name} changed and could not be read: ${messageOf(error)}`;
}
