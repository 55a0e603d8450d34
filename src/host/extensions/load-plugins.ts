import { basename, resolve } from 'node:path';
import { findPlugin, type InstalledPlugin } from '../../config/extensions/installed-plugins.ts';
import type { FileNotes } from '../../config/extensions/markdown-files.ts';
import { type Plugin, readPlugin } from '../../config/extensions/plugins.ts';
import type { Layer } from '../../config/settings/layers.ts';
import { actsOf, isEmpty, KINDS_OF_ACTS } from '../../plugins/acts.ts';
import { withoutPassword } from '../../plugins/marketplace-source.ts';
import { namedFolders } from '../../plugins/named-folders.ts';
import { pluginData, secretsFile } from '../../plugins/plugin-home.ts';
import { type LockLine, linesFor, lockFile, readLock, standingOf } from '../../plugins/plugin-lock.ts';
import { type ConfiguredValues, readSecrets, withValues } from '../../plugins/plugin-values.ts';
import { errorCode } from '../../util/error-code.ts';
import { systemReason } from '../../util/files/system-reason.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { once } from '../../util/once.ts';
import { type ExtensionOptions, type Extensions, enabledPlugins, type PluginError, pluginsOf } from './extensions.ts';

/**
 * The plugins of a session: those that the launch names, then those that settings enable. A plugin of the launch
 * replaces one with the same name. A plugin that cannot be read is logged and reported to the host, and left out.
 */
export async function readPlugins(
  { config, configuration, env, directories, namedPlugins = pluginsOf(config) }: ExtensionOptions,
  notes: FileNotes,
): Promise<Pick<Extensions, 'plugins' | 'pluginErrors'>> {
  const valuesOf = configuredValues(configuration.loaded.layers, directories.configHome, notes);
  const plugins: Plugin[] = [];
  const pluginErrors: PluginError[] = [];
  const add = (name: string, read: () => Plugin, isTwin: (other: Plugin) => boolean) => {
    try {
      const plugin = read();
      const twin = plugins.find((other) => other.name === plugin.name);
      if (twin && isTwin(twin)) return;
      if (twin) throw new Error(`there is another plugin ${plugin.name}`);
      const { plugin: ready, missing, problems } = withValues(plugin, valuesOf(plugin));
      for (const problem of problems) notes.warn(name, problem);
      if (missing.length > 0) {
        const message = `it needs values: heddle plugin configure ${plugin.source ?? plugin.name} ${missing.map((key) => `${key}=…`).join(' ')}`;
        pluginErrors.push({ plugin: name, type: 'needs-values', message, path: name });
        notes.warn(name, message);
      }
      plugins.push(ready);
    } catch (error) {
      leaveOut(name, error);
    }
  };
  const leaveOut = (name: string, error: unknown) => {
    const problem = errorCode(error) === 'ENOENT' ? 'there is no such directory' : systemReason(error);
    pluginErrors.push({ plugin: name, type: 'load-failed', message: problem, path: name });
    notes.warn(name, `the plugin was left out: ${problem}`);
  };

  for (const named of namedPlugins) {
    const name = named.isUrl ? withoutPassword(named.folder) : resolve(directories.cwd, named.folder);
    const without = !named.hasServers && { mcpServers: null };
    try {
      const signal = AbortSignal.timeout(FETCH_MS);
      for (const folder of await namedFolders(named, directories, { fetch, signal })) {
        const shown = named.isUrl || folder.startsWith(`${name}/`) ? `${name} (${basename(folder)})` : name;
        add(
          folder === name ? name : shown,
          () => ({ ...readPlugin(folder, { notes }), ...without }),
          () => false,
        );
      }
    } catch (error) {
      leaveOut(name, error);
    }
  }
  const ids = enabledPlugins(configuration.settings);
  const marketplaces = marketplacesIn(configuration.loaded.layers);
  const lock = ids.length === 0 ? null : readOwnLock(directories.configHome, notes);
  for (const id of ids) {
    const read = () => {
      const found = findPlugin(id, { ...directories, userHome: env.HOME ?? '', marketplaces });
      const lines = linesFor(lock?.get(id), directories.cwd);
      const { plugin, waits } = readInstalled(found, lines, notes);
      if (waits !== null) {
        pluginErrors.push({ plugin: id, type: 'not-accepted', message: waits, path: id });
        notes.warn(id, waits);
      }
      return { ...(found.version !== undefined && { version: found.version }), ...plugin, source: id };
    };
    // The plugin of the launch replaces it, as an author who tries a plugin expects.
    add(id, read, ({ source }) => source === undefined);
  }
  return { plugins, pluginErrors };
}

