import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { ControlError } from '../../wire/errors.ts';
import { isRpcRequest } from '../../wire/link/json-rpc.ts';
import type { ControlBody, RequestContext } from '../../wire/link/peer.ts';
import type { McpServerInstance } from '../options/option-types.ts';
import type { ReportToHost } from '../report-to-host.ts';
import { ServerLink } from './server-link.ts';

/** Sends a control request to the agent. */
export type CallAgent = (request: ControlBody) => Promise<unknown>;

export interface ServerDependencies {
  callAgent: CallAgent;
  /** Reports errors in the program's tools to the program. */
  report: ReportToHost;
}

/**
 * The MCP servers of one connection that live in this program. Each is connected when the agent first sends it a
 * message, and released with the connection; it can then be connected again.
 */
export class SdkServers {
  /** The servers of the options. */
  readonly #fixed: ReadonlyMap<string, McpServerInstance>;
  /** The servers that were added later, and may be replaced. */
  #added: ReadonlyMap<string, McpServerInstance> = new Map();
  readonly #links = new Map<string, Promise<ServerLink>>();
  readonly #dependencies: ServerDependencies;

  constructor(servers: ReadonlyMap<string, McpServerInstance>, dependencies: ServerDependencies) {
    this.#fixed = servers;
    this.#dependencies = dependencies;
  }

  /** Answers `mcp_message`. A notification gets an answer, too, as in the reference. */
  async answer(request: ControlBody, { signal }: RequestContext): Promise<{ mcp_response: JsonObject }> {
    const name = stringField(request, 'server_name') ?? '';
    const { message } = request;
    if (!isObject(message)) throw new ControlError('request.message must be a JSON-RPC message', 'invalid_request');
    const link = await this.#link(name);
    if (isRpcRequest(message)) return { mcp_response: await link.request(message, signal) };
    link.notify(message);
    return { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } };
  }

  /** Adds these servers to those of the options and replaces the servers that were added before. */
  async add(servers: ReadonlyMap<string, McpServerInstance>): Promise<void> {
    const before = this.#added;
    this.#added = servers;
    await this.#letGo([...before.keys()].filter((name) => servers.get(name) !== before.get(name)));
  }

  close(): Promise<void> {
    return this.#letGo([...this.#links.keys()]);
  }

  async #letGo(names: readonly string[]): Promise<void> {
    const links = names.map((name) => this.#links.get(name));
    for (const name of names) this.#links.delete(name);
    // A server that could not be connected is not open.
    await Promise.all(links.map((link) => link?.then((open) => open.close()).catch(() => {})));
  }

  #link(name: string): Promise<ServerLink> {
    const known = this.#links.get(name);
    if (known) return known;
    /** After a close by either side, or a failed connection, the next message connects again. */
    const forget = () => {
      if (this.#links.get(name) === link) this.#links.delete(name);
    };
    const link = this.#connect(name, forget);
    this.#links.set(name, link);
    link.catch(forget);
    return link;
  }

  async #connect(name: string, onClosed: () => void): Promise<ServerLink> {
    const instance = this.#fixed.get(name) ?? this.#added.get(name);
    if (!instance) throw new ControlError(`There is no SDK MCP server '${name}'`, 'server_not_found');
    const link = new ServerLink({
      toAgent: async (message) => {
        const answer = await this.#dependencies.callAgent({ subtype: 'mcp_message', server_name: name, message });
        return isObject(answer) && isObject(answer.mcp_response) ? answer.mcp_response : null;
      },
      onClosed,
      report: this.#dependencies.report,
    });
    await instance.connect(link);
    return link;
  }
}
