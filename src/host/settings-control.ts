import { maskSettings } from '../config/mask-settings.ts';
import type { Settings } from '../config/settings.ts';
import { permittedMode } from '../permissions/policy.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { ControlError, toHeddleError } from '../wire/errors.ts';
import type { Parts } from './assemble.ts';
import { explainCall } from './explain.ts';
import { policyNow } from './make-turn.ts';
import { checkPermissionSettings } from './permissions.ts';
import { useModel } from './session-models.ts';
import { settingsReport } from './settings-report.ts';

/** `explain_permission`: what would become of a call now. */
export async function explainPermission(parts: Parts, request: JsonObject): Promise<JsonObject> {
  const toolName = stringField(request, 'tool_name');
  if (toolName === undefined) throw new ControlError('request.tool_name must be a string', 'invalid_request');
  const { tools, workspace } = parts;
  try {
    return { ...(await explainCall(toolName, request.input, { tools, workspace, policy: policyNow(parts) })) };
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_request', { cause: error });
  }
}

/** `get_settings`: what is in force, and where it stands. */
export function getSettings({ configuration, chosen, effort, permissions }: Parts): JsonObject {
  const { loaded } = configuration;
  const { effective, settings, ignored, trust } = settingsReport(loaded);
  return {
    effective,
    sources: loaded.layers.map(({ scope, path, values }) => ({
      source: scope,
      ...(path !== null && { path }),
      settings: maskSettings(values),
    })),
    applied: { model: chosen.id, effort: effort ?? null, permissionMode: permissions.policy.mode },
    provenance: settings,
    ignored,
    trust,
  };
}

/** Of a change these act on a session that is already open; for the others it must be started anew. */
const ACTS_AT_ONCE = ['permissions', 'model', '$schema'];

/**
 * `apply_flag_settings`: changes what `--settings` gave, key by key; null takes a key back. All or nothing. Rules and the
 * model hold from the next turn on, the mode at once.
 */
export async function applyFlagSettings(parts: Parts, request: JsonObject): Promise<JsonObject> {
  const { settings: changes } = request;
  if (!isObject(changes)) throw new ControlError('request.settings must be an object', 'invalid_request');
  try {
    await parts.configuration.changeGiven(changes, (settings) => accept(parts, changes, settings));
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_settings', { cause: error });
  }
  return { without_effect: Object.keys(changes).filter((key) => !ACTS_AT_ONCE.includes(key)) };
}

/** Checks everything before it changes anything. The rules are taken over when the next turn begins. */
async function accept(parts: Parts, changes: JsonObject, settings: Settings): Promise<void> {
  const { permissions, configuration } = parts;
  checkPermissionSettings(settings);
  const mode = stringField(changes.permissions, 'defaultMode');
  const wanted = mode === undefined ? permissions.policy.mode : permittedMode(mode, permissions.policy);
  if (changes.model === null) await useModel(parts, configuration.launch(settings).model);
  else if (changes.model !== undefined) await useModel(parts, settings.model);
  permissions.setMode(wanted);
}