/** The values that the user has set for a plugin. A project's settings do not count: a value may start something. */
function configuredValues(
  layers: readonly Layer[],
  configHome: string | null,
  notes: FileNotes,
): (plugin: Plugin) => ConfiguredValues {
  const configs = ownValues(layers, 'pluginConfigs');
  const secrets = once(() => (configHome === null ? {} : secretsIn(secretsFile(configHome), notes)));
  return (plugin) => {
    const id = plugin.source ?? `${plugin.name}@inline`;
    const own = Object.hasOwn(configs, id) && isObject(configs[id]) ? configs[id] : {};
    const secret = 'userConfig' in plugin.manifest ? secrets()[id] : undefined;
    const acts = plugin.hooks !== null || plugin.mcpServers !== null || plugin.prompts.length > 0;
    return {
      options: isObject(own.options) ? own.options : {},
      secrets: isObject(secret) ? secret : {},
      dataFolder: configHome !== null && acts ? pluginData(configHome, id) : null,
    };
  };
}

function secretsIn(file: string, notes: FileNotes): JsonObject {
  try {
    return readSecrets(file);
  } catch (error) {
    notes.warn(file, messageOf(error));
    return {};
  }
}

/** A session waits for the archives of its launch, but not for ever. */
const FETCH_MS = 60_000;

/**
 * A plugin acts with the content that the user has accepted, and with no other. Otherwise its texts are read, and
 * `waits` says what is left out.
 */
function readInstalled(
  { id, folder, entry }: InstalledPlugin,
  lines: readonly LockLine[],
  notes: FileNotes,
): { plugin: Plugin; waits: string | null } {
  const name = id.slice(0, id.lastIndexOf('@'));
  const standing = standingOf(folder, lines);
  if (standing.line) {
    return { plugin: readPlugin(folder, { notes, name, entry: standing.line.entry ?? null }), waits: null };
  }
  const quiet: FileNotes = { warn() {}, ignore() {} };
  const acts = actsOf(readPlugin(folder, { notes: quiet, name, entry }), new Map());
  const plugin = readPlugin(folder, { notes: { ...notes, ignore() {} }, name, entry, isText: true });
  if (isEmpty(acts)) return { plugin, waits: null };
  const kinds = KINDS_OF_ACTS.filter((kind) => acts[kind].length > 0).map((kind) => WORDS[kind]);
  const why = standing.why === 'unknown' ? 'nobody has accepted it here' : 'it has changed since it was accepted';
  const cannot = standing.problem === undefined ? '' : ` (it cannot be checked: ${standing.problem})`;
  return {
    plugin,
    waits: `${why}${cannot}, so that its texts act and its ${kinds.join(', ')} wait: heddle plugin accept ${id}`,
  };
}

const WORDS: Record<(typeof KINDS_OF_ACTS)[number], string> = {
  hooks: 'hooks',
  mcpServers: 'MCP servers',
  lspServers: 'language servers',
  bin: 'programs',
  shell: 'shell commands',
  allowedTools: 'allowed tools',
};

function readOwnLock(configHome: string | null, notes: FileNotes): ReadonlyMap<string, LockLine[]> | null {
  if (configHome === null) return null;
  try {
    return readLock(lockFile(configHome));
  } catch (error) {
    notes.warn(lockFile(configHome), `no plugin counts as accepted: ${messageOf(error)}`);
    return null;
  }
}

/**
 * The marketplaces that a user, a launch or an administrator names. Those of a project do not count: trust covers the
 * text of its settings, not the content of a folder that they name.
 */
function marketplacesIn(layers: readonly Layer[]): JsonObject {
  return ownValues(layers, 'extraKnownMarketplaces');
}

function ownValues(layers: readonly Layer[], key: 'extraKnownMarketplaces' | 'pluginConfigs'): JsonObject {
  const found = layers
    .filter(({ scope }) => scope !== 'projectSettings' && scope !== 'localSettings')
    .flatMap(({ values }) => (isObject(values[key]) ? [values[key]] : []));
  // The strongest layer is the first.
  return Object.assign({}, ...found.toReversed());
}
