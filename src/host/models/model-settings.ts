import type { ThinkingDisplay } from '../../wire/thinking-display.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { PromptSettings } from '../launch/system-prompt.ts';

/** Settings that may change while the session lives. Null resets a setting. */
export interface SessionSettings extends PromptSettings {
  maxThinkingTokens?: number | null;
  /** The model decides how much it thinks, if it can. */
  adaptiveThinking?: boolean;
  /** How much of the thinking the provider sends; absent: the provider decides. */
  thinkingDisplay?: ThinkingDisplay | null;
  /** The tool that a call gets, by the name that the model calls. */
  toolAliases?: ReadonlyMap<string, string>;
  /** How to work in plan mode, in the host's words. */
  planModeInstructions?: string;
}

/** The options of `ModelSettings`. */
export interface ModelSettingsOptions {
  selected: SelectedModel;
  launchModel: string | undefined;
  fallbacks: readonly SelectedModel[];
  betas: readonly string[];
  effort: string | undefined;
  maxOutputTokens: number | undefined;
  userId: string;
  settings: SessionSettings;
}

/** The model that answers a thread, and the settings of its requests. */
export class ModelSettings {
  /** The models that are tried when the selected one cannot answer. */
  readonly fallbacks: readonly SelectedModel[];
  readonly betas: readonly string[];
  readonly maxOutputTokens: number | undefined;
  readonly userId: string;
  #selected: SelectedModel;
  #launchModel: string | undefined;
  #effort: string | undefined;
  readonly #settings: SessionSettings;

  constructor({
    selected,
    launchModel,
    fallbacks,
    betas,
    effort,
    maxOutputTokens,
    userId,
    settings,
  }: ModelSettingsOptions) {
    this.fallbacks = fallbacks;
    this.betas = betas;
    this.maxOutputTokens = maxOutputTokens;
    this.userId = userId;
    this.#selected = selected;
    this.#launchModel = launchModel;
    this.#effort = effort;
    this.#settings = { ...settings };
  }

  get selected(): SelectedModel {
    return this.#selected;
  }

  adopt(selected: SelectedModel): void {
    this.#selected = selected;
  }

  /** The model that `set_model` without a name returns to. */
  get launchModel(): string | undefined {
    return this.#launchModel;
  }

  setLaunchModel(name: string): void {
    this.#launchModel = name;
  }

  get effort(): string | undefined {
    return this.#effort;
  }

  setEffort(effort: string | undefined): void {
    this.#effort = effort;
  }

  get settings(): Readonly<SessionSettings> {
    return this.#settings;
  }

  change(settings: SessionSettings): void {
    Object.assign(this.#settings, settings);
  }

  /** The settings of an agent: its own model and prompts, and otherwise the current settings of this thread. */
  forAgent(own: Pick<ModelSettingsOptions, 'selected' | 'settings'> & { effort?: string }): ModelSettings {
    const { fallbacks, betas, maxOutputTokens, userId, launchModel, effort } = this;
    return new ModelSettings({ fallbacks, betas, maxOutputTokens, userId, launchModel, effort, ...own });
  }
}
