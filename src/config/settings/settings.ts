import { isObject, type JsonObject } from '../../util/json.ts';
import type { Layer } from './layers.ts';
import { mergeLayers } from './merge.ts';
import type { Scope } from './scopes.ts';
import { faultText, KINDS, kindFaults, PERMISSION_KINDS } from './setting-faults.ts';
import { refuseSettings } from './settings-file.ts';

/** Rules as they are written, with their source. */
export interface RuleTexts {
  behavior: 'allow' | 'deny' | 'ask';
  texts: readonly string[];
  scope: Scope;
  /** The source for errors and explanations: a file, or a flag. */
  where: string;
}

/** The supported settings, merged from all layers. Heddle preserves other settings and ignores them. */
export interface Settings {
  rules: RuleTexts[];
  defaultMode?: string;
  additionalDirectories: string[];
  isBypassDisabled: boolean;
  /** What holds rules that deny paths to commands. */
  enforcement: 'auto' | 'kernel' | 'parse';
  /** Modes that accept edits ask for files that tell a build server what to run. */
  asksForCi: boolean;
  env: Record<string, string>;
  model?: string;
  fallbackModel?: string;
  effortLevel?: string;
  apiKeyHelper?: string;
  awsAuthRefresh?: string;
  awsCredentialExport?: string;
  gcpAuthRefresh?: string;
  autoCompactEnabled?: boolean;
  fileCheckpointingEnabled?: boolean;
  modelAliases?: JsonObject;
  modelLimits?: JsonObject;
  modelProviders?: JsonObject;
  modelPricing?: JsonObject;
  modelOverrides?: JsonObject;
  modelCatalog?: boolean;
  sandbox?: JsonObject;
  hooks?: JsonObject;
  disableAllHooks?: boolean;
  allowManagedHooksOnly?: boolean;
  outputStyle?: string;
  /** The terminal asks for these; the engine does not use them. */
  terminal?: JsonObject;
  editorMode?: string;
  vimInsertModeRemaps?: JsonObject;
  axScreenReader?: boolean;
  theme?: string;
  preferredNotifChannel?: string;
  prefersReducedMotion?: boolean;
  terminalProgressBarEnabled?: boolean;
  /** Of the layers together; `status_line` runs its command. */
  statusLine?: JsonObject;
  claudeMdExcludes?: string[];
  /** The MCP servers that may use the model. */
  allowMcpSampling?: string[];
  enabledPlugins?: JsonObject;
  extraKnownMarketplaces?: JsonObject;
  pluginConfigs?: JsonObject;
  enableAllProjectMcpServers?: boolean;
  enabledMcpjsonServers?: string[];
  disabledMcpjsonServers?: string[];
  allowedMcpServers?: JsonObject[];
  deniedMcpServers?: JsonObject[];
}

/**
 * Reads the layers, the strongest first. Throws `invalid_settings` for a value of the wrong kind, with the file and the
 * key: a lost deny rule would allow what it forbids. `withoutFaults` has removed the values that may be left out.
 */
export function readSettings(layers: readonly Layer[]): Settings {
  for (const layer of layers) refuseFaults(layer);
  const merged = mergeLayers(layers);
  const permissions = isObject(merged.permissions) ? merged.permissions : {};
  return {
    rules: layers.flatMap(rulesIn),
    additionalDirectories: (permissions.additionalDirectories as string[] | undefined) ?? [],
    isBypassDisabled: permissions.disableBypassPermissionsMode === 'disable',
    enforcement: (permissions.enforcement as Settings['enforcement'] | undefined) ?? 'auto',
    asksForCi: permissions.askForCiFiles === true,
    ...picked(permissions, ['defaultMode']),
    env: Object.fromEntries(Object.entries(merged.env ?? {}).map(([name, value]) => [name, String(value)])),
    ...picked(merged, Object.keys(KINDS).filter((key) => key !== 'permissions' && key !== 'env') as (keyof Settings)[]),
  };
}

/** Whether Heddle supports a setting: `['model']`, `['permissions', 'deny']`. */
export function isActedOn([first = '', second]: readonly string[]): boolean {
  if (first === 'permissions' && second !== undefined) return Object.hasOwn(PERMISSION_KINDS, second);
  return Object.hasOwn(KINDS, first);
}

/** The keys of the supported settings. */
export function actedOnKeys(): string[] {
  const others = Object.keys(KINDS).filter((key) => key !== 'permissions');
  return [...others, ...Object.keys(PERMISSION_KINDS).map((key) => `permissions.${key}`)];
}

/** The name of a layer: its file, or its flag. */
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

/** Throws for the first value of the wrong kind. */
function refuseFaults(layer: Layer): void {
  const [fault] = kindFaults(layer.values);
  if (fault) throw refuseSettings(`Settings: ${faultText(fault)} (${nameOf(layer)})`);
}

function picked(values: JsonObject, keys: readonly (keyof Settings)[]): Partial<Settings> {
  return Object.fromEntries(keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));
}
