import type { Hooks } from '../../hooks/dispatch.ts';
import { joinAnswers } from '../../hooks/join-answers.ts';
import type { Logger } from '../../util/runtime.ts';
import { printable } from '../../util/text/printable.ts';
import { changedLayers } from '../launch/changed-layers.ts';
import type { Configuration } from '../launch/configuration.ts';
import { mayDisable } from '../launch/hook-settings.ts';
import type { LoadedSettings } from '../launch/load-settings.ts';

export interface SettingsHooksOptions {
  configuration: Pick<Configuration, 'loaded'>;
  fire: Hooks['fire'];
  log: Logger;
}

/** Reports changed settings to ConfigChange hooks, which may object. */
export class SettingsHooks {
  readonly #options: SettingsHooksOptions;
  /** The settings that hooks know. */
  #reported: LoadedSettings;

  constructor(options: SettingsHooksOptions) {
    this.#options = options;
    this.#reported = options.configuration.loaded;
  }

  /** Before a turn: reports what the host has changed by itself. Objections have no effect. */
  async reportChanges(signal: AbortSignal): Promise<void> {
    const { loaded } = this.#options.configuration;
    if (this.#reported !== loaded) await this.#announce(loaded, signal);
    this.#reported = loaded;
  }

  /** Asks whether settings that have been read may apply. False: the settings in force stay. */
  async mayChange(next: LoadedSettings): Promise<boolean> {
    const objection = await this.#announce(next, new AbortController().signal);
    if (objection === null) this.#reported = next;
    else this.#options.log('warn', printable(`The changed settings do not act: ${objection}`));
    return objection === null;
  }

  /** Reports each changed layer. Returns the first objection of a hook that may disable the layer; null without any. */
  async #announce(next: LoadedSettings, signal: AbortSignal): Promise<string | null> {
    const objections: (string | null)[] = [];
    for (const { source, scope, path } of changedLayers(this.#reported, next)) {
      const payload = { source, ...(path !== null && { file_path: path }) };
      const { runs } = await this.#options.fire('ConfigChange', payload, signal);
      const entitled = runs.filter(({ hook }) => mayDisable(hook.source.scope, scope));
      objections.push(joinAnswers('ConfigChange', source, entitled).block);
    }
    return objections.find((reason) => reason !== null) ?? null;
  }
}
