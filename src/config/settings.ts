import { isObject, type JsonObject } from '../util/json.ts';
import type { Layer } from './layers.ts';
import { mergeLayers } from './merge.ts';
import type { Scope } from './scopes.ts';
import { refuseSettings } from './settings-file.ts';

/** Rules as they are written, with where they stand. */
export interface RuleTexts {
  behavior: 'allow' | 'deny' | 'ask';
  texts: readonly string[];
  scope: Scope;
  /** For errors and explanations: a file, or a flag. */
  where: string;
}

/** The settings that this version acts on, merged from all layers. Everything else is kept and left alone. */
export interface Settings {
  rules: RuleTexts[];
  defaultMode?: string;
  additionalDirectories: string[];
  isBypassDisabled: boolean;
  env: Record<string, string>;
  model?: string;
  fallbackModel?: string;
  effortLevel?: string;
  apiKeyHelper?: string;
  autoCompactEnabled?: boolean;
  fileCheckpointingEnabled?: boolean;
  modelAliases?: JsonObject;
  modelLimits?: JsonObject;
  sandbox?: JsonObject;
  hooks?: JsonObject;
  disableAllHooks?: boolean;
  allowManagedHooksOnly?: boolean;
  outputStyle?: string;
  claudeMdExcludes?: string[];
  /** The MCP servers that may use the model. */
  allowMcpSampling?: string[];
  enabledPlugins?: JsonObject;
  extraKnownMarketplaces?: JsonObject;
  enableAllProjectMcpServers?: boolean;
  enabledMcpjsonServers?: string[];
  disabledMcpjsonServers?: string[];
  allowedMcpServers?: JsonObject[];
  deniedMcpServers?: JsonObject[];
}

/**
 * Reads the layers, the strongest first. Throws `invalid_settings` for a value of the wrong kind, with the file and the
 * key: a rule that got lost on the way would open what it should have closed (trust R-18).
 */
export function readSettings(layers: readonly Layer[]): Settings {
  for (const layer of layers) checkKinds(layer);
  const merged = mergeLayers(layers);
  const permissions = isObject(merged.permissions) ? merged.permissions : {};
  return {
    rules: layers.flatMap(rulesIn),
    additionalDirectories: (permissions.additionalDirectories as string[] | undefined) ?? [],
    isBypassDisabled: permissions.disableBypassPermissionsMode === 'disable',
    ...picked(permissions, ['defaultMode']),
    env: Object.fromEntries(Object.entries(merged.env ?? {}).map(([name, value]) => [name, String(value)])),
    ...picked(merged, Object.keys(KINDS).filter((key) => key !== 'permissions' && key !== 'env') as (keyof Settings)[]),
  };
}

/** Whether this version does something with a setting: `['model']`, `['permissions', 'deny']`. */
export function isActedOn([first = '', second]: readonly string[]): boolean {
  if (first === 'permissions' && second !== undefined) return Object.hasOwn(PERMISSION_KINDS, second);
  return Object.hasOwn(KINDS, first);
}

/** The keys that this version acts on. */
export function actedOnKeys(): string[] {
  const others = Object.keys(KINDS).filter((key) => key !== 'permissions');
  return [...others, ...Object.keys(PERMISSION_KINDS).map((key) => `permissions.${key}`)];
}

/** What to call a layer: its file, or the flag that gave it. */
export function nameOf({ scope, path }: Layer): string {
  return path ?? (scope === 'policySettings' ? '--managed-settings' : '--settings');
}

function rulesIn(layer: Layer): RuleTexts[] {
  const { scope, values } = layer;
  const permissions = isObject(values.permissions) ? values.permissions : {};
  return (['allow', 'deny', 'ask'] as const).flatMap((behavior) => {
    const texts = permissions[behavior] as string[] | undefined;
    return texts === undefined ? [] : [{ behavior, texts, scope, where: `${nameOf(layer)}: permissions.${behavior}` }];
  });
}

type Kind = 'text' | 'switch' | 'object' | 'texts' | 'rules' | 'objects' | 'scalars' | 'disable';

const KINDS: Record<string, Kind> = {
  permissions: 'object',
  env: 'scalars',
  model: 'text',
  fallbackModel: 'text',
  effortLevel: 'text',
  apiKeyHelper: 'text',
  autoCompactEnabled: 'switch',
  fileCheckpointingEnabled: 'switch',
  modelAliases: 'object',
  modelLimits: 'object',
  sandbox: 'object',
  hooks: 'object',
  disableAllHooks: 'switch',
  allowManagedHooksOnly: 'switch',
  outputStyle: 'text',
  claudeMdExcludes: 'texts',
  allowMcpSampling: 'texts',
  enabledPlugins: 'object',
  extraKnownMarketplaces: 'object',
  enableAllProjectMcpServers: 'switch',
  enabledMcpjsonServers: 'texts',
  disabledMcpjsonServers: 'texts',
  allowedMcpServers: 'objects',
  deniedMcpServers: 'objects',
};

const PERMISSION_KINDS: Record<string, Kind> = {
  allow: 'rules',
  deny: 'rules',
  ask: 'rules',
  additionalDirectories: 'texts',
  defaultMode: 'text',
  disableBypassPermissionsMode: 'disable',
};

const SAID: Record<Kind, string> = {
  text: 'a text',
  switch: 'true or false',
  object: 'an object',
  texts: 'a list of texts',
  rules: 'a list of texts, none of them empty',
  objects: 'a list of objects',
  scalars: 'an object of texts',
  disable: '"disable"',
};

function checkKinds(layer: Layer): void {
  checkObject(layer, layer.values, KINDS, '');
  if (isObject(layer.values.permissions))
    checkObject(layer, layer.values.permissions, PERMISSION_KINDS, 'permissions.');
}

function checkObject(layer: Layer, values: JsonObject, kinds: Record<string, Kind>, prefix: string): void {
  for (const [key, kind] of Object.entries(kinds)) {
    const value = values[key];
    if (value === undefined || isOfKind(value, kind)) continue;
    throw refuseSettings(`Settings: ${prefix}${key} must be ${SAID[kind]} (${nameOf(layer)})`);
  }
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'switch':
      return typeof value === 'boolean';
    case 'object':
      return isObject(value);
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'rules':
      return isOfKind(value, 'texts') && (value as string[]).every((rule) => /[^\s,]/.test(rule));
    case 'objects':
      return Array.isArray(value) && value.every(isObject);
    case 'scalars':
      return (
        isObject(value) && Object.values(value).every((item) => ['string', 'number', 'boolean'].includes(typeof item))
      );
    case 'disable':
      return value === 'disable';
  }
}

function picked(values: JsonObject, keys: readonly (keyof Settings)[]): Partial<Settings> {
  return Object.fromEntries(keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));
}
