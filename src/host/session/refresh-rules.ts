import { messageOf } from '../../util/message-of.ts';
import type { Thread } from '../thread/thread.ts';

/** Brings rules into force that were changed in a file since the last turn. Hooks may object to the change. */
export async function refreshRules({ services, permissions, hooks }: Thread): Promise<void> {
  const { configuration, runtime } = services;
  const { current } = hooks;
  const settings = await configuration.refresh(current ? (next) => current.mayChange(next) : undefined);
  if (!settings) return;
  try {
    permissions.useSettings(settings);
  } catch (error) {
    runtime.log('warn', `${messageOf(error)}. The rules read before stay in force.`);
  }
}
