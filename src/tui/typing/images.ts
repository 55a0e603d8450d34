import { clipboardImage, imageOfFile, type TakenImage } from '../clipboard/clipboard.ts';
import { imagePathIn } from '../clipboard/image-path.ts';
import { edited } from '../focus/editor-keys.ts';
import type { Stage } from '../stage/stage.ts';
import type { TypingContext, TypingInbox } from './typing-context.ts';

/** Puts images of the clipboard, and of files that are dropped into the window, into the prompt. */
export class Images {
  readonly #place: TypingContext;
  readonly #stage: Stage;
  readonly #desk: TypingInbox;

  constructor(place: TypingContext, stage: Stage, desk: TypingInbox) {
    this.#place = place;
    this.#stage = stage;
    this.#desk = desk;
  }

  async fromClipboard(): Promise<void> {
    const { env, platform } = this.#place;
    this.#attach(await clipboardImage({ env, platform }));
  }

  /** False where the pasted text is no path of an image: then it is text. */
  fromPaste(text: string): boolean {
    const { cwd, env } = this.#place;
    const path = imagePathIn(text, { cwd, home: env.HOME ?? null });
    if (path === null) return false;
    const taken = imageOfFile(path);
    // A path that leads to no image may be what the person wants to write.
    if ('problem' in taken) this.#stage.notify(taken.problem);
    else this.#attach(taken);
    return 'image' in taken;
  }

  #attach(taken: TakenImage): void {
    const desk = this.#desk;
    if ('problem' in taken) this.#stage.notify(`${taken.problem}.`);
    else desk.set(edited(desk.state, { type: 'attach', image: taken.image }));
    this.#stage.changed();
  }
}
