import * as z from 'zod/mini';
import { patchSettings } from '../../config/settings/edit-settings.ts';
import type { Settings } from '../../config/settings/settings.ts';
import { isFileScope } from '../../config/settings/store-update.ts';
import { directoryPath, permittedMode } from '../../permissions/policy.ts';
import { applyUpdate } from '../../permissions/updates.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';
import { ControlError, toHeddleError } from '../../wire/errors.ts';
import { PermissionUpdate } from '../../wire/permissions.ts';
import { firstIssue } from '../../wire/schema.ts';
import { hooksAsked } from '../hooks/matching-hooks.ts';
import { settingsReport, settingsSources } from '../launch/settings-report.ts';
import { effortOf, isThinkingWanted } from '../models/request-settings.ts';
import { explainCall } from '../permissions/explain-call.ts';
import { checkPermissionSettings } from '../permissions/session-permissions.ts';
import { refreshRules } from '../session/refresh-rules.ts';
import { useModel } from '../thread/switch-model.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** `explain_permission`: what a call would meet now, or after updates that are only tried. */
export async function explainPermission({ main }: ControlContext, request: JsonObject): Promise<JsonObject> {
  const toolName = stringField(request, 'tool_name');
  if (toolName === undefined) throw invalidRequest('tool_name', 'a string');
  const { toolbox, workplace, permissions, hooks: lazyHooks } = main;
  const updates = z.array(PermissionUpdate).safeParse(request.updates ?? []);
  if (!updates.success) throw invalidRequest('updates', `a list of permission updates: ${firstIssue(updates.error)}`);
  try {
    const by = {
      tools: toolbox.registry,
      workspace: workplace.workspace,
      policy: updates.data.reduce(applyUpdate, permissions.inForce()),
      pathRules: workplace.guard.info(),
    };
    const hooks = lazyHooks.current && hooksAsked(lazyHooks.current.all(), by);
    const options = { ...by, ...(hooks && { hooks }) };
    return { ...(await explainCall(toolName, request.input, options)) };
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_request', { cause: error });
  }
}

/** `get_settings`: the settings in force, and the file of each. */
export function getSettings({ main, services }: ControlContext): JsonObject {
  const { model, permissions } = main;
  const { warnOnce } = services;
  const { loaded } = services.configuration;
  const { effective, settings, ignored, trust } = settingsReport(loaded);
  return {
    effective,
    sources: settingsSources(loaded),
    applied: {
      model: model.selected.id,
      effort: effortOf({ effort: model.effort, warnOnce }, model.selected) ?? null,
      permissionMode: permissions.policy.mode,
      thinking: isThinkingWanted(model.settings),
    },
    provenance: settings,
    ignored,
    trust,
  };
}

/** These settings act on a session that is already open. Any other needs a new session. */
const ACTS_AT_ONCE = ['permissions', 'model', 'effortLevel', 'outputStyle', '$schema'];

/**
 * `apply_flag_settings`: changes the settings of `--settings`, key by key; null resets a key. All or nothing. Rules, model
 * and effort hold from the next turn on, the mode at once.
 */
export async function applyFlagSettings({ main, services }: ControlContext, request: JsonObject): Promise<JsonObject> {
  const { settings: changes } = request;
  if (!isObject(changes)) throw invalidRequest('settings', 'an object');
  try {
    await services.configuration.changeLaunchSettings(changes, (settings) => accept(main, changes, settings));
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_settings', { cause: error });
  }
  await useStyle(main, changes);
  return { without_effect: Object.keys(changes).filter((key) => !ACTS_AT_ONCE.includes(key)) };
}

/** A new output style holds from the next turn on. */
async function useStyle(main: MainThread, changes: JsonObject): Promise<void> {
  if (changes.outputStyle === undefined) return;
  await refreshRules(main);
  await main.services.extensions.reload();
}

