import { messageOf } from '../../util/message-of.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { Row } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Stage } from '../stage/stage.ts';

/** Commands that the person runs with `!`, one after the other. The session records them, and its lines show them. */
export class ShellCommands {
  readonly #stage: Stage;
  #running: { command: string; stop: AbortController } | null = null;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** `!command`, or `!!command` for one whose output the model shall answer at once. */
  async run(text: string): Promise<void> {
    const [, marks = '!', command = ''] = /^(!!?)\s*([\s\S]*)$/.exec(text) ?? [];
    const { link } = this.#stage;
    if (command === '' || !link) return;
    if (this.#running) {
      this.#stage.draft(text);
      this.#stage.notify(`! ${safeLine(this.#running.command)} still runs: esc stops it.`);
      return;
    }
    const stop = new AbortController();
    this.#running = { command, stop };
    this.#stage.changed();
    try {
      const should_query = marks === '!!';
      await link.call({ subtype: 'shell_command', command, should_query }, { signal: stop.signal });
    } catch (error) {
      const why = stop.signal.aborted ? 'stopped' : messageOf(error);
      this.#stage.print(['', `! ${safeLine(command)}: ${why}`], stop.signal.aborted ? 'dim' : 'error');
    } finally {
      this.#running = null;
      this.#stage.changed();
    }
  }

  /** False: nothing runs. */
  stop(): boolean {
    this.#running?.stop.abort();
    return this.#running !== null;
  }

  rows(): Row[] {
    if (!this.#running) return [];
    const { context } = this.#stage;
    return [
      headRow(context, [
        { text: '! ', styles: ['warning'] },
        { text: safeLine(this.#running.command) },
        { text: ' \u00b7 runs \u00b7 esc stops it', styles: ['dim'] },
      ]),
    ];
  }
}
