import { resolve } from 'node:path';
import { findPlugin } from '../config/installed-plugins.ts';
import type { Layer } from '../config/layers.ts';
import type { FileNotes } from '../config/markdown-files.ts';
import { type Plugin, readPlugin } from '../config/plugins.ts';
import { errorCode } from '../util/error-code.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { systemReason } from '../util/system-reason.ts';
import { type ExtensionOptions, type Extensions, enabledPlugins, type PluginError, pluginsOf } from './extensions.ts';

/**
 * The plugins of a session: those that the launch names, then those that settings enable. Of two with one name that of
 * the launch counts. One that cannot be found or read is told, here and to the host, and the session goes on without it.
 */
export function readPlugins(
  { config, configuration, env, places, givenPlugins = pluginsOf(config) }: ExtensionOptions,
  notes: FileNotes,
): Pick<Extensions, 'plugins' | 'pluginErrors'> {
  const plugins: Plugin[] = [];
  const pluginErrors: PluginError[] = [];
  const add = (name: string, read: () => Plugin, isTwin: (other: Plugin) => boolean) => {
    try {
      const plugin = read();
      const twin = plugins.find((other) => other.name === plugin.name);
      if (twin && isTwin(twin)) return;
      if (twin) throw new Error(`there is another plugin ${plugin.name}`);
      plugins.push(plugin);
    } catch (error) {
      const problem = errorCode(error) === 'ENOENT' ? 'there is no such directory' : systemReason(error);
      pluginErrors.push({ plugin: name, type: 'load-failed', message: problem, path: name });
      notes.warn(name, `the plugin was left out: ${problem}`);
    }
  };

  for (const { folder, hasServers } of givenPlugins) {
    const path = resolve(places.cwd, folder);
    const read = () => (hasServers ? readPlugin(path, notes) : { ...readPlugin(path, notes), mcpServers: null });
    add(path, read, () => false);
  }
  const marketplaces = marketplacesIn(configuration.loaded.layers);
  for (const id of enabledPlugins(configuration.settings)) {
    const read = () => {
      const { folder, manifest } = findPlugin(id, { ...places, userHome: env.HOME ?? '', marketplaces });
      return { ...readPlugin(folder, notes, manifest), source: id };
    };
    // The launch stands in for it, as whoever works on a plugin wants.
    add(id, read, ({ source }) => source === undefined);
  }
  return { plugins, pluginErrors };
}

/**
 * The marketplaces that a user, a launch or an administrator names. Not those of a project: trust is bound to what its
 * settings say, and would not notice what becomes of a folder that they lead to.
 */
function marketplacesIn(layers: readonly Layer[]): JsonObject {
  const given = layers
    .filter(({ scope }) => scope !== 'projectSettings' && scope !== 'localSettings')
    .flatMap(({ values }) => (isObject(values.extraKnownMarketplaces) ? [values.extraKnownMarketplaces] : []));
  // The strongest layer is the first.
  return Object.assign({}, ...given.toReversed());
}
