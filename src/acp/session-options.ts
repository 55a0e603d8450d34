import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { RunConfig } from '../wire/run-config.ts';

/** What a person can set of a session, and its values now. */
export interface SettableState {
  mode: string;
  /** As the session names it; empty while nothing is known. */
  model: string;
  effort: string | null;
  isThinking: boolean;
  /** The models of `list_models`. */
  models: readonly JsonObject[];
  /** The agent that answers as the main thread; empty: none. */
  agent: string;
  /** The agents that could, as `initialize` lists them. */
  agents: readonly JsonObject[];
  /** Whether the launch permits the mode that asks for nothing. */
  mayBypass: boolean;
}

/** Of a session that has not told anything yet. */
export function firstState(config: RunConfig): SettableState {
  const { agent = '', dangerouslySkipPermissions, allowDangerouslySkipPermissions } = config;
  const mayBypass = dangerouslySkipPermissions === true || allowDangerouslySkipPermissions === true;
  return { mode: 'default', model: '', effort: null, isThinking: false, models: [], agent, agents: [], mayBypass };
}

const MODES: readonly { id: string; name: string; description: string }[] = [
  { id: 'default', name: 'Ask', description: 'Asks before calls that no rule allows' },
  { id: 'acceptEdits', name: 'Accept edits', description: 'Changes files of the project without asking' },
  { id: 'plan', name: 'Plan', description: 'Reads and plans, and changes nothing' },
  { id: 'dontAsk', name: 'Do not ask', description: 'Denies what it would have to ask for' },
  { id: 'bypassPermissions', name: 'Bypass permissions', description: 'Asks for nothing; deny rules hold' },
];

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

export const DEFAULT_VALUE = 'default';

function modesOf({ mode, mayBypass }: SettableState): typeof MODES {
  const offered = MODES.filter(({ id }) => id !== 'bypassPermissions' || mayBypass || mode === id);
  return offered.some(({ id }) => id === mode) ? offered : [...offered, { id: mode, name: mode, description: '' }];
}

/** The modes, in the older form that editors still read. */
export function modeState(state: SettableState): JsonObject {
  return { currentModeId: state.mode, availableModes: modesOf(state).map((mode) => ({ ...mode })) };
}

/** All options. Switches are left out for clients that have only choices. */
export function configOptions(state: SettableState, { hasSwitches }: { hasSwitches: boolean }): JsonObject[] {
  const thinking: JsonObject = { id: 'thinking', name: 'Thinking', type: 'boolean', currentValue: state.isThinking };
  return [
    {
      ...{ id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: state.mode },
      options: modesOf(state).map(({ id, name, description }) => ({ value: id, name, description })),
    },
    modelOption(state),
    {
      ...{ id: 'effort', name: 'Effort', category: 'thought_level', type: 'select' },
      currentValue: state.effort ?? DEFAULT_VALUE,
      options: effortValues(state).map((value) => ({ value, name: value === DEFAULT_VALUE ? 'Default' : value })),
    },
    ...agentOption(state),
    ...(hasSwitches ? [thinking] : []),
  ];
}

function effortValues({ effort }: SettableState): string[] {
  const others = effort !== null && !EFFORTS.includes(effort) ? [effort] : [];
  return [DEFAULT_VALUE, ...EFFORTS, ...others];
}

/** Left out where there is no choice. */
function agentOption({ agent, agents }: SettableState): JsonObject[] {
  const offered = agents.flatMap((each) => {
    const value = stringField(each, 'name');
    const description = stringField(each, 'description');
    return value === undefined ? [] : [{ value, name: value, ...(description !== undefined && { description }) }];
  });
  if (agent !== '' && !offered.some(({ value }) => value === agent)) offered.push({ value: agent, name: agent });
  if (offered.length === 0) return [];
  const none = { value: DEFAULT_VALUE, name: 'Default' };
  const currentValue = agent === '' ? DEFAULT_VALUE : agent;
  return [
    { id: 'agent', name: 'Agent', category: '_agent', type: 'select', currentValue, options: [none, ...offered] },
  ];
}

function modelOption({ model, models }: SettableState): JsonObject {
  const offered = models.flatMap((each) => {
    const value = stringField(each, 'value');
    if (value === undefined) return [];
    const description = stringField(each, 'description');
    const name = stringField(each, 'displayName') ?? value;
    return [{ value, name, ...(description !== undefined && { description }) }];
  });
  const isCurrent = (each: JsonObject) => each.value === model || each.resolvedModel === model;
  const current = stringField(models.find(isCurrent), 'value') ?? model;
  const isOffered = offered.some(({ value }) => value === current);
  return {
    ...{ id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: current },
    options: isOffered ? offered : [{ value: current, name: current === '' ? 'Default' : current }, ...offered],
  };
}

/** The update that lists the commands of a session. */
export function commandsUpdate(commands: readonly JsonObject[]): JsonObject {
  const availableCommands = commands.map((command) => {
    const hint = stringField(command, 'argumentHint');
    return {
      ...{ name: stringField(command, 'name') ?? '', description: stringField(command, 'description') ?? '' },
      ...(hint && { input: { hint } }),
    };
  });
  return { sessionUpdate: 'available_commands_update', availableCommands };
}

/** What a person should know about a project that is not trusted; null where nothing of it is left out. */
export function trustNotice(trust: unknown): string | null {
  if (!isObject(trust) || trust.trusted === true || !Array.isArray(trust.ignored) || trust.ignored.length === 0) {
    return null;
  }
  const what = 'Files of this project that would act are left out, because the project is not trusted';
  return `${what}. In a terminal there, "heddle trust" shows and accepts them.`;
}

/** What `get_settings` tells. */
export function appliedOf(settings: JsonObject): Pick<SettableState, 'model' | 'effort' | 'isThinking'> {
  const applied = isObject(settings.applied) ? settings.applied : {};
  return {
    model: stringField(applied, 'model') ?? '',
    effort: stringField(applied, 'effort') ?? null,
    isThinking: applied.thinking === true,
  };
}

/** As much as the SDK gives a model whose thinking has no budget of its own. */
export const THINKING_TOKENS = 32_000;
