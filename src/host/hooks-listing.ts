import { EVENT_NAMES, factsOf } from '../hooks/events.ts';
import { type Hook, hookLabel } from '../hooks/hook.ts';
import type { HooksListing } from '../wire/control/index.ts';

/** The body of the answer to `get_hooks_listing`. */
export function hooksListing(hooks: readonly Hook[]): HooksListing {
  return {
    events: [...new Set(hooks.map(({ event }) => event))],
    hooks: hooks.map((hook) => ({
      event: hook.event,
      matcher: hook.matcher,
      type: hook.kind,
      [hook.kind]: hook.kind === 'callback' ? hook.callbackId : hookLabel(hook),
      timeout: hook.timeoutMs / 1000,
      source: hook.source.scope,
      where: hook.source.where,
    })),
    eventCatalog: EVENT_NAMES.map((name) => ({ name, supportsMatcher: factsOf(name).subject !== undefined })),
  };
}
