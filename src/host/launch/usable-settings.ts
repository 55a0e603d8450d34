import type { Layer } from '../config/layers.ts';
import { faultText, kindFaults, type SettingFault, withoutFaults } from '../config/setting-faults.ts';
import { nameOf } from '../config/settings.ts';
import { refuseSettings } from '../config/settings-file.ts';
import { parseRules } from '../permissions/rules.ts';
import { readSandboxRules } from '../tools/sandbox/settings.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { FLAGS } from '../wire/flags.ts';
import { permissionModes, toPermissionMode } from '../wire/permission-modes.ts';
import type { RunConfig } from '../wire/run-config.ts';

/**
 * The settings of a scope without what cannot be used, which is said with its file, its key and what would be right; the
 * rest of the file acts (ruling K53). Throws `invalid_settings` for what forbids something, and for all of a managed scope.
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

/** Of one file. Whoever has more of them sees what is wrong from these. */
const MAX_TOLD = 20;

function textOf(fault: SettingFault): string {
  return printable(faultText(fault)).replace(/\.$/, '');
}

/** As a sentence; a question ends by itself. */
function ended(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}

/** All that cannot be used: of the wrong kind, or without a meaning. `config` is the launch. */
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
  // Naming the mode on the command line is the permission; settings alone are not (ruling K4).
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
    if (typeof model === 'string' && model.trim() !== '') return [];
    return [{ path: ['modelAliases', name], problem: 'must be the name of a model', forbids: false }];
  });
}

const LIMITS = ['contextWindow', 'maxOutputTokens'];

function limitFaults(limits: unknown): SettingFault[] {
  return Object.entries(isObject(limits) ? limits : {}).flatMap(([model, given]): SettingFault[] => {
    const path = ['modelLimits', model];
    if (!isObject(given)) return [{ path, problem: `must be an object with ${LIMITS.join(' and ')}`, forbids: false }];
    const wrong = LIMITS.filter((key) => given[key] !== undefined && !isCount(given[key]));
    return wrong.map((key) => ({ path: [...path, key], problem: 'must be a whole number above 0', forbids: false }));
  });
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

const SERVER_KEYS = ['serverName', 'serverCommand', 'serverUrl'];

/** An entry that fits no server denies none. */
function serverFaults(key: string, entries: unknown): SettingFault[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, at) => {
    if (!isObject(entry) || SERVER_KEYS.some((name) => entry[name] !== undefined)) return [];
    return [{ path: [key, at], problem: `must have one of ${SERVER_KEYS.join(', ')}`, forbids: true }];
  });
}

/** Throws with the file: the sandbox itself sees only what all scopes say together. */
function checkSandbox(layer: Layer): void {
  const { sandbox } = layer.values;
  if (!isObject(sandbox)) return;
  try {
    readSandboxRules(sandbox, () => {});
  } catch (error) {
    throw refuseSettings(`${messageOf(error)} (${nameOf(layer)})`, error);
  }
}
