import { resolve } from 'node:path';
import { modelChoices } from '../../model/model-choices.ts';
import { existingOrSame } from '../../util/files/existing-path.ts';
import { type JsonObject, stringField } from '../../util/json.ts';
import { HEDDLE_VERSION, PROTOCOL_VERSION, WIRE_VERSION } from '../../wire/version.ts';
import { listedCommands } from '../commands/command-list.ts';
import { agentsOf, CAPABILITIES, styleOf } from '../thread/init-line.ts';
import type { MainThread } from '../thread/thread.ts';
import type { ControlContext } from './control-handler.ts';

/** The body of the answer to `initialize`. */
export function initializeAnswer(
  { session, main, services }: ControlContext,
  request: JsonObject,
): Record<string, unknown> {
  const { preferences, extensions, models, options, agents } = services;
  const commands = listedCommands(services);
  preferences.announcedCommands = JSON.stringify(commands);
  return {
    commands,
    agents: agentsOf(agents.sources),
    output_style: styleOf(extensions.current),
    available_output_styles: extensions.current.styles,
    models: modelChoices(models.choice.env, models.choice.model),
    account: accountOf(main),
    pid: options.pid,
    claude_code_version: WIRE_VERSION,
    heddle_version: HEDDLE_VERSION,
    protocol_version: PROTOCOL_VERSION,
    current_permission_mode: main.permissions.policy.mode,
    fast_mode_state: 'off',
    session_state: session.isBusy ? 'running' : 'idle',
    capabilities: CAPABILITIES,
    hook_on_failure_supported: true,
    ...pluginsApplied(main, request.plugins),
  };
}

/** Where the key comes from. The reference has no word for a model that cannot be asked. */
function accountOf({ model: { selected } }: MainThread) {
  const { keySource, problem } = selected;
  return { tokenSource: 'none', apiKeySource: keySource, ...(problem !== undefined && { problem }) };
}

/** Whether all plugins of a request are loaded; empty where the request names none. */
export function pluginsApplied({ services, workplace }: MainThread, plugins: unknown): { plugins_applied?: boolean } {
  if (!Array.isArray(plugins) || plugins.length === 0) return {};
  const { cwd } = workplace.workspace;
  const roots = new Set(services.extensions.current.plugins.map(({ root }) => root));
  const isLoaded = (each: unknown) => roots.has(existingOrSame(resolve(cwd, stringField(each, 'path') ?? '.')));
  return { plugins_applied: plugins.every(isLoaded) };
}
