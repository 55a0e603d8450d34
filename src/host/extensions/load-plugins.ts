import { resolve } from 'node:path';
import { findPlugin } from '../../config/extensions/installed-plugins.ts';
import type { FileNotes } from '../../config/extensions/markdown-files.ts';
import { type Plugin, readPlugin } from '../../config/extensions/plugins.ts';
import type { Layer } from '../../config/settings/layers.ts';
import { errorCode } from '../../util/error-code.ts';
import { systemReason } from '../../util/files/system-reason.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { type ExtensionOptions, type Extensions, enabledPlugins, type PluginError, pluginsOf } from './extensions.ts';

/**
 * The plugins of a session: those that the launch names, then those that settings enable. A plugin of the launch
 * replaces one with the same name. A plugin that cannot be read is logged and reported to the host, and left out.
 */
export function readPlugins(
  { config, configuration, env, directories, namedPlugins = pluginsOf(config) }: ExtensionOptions,
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

  for (const { folder, hasServers } of namedPlugins) {
    const path = resolve(directories.cwd, folder);
    const read = () => ({ ...readPlugin(path, { notes }), ...(!hasServers && { mcpServers: null }) });
    add(path, read, () => false);
  }
  const marketplaces = marketplacesIn(configuration.loaded.layers);
  for (const id of enabledPlugins(configuration.settings)) {
    const read = () => {
      const found = findPlugin(id, { ...directories, userHome: env.HOME ?? '', marketplaces });
      const plugin = readPlugin(found.folder, { notes, entry: found.entry, name: id.slice(0, id.lastIndexOf('@')) });
      return { ...(found.version !== undefined && { version: found.version }), ...plugin, source: id };
    };
    // The plugin of the launch replaces it, as an author who tries a plugin expects.
    add(id, read, ({ source }) => source === undefined);
  }
  return { plugins, pluginErrors };
}

/**
 * The marketplaces that a user, a launch or an administrator names. Those of a project do not count: trust covers the
 * text of its settings, not the content of a folder that they name.
 */
function marketplacesIn(layers: readonly Layer[]): JsonObject {
  const given = layers
    .filter(({ scope }) => scope !== 'projectSettings' && scope !== 'localSettings')
    .flatMap(({ values }) => (isObject(values.extraKnownMarketplaces) ? [values.extraKnownMarketplaces] : []));
  // The strongest layer is the first.
  return Object.assign({}, ...given.toReversed());
}
