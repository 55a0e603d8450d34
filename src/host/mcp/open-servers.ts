import type { Engine } from '../engine/engine.ts';
import { Late, type Lazy } from '../engine/lazy.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import type { TrustReport } from '../launch/project-trust.ts';
import type { ConfiguredServers } from './find-servers.ts';
import type { ServedSession } from './served-session.ts';
import { mayHaveServers, type ServerLookup } from './server-files.ts';
import type { SessionMcp } from './session-mcp.ts';

export interface SessionServersOptions extends Omit<ServerLookup, 'extensions'> {
  engine: Engine;
  extensions: ExtensionSet;
}

/** Finds the MCP servers of a session and opens them. The code that connects to them is loaded with the first server. */
export class SessionServers implements Lazy<SessionMcp> {
  readonly #options: SessionServersOptions;
  readonly #servers = new Late<SessionMcp>();
  #configured: ConfiguredServers | null = null;

  constructor(options: SessionServersOptions) {
    this.#options = options;
  }

  /** Null as long as there are no servers. */
  get current(): SessionMcp | null {
    return this.#servers.current;
  }

  /** Whether the project's file of servers was trusted; null when there is none. */
  get trust(): TrustReport | null {
    return this.#configured?.trust ?? null;
  }

  /** The code that opens a session calls this, once. */
  serve(session: ServedSession): void {
    this.#servers.loadWith(() => this.#connect(session));
  }

  /** Rejects with `invalid_option` when the launch names servers that cannot be read. */
  open(): Promise<SessionMcp> {
    return this.#servers.open();
  }

  /** Looks for configured servers and begins to connect them. Rejects with `invalid_option`. */
  async find(): Promise<void> {
    if (this.#servers.isBegun || !mayHaveServers(this.#lookup())) return;
    const { servers } = await this.#read();
    if (servers.length > 0) await this.open();
  }

  /** Looks again, after plugins or settings have changed. */
  async findAgain(): Promise<void> {
    if (!this.#servers.isBegun && !mayHaveServers(this.#lookup())) return;
    const next = await this.#read();
    if (this.#servers.isBegun || next.servers.length > 0) await (await this.open()).useConfigured(next);
  }

  #lookup(): ServerLookup {
    return { ...this.#options, extensions: this.#options.extensions.current };
  }

  async #read(): Promise<ConfiguredServers> {
    const { findServers } = await import('./open-session-mcp.ts');
    this.#configured = await findServers(this.#lookup());
    return this.#configured;
  }

  async #connect(session: ServedSession): Promise<SessionMcp> {
    const { openSessionMcp, serverFetch } = await import('./open-session-mcp.ts');
    const { config, env, engine, directories } = this.#options;
    return openSessionMcp(session, {
      configured: this.#configured ?? (await this.#read()),
      // A print run has nobody to ask; every other host answers, or says that it cannot.
      canAskHost: config.inputFormat !== 'text',
      env,
      processes: engine.processes,
      fetchFor: async (server) => serverFetch(server, { engine, env, configHome: directories.configHome }),
    });
  }
}
