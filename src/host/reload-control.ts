import type { ReloadedPlugins, SlashCommand } from '../wire/control/index.ts';
import { tellCommands } from './commands-changed.ts';
import { refreshRules } from './configuration.ts';
import { agentsOf, commandsOf, pluginsOf } from './describe.ts';
import { pluginHooks } from './extensions.ts';
import type { Parts } from './parts.ts';

/** The control requests that read extension files again. A turn that is running keeps the tools that it has. */

export async function reloadSkills(parts: Parts): Promise<{ skills: SlashCommand[] }> {
  await reload(parts);
  const { prompts } = parts.extensions;
  return { skills: prompts.map(({ name, description, argumentHint }) => ({ name, description, argumentHint })) };
}

export async function reloadPlugins(parts: Parts): Promise<ReloadedPlugins> {
  await reload(parts);
  return {
    commands: [...commandsOf(parts)],
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
