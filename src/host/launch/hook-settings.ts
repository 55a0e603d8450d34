import type { Layer } from '../../config/settings/layers.ts';
import type { HookSource } from '../../hooks/hook.ts';
import { isObject } from '../../util/json.ts';

/** Hooks as a file or the host wrote them, not parsed yet, and their origin. */
export interface ConfiguredHooks {
  raw: unknown;
  source: HookSource;
}

const PROJECT: ReadonlySet<string> = new Set(['projectSettings', 'localSettings']);

/**
 * The hooks of settings that apply. `disableAllHooks` removes the hooks of its own layer and of weaker ones, but a
 * project never removes the hooks of its user. `allowManagedHooksOnly` keeps only those of the administrator.
 */
export function hooksInLayers(layers: readonly Layer[]): ConfiguredHooks[] {
  const isManagedOnly = layers.some(
    ({ scope, values }) => scope === 'policySettings' && values.allowManagedHooksOnly === true,
  );
  const disabling = layers.filter(({ values }) => values.disableAllHooks === true);
  return layers.flatMap(({ scope, path, values: { hooks } }) => {
    if (!isObject(hooks) || Object.keys(hooks).length === 0) return [];
    if (isManagedOnly && scope !== 'policySettings') return [];
    if (disabling.some((layer) => mayDisable(layer.scope, scope))) return [];
    const where = path ?? (scope === 'policySettings' ? '--managed-settings' : '--settings');
    return [{ raw: hooks, source: { scope, where } }];
  });
}

/** Whether hooks of extensions apply: settings of the user or the administrator can turn them off. */
export function extensionHooksAct(layers: readonly Layer[]): boolean {
  return !layers.some(({ scope, values }) => {
    if (PROJECT.has(scope)) return false;
    return values.disableAllHooks === true || (scope === 'policySettings' && values.allowManagedHooksOnly === true);
  });
}

/** Whether a setting of the layer `by` may disable something of the layer `whose`. */
export function mayDisable(by: string, whose: string): boolean {
  if (by === 'policySettings') return true;
  return PROJECT.has(by) ? PROJECT.has(whose) : whose !== 'policySettings';
}
