import { patchSettings } from '../config/edit-settings.ts';
import type { Settings } from '../config/settings.ts';
import { isFileScope } from '../config/store-update.ts';
import { permittedMode } from '../permissions/policy.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/printable.ts';
import { ControlError, toHeddleError } from '../wire/errors.ts';
import { refreshRules } from './configuration.ts';
import { explainCall } from './explain.ts';
import { policyNow } from './make-turn.ts';
import type { Parts } from './parts.ts';
import { checkPermissionSettings } from './permissions.ts';
import { effortOf } from './request-settings.ts';
import { settingsReport, settingsSources } from './settings-report.ts';
import { useModel } from './use-model.ts';

/** `explain_permission`: what would become of a call now. */
export async function explainPermission(parts: Parts, request: JsonObject): Promise<JsonObject> {
  const toolName = stringField(request, 'tool_name');
  if (toolName === undefined) throw new ControlError('request.tool_name must be a string', 'invalid_request');
  const { tools, workspace } = parts;
  try {
    const by = { tools, workspace, policy: policyNow(parts) };
    const hooks = parts.hooks && (await import('./hooks-admin.ts')).hooksAsked(parts.hooks.all(), by);
    const options = { ...by, ...(hooks && { hooks }) };
    return { ...(await explainCall(toolName, request.input, options)) };
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_request', { cause: error });
  }
}

/** `get_settings`: what is in force, and where it stands. */
export function getSettings(parts: Parts): JsonObject {
  const { configuration, chosen, permissions } = parts;
  const { loaded } = configuration;
  const { effective, settings, ignored, trust } = settingsReport(loaded);
  return {
    effective,
    sources: settingsSources(loaded),
    applied: { model: chosen.id, effort: effortOf(parts, chosen) ?? null, permissionMode: permissions.policy.mode },
    provenance: settings,
    ignored,
    trust,
  };
}

/** Of a change these act on a session that is already open; for the others it must be started anew. */
const ACTS_AT_ONCE = ['permissions', 'model', 'effortLevel', 'outputStyle', '$schema'];

/**
 * `apply_flag_settings`: changes what `--settings` gave, key by key; null takes a key back. All or nothing. Rules, model
 * and effort hold from the next turn on, the mode at once.
 */
export async function applyFlagSettings(parts: Parts, request: JsonObject): Promise<JsonObject> {
  const { settings: changes } = request;
  if (!isObject(changes)) throw new ControlError('request.settings must be an object', 'invalid_request');
  try {
    await parts.configuration.changeGiven(changes, (settings) => accept(parts, changes, settings));
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_settings', { cause: error });
  }
  await useStyle(parts, changes);
  return { without_effect: Object.keys(changes).filter((key) => !ACTS_AT_ONCE.includes(key)) };
}

/** Another style is how the agent works from the next turn on. */
async function useStyle(parts: Parts, changes: JsonObject): Promise<void> {
  if (changes.outputStyle === undefined) return;
  await refreshRules(parts);
  await parts.reloadExtensions();
}

/** Checks everything before it changes anything. The rules are taken over when the next turn begins. */
async function accept(parts: Parts, changes: JsonObject, settings: Settings): Promise<void> {
  const { permissions, configuration } = parts;
  checkPermissionSettings(settings);
  const mode = stringField(changes.permissions, 'defaultMode');
  const wanted = mode === undefined ? permissions.policy.mode : permittedMode(mode, permissions.policy);
  // Null: back to what the launch says. Anything else wins over it, because it was said later.
  const launch = configuration.launch(settings);
  if (changes.model !== undefined) {
    const requested = changes.model === null ? null : (settings.model ?? null);
    await useModel(parts, requested ?? launch.model, { requested, source: 'sdk' });
  }
  if (changes.effortLevel !== undefined) {
    parts.effort = changes.effortLevel === null ? launch.effort : settings.effortLevel;
  }
  permissions.setMode(wanted);
}

/**
 * What may be written to a file over the wire. What runs commands, finds credentials or reaches the environment of
 * processes is for whoever sits at the machine: an editor, or `heddle config set`.
 */
const WRITABLE = [
  'permissions',
  'model',
  'fallbackModel',
  'effortLevel',
  'outputStyle',
  'modelAliases',
  'modelLimits',
  'autoCompactEnabled',
  'fileCheckpointingEnabled',
];

/**
 * `update_settings`: changes a settings file, objects key by key, lists as a whole; null takes a key away. All or
 * nothing. Rules and the output style hold from the next turn on if the session reads that file, everything else for sessions
 * to come.
 */
export async function updateSettings(parts: Parts, request: JsonObject): Promise<JsonObject> {
  const { source, settings } = request;
  if (typeof source !== 'string' || !isFileScope(source)) {
    const reason = 'request.source must be userSettings, projectSettings or localSettings';
    throw new ControlError(reason, 'invalid_request');
  }
  if (!isObject(settings)) throw new ControlError('request.settings must be an object', 'invalid_request');
  const forbidden = Object.keys(settings).find((key) => !WRITABLE.includes(key));
  if (forbidden !== undefined) {
    const reason = `${printable(forbidden)} cannot be changed over the wire: only ${WRITABLE.join(', ')}`;
    throw new ControlError(reason, 'invalid_settings');
  }
  try {
    await parts.configuration.changeFile(source, (values) => patchSettings(values, settings));
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_settings', { cause: error });
  }
  await useStyle(parts, settings);
  return {};
}
