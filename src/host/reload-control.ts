import { isAbsolute } from 'node:path';
import type { ReloadedPlugins, SlashCommand } from '../wire/control/index.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { tellCommands } from './commands-changed.ts';
import { refreshRules } from './configuration.ts';
import { agentsOf, pluginsOf } from './describe.ts';
import { type Extensions, type GivenPlugin, pluginHooks } from './extensions.ts';
import { listedCommands } from './initialize-answer.ts';
import { readPluginConfigs } from './initialize-first.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Parts } from './parts.ts';

/** The control requests that read extension files again. A turn that is running keeps the tools that it has. */

export async function reloadSkills(parts: Parts): Promise<{ skills: SlashCommand[] }> {
  await reload(parts);
  const { prompts } = parts.extensions;
  return { skills: prompts.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })) };
}

/**
 * Adds the plugins that the request names. With `hold_on_cache_impact` nothing is read when the tools that the model is
 * offered would be others, which is what its cache hangs on: the answer says what would come and go.
 */
export async function reloadPlugins(parts: Parts, request: ControlBody): Promise<ReloadedPlugins> {
  refuseIfBusy(parts, request);
  const added = addedPlugins(request);
  const hold = request.hold_on_cache_impact === true ? await cacheImpact(parts, added) : null;
  if (hold !== null && hold.mcp_servers_added.length + hold.mcp_servers_removed.length > 0) {
    return { ...reloaded(parts), held: true, cache_impact: hold };
  }
  const known = new Set(parts.givenPlugins.map(({ folder }) => folder));
  parts.givenPlugins.push(...added.filter(({ folder }) => !known.has(folder)));
  await reload(parts);
  return { ...reloaded(parts), ...(hold !== null && { held: false }) };
}

/** Work in the shell alone is none. */
function refuseIfBusy({ toolSession, isAnswering }: Parts, { refuse_if_busy }: ControlBody): void {
  if (refuse_if_busy !== true) return;
  const agents = toolSession.backgroundTasks.pending().filter(({ type }) => type !== 'local_bash');
  if (!isAnswering() && agents.length === 0) return;
  throw new ControlError('The session is at work: nothing was read again. Ask when it is idle', 'reload_plugins_busy');
}

function addedPlugins({ add_plugins }: ControlBody): GivenPlugin[] {
  const given = readPluginConfigs(add_plugins ?? []);
  if (given?.every(({ folder }) => isAbsolute(folder))) return given;
  throw invalidRequest('add_plugins', "a list of { type: 'local', path: '/absolute' }");
}

/** What plugins have in servers now, and what they would have. */
async function cacheImpact(parts: Parts, added: readonly GivenPlugin[]): Promise<CacheImpact> {
  const names = ({ plugins }: Pick<Extensions, 'plugins'>) =>
    plugins.flatMap(({ name, mcpServers }) =>
      Object.keys(mcpServers ?? {}).map((server) => `plugin:${name}:${server}`),
    );
  const before = names(parts.extensions);
  const after = names(await parts.extensions.again([...parts.givenPlugins, ...added]));
  return {
    mcp_servers_added: after.filter((name) => !before.includes(name)),
    mcp_servers_removed: before.filter((name) => !after.includes(name)),
    lsp_tool_change: null,
  };
}

type CacheImpact = NonNullable<ReloadedPlugins['cache_impact']>;

function reloaded(parts: Parts): ReloadedPlugins {
  return {
    commands: listedCommands(parts),
    agents: agentsOf(parts),
    plugins: pluginsOf(parts),
    mcpServers: parts.mcp?.statuses() ?? [],
    error_count: parts.extensions.pluginErrors.length,
  };
}

export async function reloadOutputStyles(parts: Parts): Promise<{ available_output_styles: readonly string[] }> {
  await reload(parts);
  return { available_output_styles: parts.extensions.styles };
}

/** All of them at once: a plugin brings some of each, and settings say which plugins there are. */
async function reload(parts: Parts): Promise<void> {
  await refreshRules(parts);
  await parts.reloadExtensions();
  tellCommands(parts);
  const given = pluginHooks(parts.extensions, parts.configuration.loaded.layers);
  if (given.length === 0 && !parts.hooks) return;
  const hooks = await parts.openHooks();
  hooks.remove('plugin');
  for (const { given: written, source } of given) hooks.add(written, source);
}
