import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import { isRpcRequest } from '../wire/json-rpc.ts';
import type { ControlBody, RequestContext } from '../wire/peer.ts';
import type { McpServerInstance } from './option-types.ts';
import { ServerLink } from './server-link.ts';
import type { TellHost } from './tell-host.ts';

/** Sends a control request to the agent. */
export type CallAgent = (request: ControlBody) => Promise<unknown>;

export interface ServerSeams {
  callAgent: CallAgent;
  /** Tells the program of what its tools did wrong. */
  tell: TellHost;
}

/**
 * The MCP servers of one connection that live in this program. Each is connected when the agent first speaks to it, and
 * let go with the connection; then it can be connected again.
 */
export class SdkServers {
  /** Those of the options. */
  readonly #fixed: ReadonlyMap<string, McpServerInstance>;
  /** Those that came later, and may be replaced. */
  #added: ReadonlyMap<string, McpServerInstance> = new Map();
  readonly #links = new Map<string, Promise<ServerLink>>();
  readonly #seams: ServerSeams;

  constructor(servers: ReadonlyMap<string, McpServerInstance>, seams: ServerSeams) {
    this.#fixed = servers;
    this.#seams = seams;
  }

  /** Answers `mcp_message`. Also a notification has an answer, as the reference gives it. */
  async answer(request: ControlBody, { signal }: RequestContext): Promise<{ mcp_response: JsonObject }> {
    const name = stringField(request, 'server_name') ?? '';
    const { message } = request;
    if (!isObject(message)) throw new ControlError('request.message must be a JSON-RPC message', 'invalid_request');
    const link = await this.#link(name);
    if (isRpcRequest(message)) return { mcp_response: await link.request(message, signal) };
    link.notify(message);
    return { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } };
  }

  /** Has these beside those of the options, in place of those that were added before. */
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
    // One that could not be connected is not open.
    await Promise.all(links.map((link) => link?.then((open) => open.close()).catch(() => {})));
  }

  #link(name: string): Promise<ServerLink> {
    const known = this.#links.get(name);
    if (known) return known;
    /** Whoever closed it, and when it could not be connected: the next message tries anew. */
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
        const answer = await this.#seams.callAgent({ subtype: 'mcp_message', server_name: name, message });
        return isObject(answer) && isObject(answer.mcp_response) ? answer.mcp_response : null;
      },
      onClosed,
      tell: this.#seams.tell,
    });
    await instance.connect(link);
    return link;
  }
}
