import { findConfigHome } from '../util/config-home.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ResolvedSettings, ResolveSettingsOptions, Settings } from './settings-types.ts';

/**
 * What the settings files of a directory say together, and where each key stands. No agent is started. Rejects with
 * `invalid_settings` for a file that cannot be read.
 *
 * This is what is written, not what acts: an agent leaves out what a project may not say before somebody trusts it.
 * `resolveSettings` of `heddle/engine` and `heddle config list` tell what acts.
 *
 * @example
 * ```ts
 * const { effective, provenance } = await resolveSettings({ cwd: '.', settingSources: ['project'] });
 * console.log(effective.model, provenance.model?.path);
 * ```
 */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  const { settingsOf } = await import('./resolve-settings.ts'); // most programs read no settings
  const home = findConfigHome(process.env);
  if (home && 'problem' in home) throw new HeddleError('invalid_settings', home.problem);
  return settingsOf(options, { cwd: options.cwd ?? process.cwd(), configHome: home?.path ?? null });
}

const ESCALATING: ReadonlySet<unknown> = new Set(['bypassPermissions', 'auto', 'acceptEdits']);

/**
 * The settings without a `permissions.defaultMode` that would open something and that the project's own file has set.
 *
 * @example
 * ```ts
 * const settings = filterEscalatingDefaultMode(await resolveSettings());
 * console.log(settings.permissions?.defaultMode);
 * ```
 */
export function filterEscalatingDefaultMode({ effective, sources }: ResolvedSettings): Settings {
  const mode = effective.permissions?.defaultMode;
  const setter = sources.findLast(({ settings }) => settings.permissions?.defaultMode !== undefined);
  if (!ESCALATING.has(mode) || setter?.source !== 'project') return effective;
  const { defaultMode, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}
