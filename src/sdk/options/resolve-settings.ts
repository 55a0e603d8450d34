import { fileLayers, type Layer } from '../config/layers.ts';
import { mergeLayers } from '../config/merge.ts';
import type { FileScope, Scope } from '../config/scopes.ts';
import { existingOrSame } from '../util/existing-path.ts';
import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
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

/** What the files say, without a word on whether they may act: the project's may not, until somebody trusts it. */
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
  const layers: GivenLayer[] = [
    ...given(serverManagedSettings, 'remote'),
    ...given(managedSettings, 'parent'),
    ...fileLayers(scopes, { ...place, cwd: existingOrSame(place.cwd) }),
  ];
  const effective = mergeLayers(layers);
  return {
    effective,
    provenance: Object.fromEntries(Object.keys(effective).map((key) => [key, whereIs(key, layers)])),
    sources: layers.map((layer) => ({ ...placeOf(layer), settings: layer.values as Settings })).reverse(),
    machinePolicy: { didNotLoad: false },
  };
}

interface GivenLayer extends Layer {
  origin?: 'remote' | 'parent';
}

function given(values: Settings | undefined, origin: 'remote' | 'parent'): GivenLayer[] {
  return values === undefined ? [] : [{ scope: 'policySettings', path: null, values: values as JsonObject, origin }];
}

function whereIs(key: string, layers: readonly GivenLayer[]): ProvenanceEntry | undefined {
  const layer = layers.find(({ values }) => Object.hasOwn(values, key));
  return layer && placeOf(layer);
}

function placeOf({ scope, path, origin }: GivenLayer): ProvenanceEntry {
  return { source: SOURCES[scope], ...(path !== null && { path }), ...(origin && { policyOrigin: origin }) };
}
