import { givenLayer, type Layer } from '../config/layers.ts';
import { isActedOn } from '../config/settings.ts';
import { refuseSettings } from '../config/settings-file.ts';
import { isObject } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';

/**
 * What `--settings` gives: JSON, or the path of a JSON file. Who gives settings with a launch counts on them: keys without
 * effect are said, and hooks are refused, because nobody should run without one that they ask for.
 */
export function flagLayer(given: string, cwd: string, log: Logger): Layer {
  const layer = givenLayer('flagSettings', given, { cwd, flag: '--settings' });
  const { values } = layer;
  if (isObject(values.hooks) && Object.keys(values.hooks).length > 0) {
    throw refuseSettings('Settings: hooks are not supported in this version');
  }
  const permissions = isObject(values.permissions) ? values.permissions : {};
  const keys = [...Object.keys(values), ...Object.keys(permissions).map((key) => `permissions.${key}`)];
  for (const key of keys.filter((each) => !isActedOn(each) && each !== '$schema')) {
    log('warn', `The setting ${key} has no effect in this version and was ignored`);
  }
  return layer;
}
