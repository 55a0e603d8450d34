import { maskSettings, maskValue } from '../../config/settings/mask-settings.ts';
import { mergeLayers } from '../../config/settings/merge.ts';
import { originsOf } from '../../config/settings/provenance.ts';
import type { Scope } from '../../config/settings/scopes.ts';
import { formatKey } from '../../config/settings/setting-key.ts';
import { isActedOn } from '../../config/settings/settings.ts';
import type { JsonObject } from '../../util/json.ts';
import type { LoadedSettings } from './load-settings.ts';
import type { TrustReport } from './project-trust.ts';

/** One setting in force; the items of a list come one by one. Values of credentials are masked. */
export interface ReportedSetting {
  /** Dotted: `permissions.deny`. */
  key: string;
  value: unknown;
  scope: ScopeName;
  /** The file or the flag. */
  source: string;
  /** Whether this version supports the setting. */
  hasEffect: boolean;
}

export type ScopeName = 'managed' | 'flag' | 'local' | 'project' | 'user';

/** Settings of a project's file that are not in force, and the reason. */
export interface IgnoredSettings {
  file: string;
  keys: string[];
  reason: string;
}

/** All settings in force, as the command line and hosts show them. */
export interface SettingsReport {
  /** The merged settings that the session uses. */
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

/** The settings of each source, the strongest first, in the form of the wire. */
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

/** Every state has a reason: even a trusted project does not decide where credentials are sent. */
const IGNORED_BECAUSE: Record<TrustReport['state'], string> = {
  untrusted: 'the directory is not trusted',
  changed: 'the directory has changed since it was trusted',
  trusted: 'a project does not decide where credentials are sent',
  none: 'there is nothing to trust',
};
