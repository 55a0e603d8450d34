import { type SharedSession, shareSession } from '../../../src/host/hosts/share-session.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Answer, Client, type House } from '../support.ts';

export interface Shared {
  session: SharedSession;
  /** The host that opened the session. */
  owner: Client;
  /** Another host; resolves when it is in. */
  attach(request?: JsonObject, answer?: Answer): Promise<Client & { attached: JsonObject }>;
}

/** A session of the house that several hosts share. */
export function share(house: House, config: RunConfig = {}, answer?: Answer): Shared {
  const launch = { config: { permissionPromptTool: 'stdio', replayUserMessages: true, ...config } };
  const session = shareSession(house.engine, launch);
  const owner = new Client(session.own({ role: 'drive', name: 'owner' }), answer);
  afterTest(async () => {
    session.stop();
    await session.ended;
  });
  return {
    session,
    owner,
    async attach(request = {}, other) {
      const { near, far } = memoryPair();
      void session.join(far).finally(() => far.close());
      const client = new Client(near, other);
      const { response } = await client.control({ subtype: 'attach', ...request });
      return Object.assign(client, { attached: response as JsonObject });
    },
  };
}
