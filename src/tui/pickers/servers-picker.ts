import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Row, Style } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import { belowRow, ListPicker } from './list-picker.ts';

interface ListedServer {
  readonly name: string;
  readonly status: string;
  /** Of its tools; null: not known. */
  readonly tools: number | null;
  readonly scope: string;
  readonly error: string;
}

const LOOK_MS = 1000;
const HINT = 'enter connects again \u00b7 ctrl+t turns off and on \u00b7 esc';
const SIGNS: Readonly<Record<string, readonly [string, Style]>> = {
  connected: ['\u25cf', 'good'],
  failed: ['\u2717', 'error'],
  'needs-auth': ['!', 'warning'],
  pending: ['\u25d0', 'accent'],
  disabled: ['\u25cb', 'dim'],
};

export async function reconnect(stage: Stage, serverName: string): Promise<void> {
  await stage.call({ subtype: 'mcp_reconnect', serverName });
}

export async function setEnabled(stage: Stage, serverName: string, enabled: boolean): Promise<void> {
  await stage.call({ subtype: 'mcp_toggle', serverName, enabled });
}

export async function listedServers(stage: Stage): Promise<ListedServer[]> {
  const { mcpServers } = await stage.call({ subtype: 'mcp_status' });
  return Array.isArray(mcpServers) ? mcpServers.filter(isObject).map(toListed) : [];
}

function toListed(server: JsonObject): ListedServer {
  return {
    name: stringField(server, 'name') ?? '',
    status: stringField(server, 'status') ?? '',
    tools: Array.isArray(server.tools) ? server.tools.length : null,
    scope: stringField(server, 'scope') ?? '',
    error: stringField(server, 'error') ?? '',
  };
}

/** The MCP servers of the session and how they are. It looks again while one of them is still connecting. */
export class ServersPicker {
  readonly #stage: Stage;
  readonly #list: ListPicker<ListedServer>;
  /** What is being done with a server, by its name. */
  readonly #doing = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#list = new ListPicker<ListedServer>({
      ...{ hint: HINT, empty: 'no server has such a name', screen: () => stage.context },
      title: () => 'MCP servers',
      spans: (server) => this.#spans(server),
      words: ({ name, status, scope }) => `${name} ${status} ${scope}`,
      choose: ({ name }) => this.#do(name, { doing: 'connecting', work: reconnect(stage, name) }),
      key: (key, server) => key === 'ctrl+t' && server !== null && this.#toggle(server),
      below: (server) => this.#below(server),
      closed: () => {
        this.#isClosed = true;
        if (this.#timer) clearTimeout(this.#timer);
      },
    });
  }

  /** False: there is no server. */
  async open(): Promise<boolean> {
    const servers = await listedServers(this.#stage);
    if (servers.length === 0) return false;
    this.#use(servers);
    this.#stage.pick(this.#list);
    return true;
  }

  #use(servers: readonly ListedServer[]): void {
    const at = servers.find(({ name }) => name === this.#list.selected?.name);
    this.#list.use(servers, at);
    this.#stage.changed();
    if (this.#timer) clearTimeout(this.#timer);
    const isConnecting = servers.some(({ status }) => status === 'pending');
    this.#timer = isConnecting && !this.#isClosed ? setTimeout(() => void this.#look(), LOOK_MS) : null;
  }

  async #look(): Promise<void> {
    try {
      const servers = await listedServers(this.#stage);
      if (!this.#isClosed) this.#use(servers);
    } catch (error) {
      this.#stage.notify(messageOf(error));
    }
  }

  #toggle({ name, status }: ListedServer): true {
    const isOff = status === 'disabled';
    const work = setEnabled(this.#stage, name, isOff);
    this.#do(name, { doing: isOff ? 'turning on' : 'turning off', work });
    return true;
  }

  #do(name: string, { doing, work }: { doing: string; work: Promise<void> }): void {
    this.#doing.set(name, doing);
    void work
      .catch((error) => this.#stage.notify(messageOf(error)))
      .then(() => {
        this.#doing.delete(name);
        return this.#look();
      });
  }

  #spans({ name, status, tools, scope }: ListedServer) {
    const [sign, style] = SIGNS[status] ?? ['?', 'dim'];
    const doing = this.#doing.get(name);
    const details = [
      doing ? `${doing} \u2026` : status,
      ...(tools === null ? [] : [`${tools} ${tools === 1 ? 'tool' : 'tools'}`]),
      ...(scope === '' ? [] : [scope]),
    ];
    return [
      { text: name },
      { text: ` ${sign} `, styles: [style] },
      { text: details.join(' \u00b7 '), styles: ['dim'] as const },
    ];
  }

  #below(server: ListedServer | null): Row[] {
    if (server?.status === 'needs-auth') return [belowRow(`heddle mcp login ${server.name}`, this.#stage.context)];
    return server?.error ? [belowRow(server.error, this.#stage.context)] : [];
  }
}
