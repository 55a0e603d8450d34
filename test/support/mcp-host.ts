import type { RunningCli } from './cli.ts';
import type { Line } from './lines.ts';

/** A message of JSON-RPC, as the command line sends it. */
export interface Rpc {
  method: string;
  id?: number;
  params?: Record<string, unknown>;
}

/** What a server answers by method: `{ result }` or `{ error }`, or a function that makes it; absent: nothing. */
export type McpAnswers = Record<string, object | ((params: Record<string, unknown>) => object | Promise<object>)>;

/** What the host itself answers, by the subtype of the request. */
export type HostAnswers = Record<string, (request: Record<string, unknown>) => object | Promise<object>>;

/** A host without an SDK that has MCP servers in it (wire.md 11.1). */
export interface McpHost {
  /** What the servers were asked, in order. */
  asked: Rpc[];
  methods(): string[];
  /** A server says something by itself; resolves with what it is answered. */
  send(server: string, message: object): Promise<Record<string, unknown>>;
}

/** Answers for servers and host from now on. */
export function hostServers(cli: RunningCli, servers: Record<string, McpAnswers>, host: HostAnswers = {}): McpHost {
  const asked: Rpc[] = [];
  const served = new Set<Line>();
  const answerOf = async (request: Record<string, unknown>): Promise<object | undefined> => {
    if (request.subtype !== 'mcp_message') return host[String(request.subtype)]?.(request);
    const message = request.message as Rpc;
    asked.push(message);
    const answers = { ...HANDSHAKE, ...servers[String(request.server_name)] };
    const answer = answers[message.method];
    const found = typeof answer === 'function' ? await answer(message.params ?? {}) : answer;
    return found && { mcp_response: { jsonrpc: '2.0', id: message.id ?? 0, ...found } };
  };
  cli.child.stdout?.on('data', () => {
    for (const line of cli.lines) {
      if (line.type !== 'control_request' || served.has(line)) continue;
      served.add(line);
      void answerOf(line.request as Record<string, unknown>).then((response) => {
        if (!response) return;
        cli.send({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response } });
      });
    }
  });
  return {
    asked,
    methods: () => asked.map(({ method }) => method),
    async send(server, message) {
      const answer = await cli.control({ subtype: 'mcp_message', server_name: server, message });
      return ((answer.response ?? {}) as { mcp_response?: Record<string, unknown> }).mcp_response ?? {};
    },
  };
}

/** What any server says; `initialize` is usually replaced. */
const HANDSHAKE: McpAnswers = {
  initialize: initialized({}),
  'notifications/initialized': { result: {} },
  'notifications/cancelled': { result: {} },
  'notifications/roots/list_changed': { result: {} },
  'tools/list': { result: { tools: [] } },
};

export function initialized(capabilities: object, more: object = {}): { result: object } {
  const serverInfo = { name: 'test', version: '1' };
  return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo, ...more } };
}

export const text = (said: string) => ({ result: { content: [{ type: 'text', text: said }] } });
