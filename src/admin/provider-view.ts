import { connectElsewhere } from '../host/engine/elsewhere.ts';
import type { Engine } from '../host/engine/engine.ts';
import { STORED_KEY } from '../host/engine/engine-models.ts';
import type { Env } from '../host/engine/environment.ts';
import { storedKeyFor } from '../host/engine/stored-keys.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';

/** A provider as a run here would use it. */
export interface ProviderView {
  /** What stands before the names of its models; for Anthropic's API, nothing. */
  name: string;
  isReady: boolean;
  /** What is missing, as a sentence; null: nothing. */
  lacks: string | null;
  /** The variable with its key, or `stored`; null: there is none, or the credential is found when the model is asked. */
  source: string | null;
}

/** A cloud or a named server. Nobody is asked, and no command runs: whether a credential is right shows only then. */
export async function viewProvider(
  { runtime }: Pick<Engine, 'runtime'>,
  name: string,
  { env, configHome }: { env: Env; configHome: string | null },
): Promise<ProviderView> {
  const own = { runtime, userAgent: 'heddle' };
  try {
    const found = await connectElsewhere(name, env, {
      ...{ commands: undefined, processes: undefined, note: undefined },
      own,
      stored: (provider, address) => storedKeyFor(configHome, { provider, address }),
    });
    if (found instanceof HeddleError) return { name, isReady: false, lacks: found.message, source: null };
    const { keySource } = found;
    const source = keySource === STORED_KEY ? 'stored' : keySource;
    return { name, isReady: true, lacks: null, source: source === 'none' ? null : source };
  } catch (error) {
    return { name, isReady: false, lacks: messageOf(error), source: null };
  }
}
