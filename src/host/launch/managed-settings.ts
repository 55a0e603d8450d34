import { givenLayer, type Layer } from '../config/layers.ts';
import { readHooks } from '../hooks/read-hooks.ts';
import { NARROWING, saysSomething } from '../permissions/trust.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';

const FLAG = '--managed-settings';

/**
 * What the program that started this one forbids: the JSON, or the JSON file, of `--managed-settings`. It only narrows,
 * and no update lifts it. What cannot be honoured is an error: nobody should run with fewer restrictions than were asked
 * for. An allow list restricts nothing, so it is only said to have no effect.
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
    return givenLayer('policySettings', given, { cwd, flag: FLAG });
  } catch (error) {
    throw refuse(messageOf(error), error);
  }
}

/** Hosts are told by a word of the reference that it was for these. */
function refuse(message: string, cause?: unknown): HeddleError {
  const facts = { startupFailureReason: 'managed_settings_invalid' };
  return new HeddleError('invalid_settings', message, { facts, cause });
}

/** A hook may be what forbids. What is no object at all is refused with the other kinds. */
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
