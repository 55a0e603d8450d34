import type { EffortLevel } from '../wire/effort-levels.ts';
import { effortLevels, pacesItsThinking } from './capabilities.ts';
import { type Env, resolveModel } from './resolve.ts';

export interface ModelChoice {
  value: string;
  displayName: string;
  description: string;
  /** The model id that the name means here; absent where no model can answer it. */
  resolvedModel?: string;
  supportsEffort?: boolean;
  /** Absent where the levels are unknown. */
  supportedEffortLevels?: EffortLevel[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
  /** The mode `auto` does not depend on the model, so every model has it. */
  supportsAutoMode?: boolean;
}

/**
 * The names that hosts can offer their users; `default` means the model of the launch. Any other id is accepted too.
 */
export function modelChoices(env: Env, launchModel: string | undefined): ModelChoice[] {
  const choices: ModelChoice[] = [
    {
      value: 'default',
      displayName: 'Default',
      description: 'What the launch or the environment chooses, else Sonnet',
    },
    { value: 'sonnet', displayName: 'Sonnet', description: 'For everyday work' },
    { value: 'opus', displayName: 'Opus', description: 'For the hardest tasks' },
    { value: 'haiku', displayName: 'Haiku', description: 'Quick and cheap' },
    { value: 'offline', displayName: 'Offline', description: 'Built in, no network: follows plain instructions' },
  ];
  return choices.map((each) => ({ ...each, ...meaningOf(each.value === 'default' ? launchModel : each.value, env) }));
}

function meaningOf(name: string | undefined, env: Env): Partial<ModelChoice> {
  try {
    const { id } = resolveModel(name, env);
    const levels = effortLevels(id);
    return {
      resolvedModel: id,
      ...(levels && { supportsEffort: levels.length > 0 }),
      ...(levels && levels.length > 0 && { supportedEffortLevels: [...levels] }),
      supportsAdaptiveThinking: pacesItsThinking(id),
      supportsFastMode: false,
      supportsAutoMode: true,
    };
  } catch {
    return {};
  }
}
