import type { Server } from 'node:http';
import type { Engine } from '../host/engine/engine.ts';
import { type AnsweredRequest, createApp, type ServerApp } from './http/app.ts';
import { Gatekeeper } from './http/gatekeeper.ts';
import { type ListenAddress, type Listening, listen, nodeServerOf } from './http/listen.ts';
import type { Route } from './http/route.ts';
import { measuredStore } from './metrics/measured-store.ts';
import { Metrics } from './metrics/metrics.ts';
import type { LaunchPolicy } from './policy/launch-policy.ts';
import type { ServerStore } from './ports/server-store.ts';
import type { SessionRecord } from './ports/session-records.ts';
import { controlRoutes } from './routes/control-routes.ts';
import { messageRoutes } from './routes/message-routes.ts';
import { postMessage } from './routes/post-message.ts';
import { questionRoutes } from './routes/question-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { systemRoutes } from './routes/system-routes.ts';
import { tokenRoutes } from './routes/token-routes.ts';
import { turnRoutes } from './routes/turn-routes.ts';
import { Drivers } from './run/drivers.ts';
import { removeSession } from './run/remove-session.ts';
import { sessionRunner } from './run/session-runner.ts';
import { eventRoutes } from './stream/event-routes.ts';
import { OpenStreams } from './stream/open-streams.ts';
import { socketRoutes } from './stream/socket-routes.ts';
import { Tickets } from './stream/tickets.ts';
import { acceptUpgrades } from './stream/upgrades.ts';

export interface ServerOptions {
  /** Runs the sessions. The caller closes it after the server. */
  engine: Engine;
  /** Everything that the server keeps. The caller closes it after the server. */
  store: ServerStore;
  policy: LaunchPolicy;
  /** Names besides those of the loopback interface under which clients reach the server. */
  hosts?: readonly string[];
  /** Origins of pages that may use the server besides its own. */
  origins?: readonly string[];
  /** Requests per second and token, and how many may come at once. */
  rate?: { perSecond: number; burst: number };
  /** Gets the figures of the server. */
  metrics?: Metrics;
  /** Called after each request. */
  answered?: (about: AnsweredRequest) => void;
  /** More rows for the table of routes. */
  routes?: readonly Route[];
}

/** A server that is made, and may listen. */
export interface HeddleServer {
  readonly app: ServerApp;
  /** The table of all routes. */
  readonly routes: readonly Route[];
  /** Runs sessions, and takes connections. Rejects with `cannot_listen`. */
  listen(address: ListenAddress): Promise<Listening>;
  /** Closes a session that is open and rests, so that others can change it. */
  release(sessionId: string): Promise<void>;
  /** Takes nothing new, ends streams, and gives running turns this time. */
  drain(graceMs: number): Promise<void>;
}

const RATE = { perSecond: 10, burst: 50 };
const CAPABILITIES = ['sessions', 'messages', 'turns', 'events', 'sockets', 'questions', 'control', 'tokens'];

/** Makes a server: sessions of an engine over HTTP. Nothing runs before it listens. */
export function createServer(options: ServerOptions): HeddleServer {
  const { engine, policy, hosts = [], origins = [], rate = RATE, routes: more = [], metrics = new Metrics() } = options;
  const { clock, ids, log } = engine.runtime;
  const now = () => clock.now();
  const store = measuredStore(options.store, metrics, now);
  const newId = () => ids.uuid();
  const drivers = new Drivers(store.courier);
  const runner = sessionRunner({ engine, store, drivers, defaults: policy.defaults });
  const streams = new OpenStreams();
  const tickets = new Tickets(now);
  let isDraining = false;
  const problem = async () => (isDraining ? 'The server is about to end' : store.problem());
  const transcriptsOf = async ({ config, workspace }: SessionRecord) => engine.storeOf({ config, cwd: workspace.path });
  const shared = { ...store, policy, now, newId, transcriptsOf, streams, tickets, drivers };
  const routes: Route[] = [
    ...systemRoutes({ all: () => routes, problem, capabilities: CAPABILITIES }),
    ...tokenRoutes(shared),
    ...sessionRoutes({
      ...shared,
      async post(record, messages, by) {
        for (const message of messages) await postMessage(record, message, { ...shared, by });
      },
      remove: (record, { force }) => removeSession(record, { isForced: force, store, runner, engine }),
    }),
    ...messageRoutes(shared),
    ...turnRoutes(shared),
    ...questionRoutes(shared),
    ...controlRoutes(shared),
    ...eventRoutes(shared),
    ...socketRoutes(shared),
    ...more,
  ];
  const gate = new Gatekeeper({ tokens: store.tokens, hosts, origins, now, rate });
  const requested = metrics.counter('heddle_requests_total', 'Requests, by route and status');
  const answered = (about: AnsweredRequest) => {
    requested({ method: about.method, route: about.route, status: String(about.status) });
    options.answered?.(about);
  };
  const app = createApp({ routes, gate, newId, log, answered });
  metrics.gauge('heddle_stream_clients', 'Streams and sockets that are open', () => streams.size);
  metrics.gauge('heddle_sessions_open', 'Sessions that are open and rest', () => runner.resting);
  let listening: Listening | null = null;
  return {
    app,
    routes,
    async listen(address) {
      const server: Server = nodeServerOf(app);
      acceptUpgrades(server, { ...shared, gate });
      listening = await listen(server, address);
      await store.engine.start(runner.run);
      return listening;
    },
    release: (sessionId) => runner.close(sessionId),
    async drain(graceMs) {
      isDraining = true;
      streams.endAll();
      await store.engine.drain(graceMs);
      await runner.closeAll();
      await listening?.close();
    },
  };
}
