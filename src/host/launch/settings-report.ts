import { maskSettings, maskValue } from '../config/mask-settings.ts';
import { mergeLayers } from '../config/merge.ts';
import { originsOf } from '../config/provenance.ts';
import type { Scope } from '../config/scopes.ts';
import { formatKey } from '../config/setting-key.ts';
import { isActedOn } from '../config/settings.ts';
import type { JsonObject } from '../util/json.ts';
import type { LoadedSettings, TrustReport } from './settings.ts';

/** One setting in force; the items of a list come one by one. Values of credentials are masked. */
export interface ReportedSetting {
  /** Dotted: `permissions.deny`. */
  key: string;
  value: unknown;
  scope: ScopeName;
  /** The file, or the flag. */
  source: string;
  /** Whether this version does something with it. */
  hasEffect: boolean;
}

export type ScopeName = 'managed' | 'flag' | 'local' | 'project' | 'user';

/** What a project's file says that is not in force, and why. */
export interface IgnoredSettings {
  file: string;
  keys: string[];
  reason: string;
}

/** All settings in force, the way people and hosts are told about them. */
export interface SettingsReport {
  /** Merged, as the session uses them. */
  effective: JsonObject;
  settings: ReportedSetting[];
  ignored: IgnoredSettings[];
  trust: TrustReport['state'];
}

export function settingsReport({ layers, trust }: LoadedSettings): SettingsReport {
  return {
    effective: maskSettings(mergeLayers(layers)),
    settings: originsOf(layers).map(({ path, value, scope, source }) => ({
      key: formatKey(path),
      value: maskValue(value, path),
      scope: SCOPE_NAMES[scope],
      source,
      hasEffect: isActedOn(path),
    })),
    ignored: trust.ignored.map((each) => ({ ...each, reason: IGNORED_BECAUSE[trust.state] })),
    trust: trust.state,
  };
}

/** What every source says by itself, the strongest first, as the wire tells it. */
export function settingsSources({ layers }: LoadedSettings): SettingsSource[] {
  return layers.map(({ scope, path, values }) => ({
    source: scope,
    ...(path !== null && { path }),
    settings: maskSettings(values),
  }));
}

export interface SettingsSource {
  source: Scope;
  path?: string;
  settings: JsonObject;
}

export const SCOPE_NAMES: Record<Scope, ScopeName> = {
  policySettings: 'managed',
  flagSettings: 'flag',
  localSettings: 'local',
  projectSettings: 'project',
  userSettings: 'user',
};

/** Also a trusted project does not say where credentials are sent, so there is a reason for every state. */
const IGNORED_BECAUSE: Record<TrustReport['state'], string> = {
  untrusted: 'the directory is not trusted',
  changed: 'the directory has changed since it was trusted',
  trusted: 'a project does not decide where credentials are sent',
  none: 'there is nothing to trust',
};
