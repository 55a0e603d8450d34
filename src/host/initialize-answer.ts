import { resolve } from 'node:path';
import { modelChoices } from '../model/model-choices.ts';
import { existingOrSame } from '../util/existing-path.ts';
import { type JsonObject, stringField } from '../util/json.ts';
import type { SlashCommand } from '../wire/control/index.ts';
import { HEDDLE_VERSION, PROTOCOL_VERSION, WIRE_VERSION } from '../wire/version.ts';
import { commandsOf, oursBeside } from './command-list.ts';
import { agentsOf, CAPABILITIES, styleOf } from './describe.ts';
import type { Parts } from './parts.ts';

/** The body of the answer to `initialize`. */
export function initializeAnswer(
  parts: Parts,
  { isBusy }: { isBusy: boolean },
  request: JsonObject,
): Record<string, unknown> {
  const commands = listedCommands(parts);
  parts.toldCommands = JSON.stringify(commands);
  return {
    commands,
    agents: agentsOf(parts),
    output_style: styleOf(parts),
    available_output_styles: parts.extensions.styles,
    models: modelChoices(parts.choice.env, parts.choice.model),
    account: { tokenSource: 'none', apiKeySource: parts.chosen.keySource },
    pid: parts.pid,
    claude_code_version: WIRE_VERSION,
    heddle_version: HEDDLE_VERSION,
    protocol_version: PROTOCOL_VERSION,
    current_permission_mode: parts.permissions.policy.mode,
    fast_mode_state: 'off',
    session_state: isBusy ? 'running' : 'idle',
    capabilities: CAPABILITIES,
    hook_on_failure_supported: true,
    ...pluginsApplied(parts, request.plugins),
  };
}

/** Whether all plugins of a request are loaded; nothing where it names none. */
export function pluginsApplied({ extensions, workspace }: Parts, plugins: unknown): { plugins_applied?: boolean } {
  if (!Array.isArray(plugins) || plugins.length === 0) return {};
  const roots = new Set(extensions.plugins.map(({ root }) => root));
  const isLoaded = (each: unknown) =>
    roots.has(existingOrSame(resolve(workspace.cwd, stringField(each, 'path') ?? '.')));
  return { plugins_applied: plugins.every(isLoaded) };
}

/** The commands for hosts' menus; today's are told, too, which other names they have, and which come with the program. */
export function listedCommands(parts: Parts): SlashCommand[] {
  const commands = [...commandsOf(parts)];
  if (parts.dialect === '2.1.44') return commands;
  const called = parts.extensions.prompts.filter(({ forUser }) => forUser);
  const ofFiles = new Map(called.map((prompt) => [prompt.name, prompt]));
  const ours = new Set(oursBeside(called).map(({ name }) => name));
  return commands.map((command) => {
    const file = ofFiles.get(command.name);
    const aliases = file?.aliases ?? [];
    return {
      ...command,
      ...(aliases.length > 0 && { aliases: [...aliases] }),
      ...((ours.has(command.name) || file?.scope === 'bundled') && { builtin: true }),
    };
  });
}
