import { fileLayers, type Layer } from '../../config/settings/layers.ts';
import { mergeLayers } from '../../config/settings/merge.ts';
import type { FileScope, Scope } from '../../config/settings/scopes.ts';
import { existingOrSame } from '../../util/files/existing-path.ts';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { SettingSource } from './option-types.ts';
import type { ProvenanceEntry, ResolvedSettings, ResolveSettingsOptions, Settings } from './settings-types.ts';

const SCOPES: Record<SettingSource, FileScope> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

const SOURCES: Record<Scope, ProvenanceEntry['source']> = {
  userSettings: 'user',
  projectSettings: 'project',
  localSettings: 'local',
  flagSettings: 'flag',
  policySettings: 'managed',
};

/**
 * The contents of the settings files, regardless of trust: an agent ignores parts of a project's files until the user
 * trusts the project.
 */
export function settingsOf(
  options: ResolveSettingsOptions,
  place: { cwd: string; configHome: string | null },
): ResolvedSettings {
  const { settingSources = ['user', 'project', 'local'], managedSettings, serverManagedSettings } = options;
  const unknown = settingSources.find((source) => !Object.hasOwn(SCOPES, source));
  if (unknown !== undefined) {
    const message = `settingSources: there is no source ${JSON.stringify(unknown)}; expected user, project or local`;
    throw new HeddleError('invalid_option', message, { facts: { option: 'settingSources' } });
  }
  const scopes = settingSources.map((source) => SCOPES[source]);
  const layers: ConfiguredLayer[] = [
    ...given(serverManagedSettings, 'remote'),
    ...given(managedSettings, 'parent'),
    ...fileLayers(scopes, { ...place, cwd: existingOrSame(place.cwd) }),
  ];
  const effective = mergeLayers(layers);
  return {
    effective,
    provenance: Object.fromEntries(Object.keys(effective).map((key) => [key, whereIs(key, layers)])),
    sources: layers.map((layer) => ({ ...locationOf(layer), settings: layer.values as Settings })).reverse(),
    machinePolicy: { didNotLoad: false },
  };
}

interface ConfiguredLayer extends Layer {
  origin?: 'remote' | 'parent';
}

function given(values: Settings | undefined, origin: 'remote' | 'parent'): ConfiguredLayer[] {
  return values === undefined ? [] : [{ scope: 'policySettings', path: null, values: values as JsonObject, origin }];
}

function whereIs(key: string, layers: readonly ConfiguredLayer[]): ProvenanceEntry | undefined {
  const layer = layers.find(({ values }) => Object.hasOwn(values, key));
  return layer && locationOf(layer);
}

function locationOf({ scope, path, origin }: ConfiguredLayer): ProvenanceEntry {
  return { source: SOURCES[scope], ...(path !== null && { path }), ...(origin && { policyOrigin: origin }) };
}
