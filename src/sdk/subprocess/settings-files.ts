import { findConfigHome } from '../../util/own/config-home.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ResolvedSettings, ResolveSettingsOptions, Settings } from '../options/settings-types.ts';

/**
 * The merged settings files of a directory, with the source of each key. Starts no agent. Rejects with
 * `invalid_settings` for a file that cannot be read.
 *
 * An agent may use less: it ignores the settings that a project may not set before the user trusts it.
 * `resolveSettings` of `heddle/engine` and `heddle config list` return the settings in force.
 *
 * @example
 * ```ts
 * const { effective, provenance } = await resolveSettings({ cwd: '.', settingSources: ['project'] });
 * console.log(effective.model, provenance.model?.path);
 * ```
 */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  const { settingsOf } = await import('../options/resolve-settings.ts'); // most programs read no settings
  const home = findConfigHome(process.env);
  if (home && 'problem' in home) throw new HeddleError('invalid_settings', home.problem);
  return settingsOf(options, { cwd: options.cwd ?? process.cwd(), configHome: home?.path ?? null });
}

const ESCALATING: ReadonlySet<unknown> = new Set(['bypassPermissions', 'auto', 'acceptEdits']);

/**
 * The settings without a `permissions.defaultMode` that the project's own file set and that would permit more.
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
