import type { Layer } from '../../config/settings/layers.ts';
import type { LoadedSettings } from './load-settings.ts';

/** A layer of settings that has changed, in the words of the ConfigChange event. */
export interface ChangedLayer {
  source: string;
  scope: string;
  /** The file of the layer; null when it was given as text. */
  path: string | null;
}

const SOURCES: Readonly<Record<string, string>> = {
  userSettings: 'user_settings',
  projectSettings: 'project_settings',
  localSettings: 'local_settings',
  policySettings: 'policy_settings',
  flagSettings: 'flag_settings',
};

/** The layers that differ, including added and removed ones. */
export function changedLayers(before: LoadedSettings, after: LoadedSettings): ChangedLayer[] {
  const keys = new Map([...before.layers, ...after.layers].map((layer) => [keyOf(layer), layer]));
  const textIn = ({ layers }: LoadedSettings, key: string) => {
    const layer = layers.find((each) => keyOf(each) === key);
    return layer && JSON.stringify(layer.values);
  };
  return [...keys]
    .filter(([key]) => textIn(before, key) !== textIn(after, key))
    .map(([, { scope, path }]) => ({ source: SOURCES[scope] ?? scope, scope, path }));
}

function keyOf({ scope, path }: Layer): string {
  return `${scope} ${path ?? ''}`;
}
