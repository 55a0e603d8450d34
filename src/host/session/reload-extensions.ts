import { announceCommands } from '../commands/announce-commands.ts';
import { pluginHooks } from '../extensions/extensions.ts';
import type { MainThread } from '../thread/thread.ts';
import { refreshRules } from './refresh-rules.ts';

/**
 * Reads all extension files again, and announces commands that have changed. All kinds at once: a plugin brings some of
 * each, and settings say which plugins there are. A running turn keeps the tools that it has.
 */
export async function reloadExtensions(main: MainThread): Promise<void> {
  const { services, hooks } = main;
  const { extensions, configuration } = services;
  await refreshRules(main);
  await extensions.reload();
  announceCommands(services);
  const configured = pluginHooks(extensions.current, configuration.loaded.layers);
  if (configured.length === 0 && !hooks.current) return;
  const opened = await hooks.open();
  opened.remove('plugin');
  for (const { raw: written, source } of configured) opened.add(written, source);
}
