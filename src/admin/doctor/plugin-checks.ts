import { acceptable } from '../../plugins/accept-plugin.ts';
import { isEmpty } from '../../plugins/acts.ts';
import { type InstalledRow, listInstalled } from '../../plugins/installed-list.ts';
import type { PluginHome } from '../../plugins/plugin-home.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Check, DoctorContext } from './check.ts';

/** Checks the plugins that are installed for this directory and enabled. None: nothing is said. */
export async function gatherPlugins({ cwd, env, home, engine }: DoctorContext): Promise<Check[]> {
  if (home === null) return []; // the check of the home reports this
  const plugins = { configHome: home, cwd, userHome: env.HOME ?? '', now: () => engine.runtime.clock.now() };
  const rows = listInstalled(plugins).filter(({ enabled }) => enabled);
  if (rows.length === 0) return [];
  const waiting = rows.flatMap((row) => waitingCheck(row, plugins));
  const summary = `${rows.length} enabled, ${rows.length - waiting.length} act with the content that was accepted`;
  return [{ id: 'plugins', status: 'ok', summary, facts: { enabled: rows.map(({ id }) => id) } }, ...waiting];
}

function waitingCheck({ id, state }: InstalledRow, home: PluginHome): Check[] {
  if (state === 'accepted') return [];
  const check = { id: `plugins.${id}`, status: 'warning' as const, facts: { state } };
  try {
    if (isEmpty(acceptable(home, id).examined.acts)) return []; // it has only texts
    const why = state === 'changed' ? 'it has changed since it was accepted' : 'nobody has accepted it here';
    return [{ ...check, summary: `only its texts act: ${why}`, next: `heddle plugin accept ${id}` }];
  } catch (error) {
    return [
      { ...check, summary: messageOf(error), next: `heddle plugin update ${id}, or heddle plugin uninstall ${id}` },
    ];
  }
}
