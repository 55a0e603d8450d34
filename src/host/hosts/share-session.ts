import { toHeddleError } from '../../wire/errors.ts';
import { memoryPair } from '../../wire/link/memory-transport.ts';
import type { Transport } from '../../wire/link/transport.ts';
import type { Launch } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import { exitOf, observedBy } from '../serve/in-process.ts';
import { type ServeEnd, serve } from '../serve/serve.ts';
import type { HostRole } from './attached-host.ts';
import { type Arrival, HostHub } from './host-hub.ts';

/** A session that any number of hosts can share. */
export interface SharedSession {
  readonly hub: HostHub;
  /**
   * A host in this process that is in at once. The end of its input is the end of the session's input; after `detach` it
   * is gone, and the session continues.
   */
  own(about: { role: HostRole; name: string }): Transport;
  /** Serves a host that comes over a transport, until it leaves or the session ends. Never rejects. */
  join(transport: Transport, arrival?: Arrival): Promise<void>;
  /** Interrupts what runs, and ends the session. */
  stop(): void;
  /** Resolves with the id of the session; null: it could not be opened. */
  readonly opened: Promise<string | null>;
  /** Resolves when the session is over. Never rejects. */
  readonly ended: Promise<ServeEnd>;
}

/**
 * Opens a session for any number of hosts. Each drives or watches; lines are numbered; a question goes to all that drive,
 * and the first well-formed answer counts.
 */
export function shareSession(engine: Engine, launch: Launch, signal?: AbortSignal): SharedSession {
  const { ids, clock } = engine.runtime;
  const hub = new HostHub({ newId: () => ids.uuid(), now: () => clock.now() });
  const stop = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let announce: (sessionId: string | null) => void = () => {};
  const opened = new Promise<string | null>((resolve) => {
    announce = resolve;
  });
  const onOpen = (sessionId: string) => {
    hub.activity.named(sessionId);
    announce(sessionId);
  };
  const ended = Promise.resolve()
    .then(() => serve(observedBy(engine, launch), hub, launch, stopped, onOpen))
    .catch((error): ServeEnd => ({ exitCode: 1, error: toHeddleError(error) }))
    .finally(() => hub.close().then(() => announce(null)));
  return {
    hub,
    own(about) {
      const { near, far } = memoryPair();
      far.settle({ code: 0, signal: null, stderr: '' }); // nothing to wait for when the client stops writing
      const joined = hub.join(far, { owner: about });
      const isIn = () => hub.hosts.some((host) => host.isAwaited);
      joined.then(async () => {
        // Either the session is over, or this host has left it.
        if (isIn() || !hub.isReady()) near.settle(exitOf(await ended));
        else near.settle({ code: 0, signal: null, stderr: '' });
        far.endInput();
      });
      near.onClose(async () => {
        if (!isIn()) return;
        stop.abort();
        await ended;
      });
      return near;
    },
    join: (transport, arrival) => hub.join(transport, arrival),
    stop: () => stop.abort(),
    opened,
    ended,
  };
}