/** Checks everything before it changes anything. The rules come into force when the next turn begins. */
async function accept(main: MainThread, changes: JsonObject, settings: Settings): Promise<void> {
  const { permissions, model } = main;
  checkPermissionSettings(settings);
  const mode = stringField(changes.permissions, 'defaultMode');
  const wanted = mode === undefined ? permissions.policy.mode : permittedMode(mode, permissions.policy);
  // Null: back to the launch. Any other value wins over the launch, because it came later.
  const launch = main.services.configuration.launch(settings);
  if (changes.model !== undefined) {
    const requested = changes.model === null ? null : (settings.model ?? null);
    await useModel(main, requested ?? launch.model, { requested, source: 'sdk' });
  }
  if (changes.effortLevel !== undefined) {
    model.setEffort(changes.effortLevel === null ? launch.effort : settings.effortLevel);
  }
  permissions.setMode(wanted);
}

/**
 * The settings that a host may write to a file over the wire. Settings that run commands, find credentials or reach the
 * environment of processes are for the user at the machine: with an editor, or `heddle config set`.
 */
const WRITABLE = [
  'permissions',
  'model',
  'fallbackModel',
  'effortLevel',
  'outputStyle',
  'theme',
  'prefersReducedMotion',
  'preferredNotifChannel',
  'terminalProgressBarEnabled',
  'modelAliases',
  'modelLimits',
  'autoCompactEnabled',
  'fileCheckpointingEnabled',
  'editorMode',
];

/**
 * `update_settings`: changes a settings file, objects key by key, lists as a whole; null removes a key. All or nothing.
 * Rules and the output style hold from the next turn on if the session reads that file, everything else in later sessions.
 */
export async function updateSettings(
  { main, services, session }: ControlContext,
  request: JsonObject,
): Promise<JsonObject> {
  const { source, settings } = request;
  if (typeof source !== 'string' || !isFileScope(source)) {
    const reason = 'request.source must be userSettings, projectSettings or localSettings';
    throw new ControlError(reason, 'invalid_request');
  }
  if (!isObject(settings)) throw invalidRequest('settings', 'an object');
  const forbidden = Object.keys(settings).find((key) => !WRITABLE.includes(key));
  if (forbidden !== undefined) {
    const reason = `${printable(forbidden)} cannot be changed over the wire: only ${WRITABLE.join(', ')}`;
    throw new ControlError(reason, 'invalid_settings');
  }
  try {
    await services.configuration.changeFile(source, (values) => patchSettings(values, settings));
  } catch (error) {
    throw new ControlError(toHeddleError(error).message, 'invalid_settings', { cause: error });
  }
  // Between turns `get_settings` tells at once what has changed.
  if (!session.isBusy) await refreshRules(main);
  await useStyle(main, settings);
  return {};
}

/** A directory that does not exist is a slip of the person. The answer to a question may name one that a call will make. */
async function checkDirectories(updates: readonly PermissionUpdate[], { workplace, permissions }: MainThread) {
  const added = updates.flatMap((update) => (update.type === 'addDirectories' ? update.directories : []));
  for (const directory of added) {
    const real = permissions.policy.realPath(directoryPath(directory, permissions.policy));
    const found = real === null ? null : await workplace.workspace.stat(real);
    if (found?.kind === 'directory') continue;
    const why = found ? 'It is no directory' : 'It does not exist';
    throw new ControlError(
      `${JSON.stringify(directory)} cannot be a working directory: ${why}. Make it first, or name another one.`,
      'invalid_settings',
    );
  }
}

/**
 * `update_permissions`: changes rules, directories or the mode, and saves them where they say. The person at the host
 * decides, as with the answer to a question; it is checked as strictly.
 */
export async function updatePermissions({ main, services }: ControlContext, request: JsonObject): Promise<JsonObject> {
  const parsed = z.array(PermissionUpdate).safeParse(request.updates);
  if (!parsed.success) throw invalidRequest('updates', `a list of permission updates: ${firstIssue(parsed.error)}`);
  await checkDirectories(parsed.data, main);
  try {
    await main.permissions.apply(parsed.data);
    await services.mcp.current?.policies.approvals.remember(parsed.data);
  } catch (error) {
    const { code, message } = toHeddleError(error);
    throw new ControlError(message, code === 'storage_failed' ? code : 'invalid_settings', { cause: error });
  }
  return { mode: main.permissions.policy.mode };
}
