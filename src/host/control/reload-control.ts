import { isAbsolute } from 'node:path';
import type { ReloadedPlugins, SlashCommand } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { listedCommands } from '../commands/command-list.ts';
import type { ExtensionSet } from '../extensions/extension-set.ts';
import type { Extensions, NamedPlugin } from '../extensions/extensions.ts';
import { reloadExtensions } from '../session/reload-extensions.ts';
import { agentsOf, pluginsOf } from '../thread/init-line.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';
import { readPluginConfigs } from './initialize-first.ts';

/** The control requests that read extension files again. */

export async function reloadSkills({ main, services }: ControlContext): Promise<{ skills: SlashCommand[] }> {
  await reloadExtensions(main);
  const { prompts } = services.extensions.current;
  return { skills: prompts.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })) };
}

/**
 * `reload_plugins`: adds the plugins that the request names. With `hold_on_cache_impact` nothing is read where it would
 * change the tools that the model is offered, because its cache depends on them: the answer lists what would change.
 */
export async function reloadPlugins(context: ControlContext, request: ControlBody): Promise<ReloadedPlugins> {
  const { main, services } = context;
  refuseIfBusy(context, request);
  const added = addedPlugins(request);
  const hold = request.hold_on_cache_impact === true ? await cacheImpact(services.extensions, added) : null;
  if (hold !== null && hold.mcp_servers_added.length + hold.mcp_servers_removed.length > 0) {
    return { ...reloaded(context), held: true, cache_impact: hold };
  }
  const { plugins } = services.extensions;
  const known = new Set(plugins.map(({ folder }) => folder));
  plugins.push(...added.filter(({ folder }) => !known.has(folder)));
  await reloadExtensions(main);
  return { ...reloaded(context), ...(hold !== null && { held: false }) };
}

/** Commands in the shell do not count as work here. */
function refuseIfBusy({ session, services }: ControlContext, { refuse_if_busy }: ControlBody): void {
  if (refuse_if_busy !== true) return;
  const agents = services.background.tasks.pending().filter(({ type }) => type !== 'local_bash');
  if (!session.isAnswering && agents.length === 0) return;
  throw new ControlError('The session is at work: nothing was read again. Ask when it is idle', 'reload_plugins_busy');
}

function addedPlugins({ add_plugins }: ControlBody): NamedPlugin[] {
  const plugins = readPluginConfigs(add_plugins ?? []);
  if (plugins?.every(({ folder }) => isAbsolute(folder))) return plugins;
  throw invalidRequest('add_plugins', "a list of { type: 'local', path: '/absolute' }");
}

/** The servers that plugins would add and remove. */
async function cacheImpact(extensions: ExtensionSet, added: readonly NamedPlugin[]): Promise<CacheImpact> {
  const names = ({ plugins }: Pick<Extensions, 'plugins'>) =>
    plugins.flatMap(({ name, mcpServers }) =>
      Object.keys(mcpServers ?? {}).map((server) => `plugin:${name}:${server}`),
    );
  const before = names(extensions.current);
  const after = names(await extensions.current.again([...extensions.plugins, ...added]));
  return {
    mcp_servers_added: after.filter((name) => !before.includes(name)),
    mcp_servers_removed: before.filter((name) => !after.includes(name)),
    lsp_tool_change: null,
  };
}

type CacheImpact = NonNullable<ReloadedPlugins['cache_impact']>;

function reloaded({ services }: ControlContext): ReloadedPlugins {
  const { agents, mcp, extensions, preferences } = services;
  return {
    commands: listedCommands(services),
    agents: agentsOf(agents.sources),
    plugins: pluginsOf(extensions.current, preferences.dialect),
    mcpServers: mcp.current?.statuses() ?? [],
    error_count: extensions.current.pluginErrors.length,
  };
}

export async function reloadOutputStyles({
  main,
  services,
}: ControlContext): Promise<{ available_output_styles: readonly string[] }> {
  await reloadExtensions(main);
  return { available_output_styles: services.extensions.current.styles };
}
