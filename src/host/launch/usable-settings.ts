import type { Layer } from '../../config/settings/layers.ts';
import { faultText, kindFaults, type SettingFault, withoutFaults } from '../../config/settings/setting-faults.ts';
import { nameOf } from '../../config/settings/settings.ts';
import { refuseSettings } from '../../config/settings/settings-file.ts';
import { parseRules } from '../../permissions/rules.ts';
import { readSandboxRules } from '../../tools/sandbox/sandbox-settings.ts';
import { isFilled, isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import { FLAGS } from '../../wire/flags.ts';
import { permissionModes, toPermissionMode } from '../../wire/permission-modes.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/**
 * The settings of a scope without invalid values; the valid rest of a file applies. Logs each invalid value with its
 * file, its key and the valid form. Throws `invalid_settings` for an invalid value that would forbid something, and for
 * any in a managed scope.
 */
export function soundLayer(layer: Layer, config: RunConfig, log: Logger): Layer {
  const faults = faultsIn(layer.values, config);
  const isManaged = layer.scope === 'policySettings';
  const fatal = faults.find(({ forbids }) => forbids || isManaged);
  if (fatal) throw refuseSettings(`Settings: ${textOf(fatal)} (${nameOf(layer)})`);
  const where = printable(nameOf(layer));
  for (const fault of faults.slice(0, MAX_TOLD)) log('warn', `${where}: ${ended(textOf(fault))} It was left out.`);
  const more = faults.length - MAX_TOLD;
  if (more > 0) log('warn', `${where}: ${more} more values cannot be used and were left out.`);
  checkSandbox(layer);
  return faults.length === 0 ? layer : { ...layer, values: withoutFaults(layer.values, faults) };
}

/** Reported faults of one file: these are enough to see what is wrong. */
const MAX_TOLD = 20;

function textOf(fault: SettingFault): string {
  return printable(faultText(fault)).replace(/\.$/, '');
}

/** Adds a full stop, unless the text is a question. */
function ended(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

/** All invalid values: of the wrong type, or without a meaning. `config` is the launch. */
export function faultsIn(values: JsonObject, config: RunConfig): SettingFault[] {
  const permissions = isObject(values.permissions) ? values.permissions : {};
  return [
    ...kindFaults(values),
    ...(['deny', 'ask', 'allow'] as const).flatMap((list) => ruleFaults(list, permissions[list])),
    ...modeFaults(permissions.defaultMode, config),
    ...effortFaults(values.effortLevel),
    ...aliasFaults(values.modelAliases),
    ...limitFaults(values.modelLimits),
    ...serverFaults('deniedMcpServers', values.deniedMcpServers),
    ...serverFaults('allowedMcpServers', values.allowedMcpServers),
  ];
}

function ruleFaults(list: 'deny' | 'ask' | 'allow', rules: unknown): SettingFault[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((text, at) => {
    const { problems } = parseRules(typeof text === 'string' ? text : []);
    const path = ['permissions', list, at];
    return problems.map((problem) => ({ path, problem: `: ${problem}`, forbids: list !== 'allow' }));
  });
}

function modeFaults(mode: unknown, config: RunConfig): SettingFault[] {
  if (typeof mode !== 'string') return [];
  const fault = (problem: string) => [{ path: ['permissions', 'defaultMode'], problem, forbids: false }];
  const known = toPermissionMode(mode);
  if (known === undefined) {
    const near = nearestWord(mode, permissionModes);
    const meant = near === null ? '' : `. Did you mean ${near}?`;
    return fault(`must be one of ${permissionModes.join(', ')}, and is '${mode}'${meant}`);
  }
  // The command line can permit the mode by naming it; settings alone cannot.
  const isPermitted =
    config.dangerouslySkipPermissions === true ||
    config.allowDangerouslySkipPermissions === true ||
    config.permissionMode !== undefined;
  if (known !== 'bypassPermissions' || isPermitted) return [];
  return fault(': bypassPermissions acts only where the launch permits it, with --allow-dangerously-skip-permissions');
}

function effortFaults(level: unknown): SettingFault[] {
  const choices = FLAGS.find(({ key }) => key === 'effort')?.choices ?? [];
  if (typeof level !== 'string' || choices.includes(level)) return [];
  return [
    { path: ['effortLevel'], problem: `must be one of ${choices.join(', ')}, and is '${level}'`, forbids: false },
  ];
}

function aliasFaults(aliases: unknown): SettingFault[] {
  return Object.entries(isObject(aliases) ? aliases : {}).flatMap(([name, model]) => {
    if (isFilled(model)) return [];
    return [{ path: ['modelAliases', name], problem: 'must be the name of a model', forbids: false }];
  });
}

const LIMITS = ['contextWindow', 'maxOutputTokens'];

function limitFaults(limits: unknown): SettingFault[] {
  return Object.entries(isObject(limits) ? limits : {}).flatMap(([model, raw]): SettingFault[] => {
    const path = ['modelLimits', model];
    if (!isObject(raw)) return [{ path, problem: `must be an object with ${LIMITS.join(' and ')}`, forbids: false }];
    const wrong = LIMITS.filter((key) => raw[key] !== undefined && !isCount(raw[key]));
    return wrong.map((key) => ({ path: [...path, key], problem: 'must be a whole number above 0', forbids: false }));
  });
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

const SERVER_KEYS = ['serverName', 'serverCommand', 'serverUrl'];

/** Faults of entries that match no server: such an entry would deny nothing. */
function serverFaults(key: string, entries: unknown): SettingFault[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, at) => {
    if (!isObject(entry) || SERVER_KEYS.some((name) => entry[name] !== undefined)) return [];
    return [{ path: [key, at], problem: `must have one of ${SERVER_KEYS.join(', ')}`, forbids: true }];
  });
}

/** Throws an error that names the file: the sandbox itself sees only the merged settings of all scopes. */
function checkSandbox(layer: Layer): void {
  const { sandbox } = layer.values;
  if (!isObject(sandbox)) return;
  try {
    readSandboxRules(sandbox, () => {});
  } catch (error) {
    throw refuseSettings(`${messageOf(error)} (${nameOf(layer)})`, error);
  }
}
