import { madeOnce } from '../util/made-once.ts';
import type { Engine } from './engine.ts';
import { mayHaveServers, type ServerPlaces, type SessionMcp } from './mcp.ts';
import type { Parts } from './parts.ts';
import type { FoundServers } from './server-sources.ts';
import type { TrustReport } from './settings.ts';

/** What finds the servers of a session and opens them. All that is behind it is loaded with the first server. */
export interface SessionServers {
  /** Looks for servers, and begins to connect those that there are. Rejects with `invalid_option`. */
  find(): Promise<void>;
  open(): Promise<SessionMcp>;
  /** Plugins or settings have changed. */
  findAgain(): Promise<void>;
  /** How far the project's file of servers was believed; null when it has none. */
  readonly trust: TrustReport | null;
}

export interface SessionServersOptions extends Omit<ServerPlaces, 'extensions'> {
  engine: Engine;
}

export function sessionServers(parts: () => Parts, options: SessionServersOptions): SessionServers {
  let found: FoundServers | null = null;
  const places = () => ({ ...options, extensions: parts().extensions });

  async function read(): Promise<FoundServers> {
    const { findServers } = await import('./server-sources.ts');
    found = await findServers(places());
    return found;
  }

  const open = madeOnce(async (): Promise<SessionMcp> => {
    const { openSessionMcp } = await import('./session-mcp.ts');
    const { config, env, log, engine } = options;
    return openSessionMcp({
      found: found ?? (await read()),
      parts,
      canAskHost: config.inputFormat === 'stream-json',
      callHost: (request, how) => parts().callHost(request, how),
      cwd: parts().workspace.cwd,
      env,
      processes: engine.processes,
      log,
      async fetchFor(server) {
        const { serverFetch } = await import('./server-fetch.ts');
        return serverFetch(server, { engine, env, configHome: options.places.configHome });
      },
    });
  });

  return {
    get trust() {
      return found?.trust ?? null;
    },
    open,
    async find() {
      if (open.begun() || !mayHaveServers(places())) return;
      const { servers } = await read();
      if (servers.length > 0) await parts().openMcp();
    },
    async findAgain() {
      if (!open.begun() && !mayHaveServers(places())) return;
      const next = await read();
      if (open.begun() || next.servers.length > 0) await (await parts().openMcp()).useFound(next);
    },
  };
}
