import { type Layer, rawLayer } from '../../config/settings/layers.ts';
import { readHooks } from '../../hooks/read-hooks.ts';
import { NARROWING, saysSomething } from '../../permissions/narrow-untrusted.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';

const FLAG = '--managed-settings';

/**
 * The restrictions of the program that started this one: the JSON, or the JSON file, of `--managed-settings`. They only
 * narrow, and no update lifts them. Throws for a value that cannot be enforced, so that no run has fewer restrictions
 * than were asked for; an allow list restricts nothing, so it only gets a warning.
 */
export function managedLayer(given: string, cwd: string, log: Logger): Layer {
  const layer = readLayer(given, cwd);
  const { permissions = {}, $schema: _, hooks, disableAllHooks, allowManagedHooksOnly, ...others } = layer.values;
  if (!isObject(permissions)) throw refuse(`${FLAG}: permissions must be an object`);
  const kept: JsonObject = {};
  const unknown: JsonObject = {};
  for (const [key, value] of Object.entries(permissions)) {
    if (NARROWING.has(key)) kept[key] = value;
    else if (key !== 'allow') unknown[key] = value;
  }
  refuseRest(others, '');
  refuseRest(unknown, 'permissions.');
  if (saysSomething(permissions.allow)) {
    log('warn', `permissions.allow in ${FLAG} has no effect: managed settings only restrict`);
  }
  refuseLostHooks(hooks);
  const ofHooks = Object.entries({ hooks, disableAllHooks, allowManagedHooksOnly }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...layer, values: { permissions: kept, ...Object.fromEntries(ofHooks) } };
}

function readLayer(given: string, cwd: string): Layer {
  try {
    return rawLayer('policySettings', given, { cwd, flag: FLAG });
  } catch (error) {
    throw refuse(messageOf(error), error);
  }
}

/** Marks the error with the reference's word for managed settings, which hosts know. */
function refuse(message: string, cause?: unknown): HeddleError {
  const facts = { startupFailureReason: 'managed_settings_invalid' };
  return new HeddleError('invalid_settings', message, { facts, cause });
}

/** Refuses invalid hooks, because a hook may forbid something. Another check refuses `hooks` that is not an object. */
function refuseLostHooks(hooks: unknown): void {
  const [lost] = isObject(hooks) ? readHooks(hooks, { scope: 'policySettings', where: FLAG }).lost : [];
  if (lost !== undefined) throw refuse(`${FLAG}: ${lost}`);
}

function refuseRest(settings: JsonObject, prefix: string): void {
  const key = Object.keys(settings).find((name) => saysSomething(settings[name]));
  if (key === undefined) return;
  throw refuse(
    `${FLAG}: ${prefix}${key} is not supported here, and a run without it would be restricted less than asked`,
  );
}
