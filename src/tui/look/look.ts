import { messageOf } from '../../util/message-of.ts';
import type { Change } from '../../view/changes.ts';
import type { InputEvent } from '../input/input-event.ts';
import type { Palette, Row } from '../rows/row.ts';
import type { LookView, StatusLineState } from '../stage/look-view.ts';
import type { Stage } from '../stage/stage.ts';
import { ASK_BACKGROUND } from '../term/probes.ts';
import type { Terminal } from '../term/terminal.ts';
import { ColoursInForce } from './colours-in-force.ts';
import { type LookSettings, lookSettings, USUAL_LOOK } from './look-settings.ts';
import { Notifications } from './notifications.ts';
import { StatusLine } from './status-line.ts';
import { WindowTitle } from './window-title.ts';

export interface LookParts {
  readonly stage: Stage;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** After these blocks a status line has something new to tell. */
const TELLING: ReadonlySet<string> = new Set(['answer', 'compaction', 'branch']);

/** What the terminal looks like, as the person has set it. */
export class Look implements LookView {
  readonly #stage: Stage;
  readonly #terminal: LookParts['terminal'];
  readonly #statusLine: StatusLine;
  readonly #colours: ColoursInForce;
  readonly #title: WindowTitle;
  readonly #notifications: Notifications;
  #settings: LookSettings = USUAL_LOOK;
  #told = '';
  /** What is wrong with files, said once. */
  readonly #said = new Set<string>();

  constructor({ stage, terminal, env }: LookParts) {
    this.#stage = stage;
    this.#terminal = terminal;
    this.#statusLine = new StatusLine(stage, () => terminal.size);
    this.#colours = new ColoursInForce(env, stage.place.home);
    this.#title = new WindowTitle(terminal, env);
    this.#notifications = new Notifications({ terminal, env, cwd: stage.place.cwd, now: () => stage.now() });
  }

  get statusLine(): StatusLineState {
    return this.#statusLine.state;
  }

  /** Whether nothing may turn or blink. */
  get isCalm(): boolean {
    return this.#settings.isCalm;
  }

  get theme(): string {
    return this.#colours.name;
  }

  get themes(): readonly { name: string; what: string }[] {
    return this.#colours.themes;
  }

  readThemes(): void {
    this.#colours.readFiles();
    this.#paint();
    for (const problem of this.#colours.problems) {
      if (!this.#said.has(problem)) this.#stage.print([`! ${problem}`], 'warning');
      this.#said.add(problem);
    }
  }

  paletteOf(theme: string): Palette {
    return this.#colours.palette(theme);
  }

  useTheme(name: string): boolean {
    if (!this.#colours.use(name)) return false;
    this.#paint();
    if (this.#colours.asksBackground) this.#terminal.write(ASK_BACKGROUND);
    return true;
  }

  /** A session is open, the first one or another. */
  opened(): void {
    void this.refresh();
  }

  async refresh(): Promise<void> {
    this.#statusLine.again();
    await this.#readSettings();
  }

  /** The terminal tells its background. */
  background(colour: readonly [number, number, number]): void {
    this.#colours.background(colour);
    if (this.#colours.name === 'auto') this.#paint();
  }

  input(event: InputEvent): void {
    if (event.type === 'focus') {
      this.#notifications.focus(event.isFocused);
      // Meanwhile the background may have become another one.
      if (event.isFocused && this.#colours.asksBackground) this.#terminal.write(ASK_BACKGROUND);
    } else {
      this.#notifications.typed();
      this.update();
    }
  }

  /** Something of the session has changed. */
  saw(changes: readonly Change[]): void {
    this.#notifications.saw(changes, this.#stage.tracker.view);
    const kinds = changes.flatMap((change) => (change.type === 'done' ? change.block.kind : []));
    // A turn may have changed the settings, and so may the person meanwhile.
    if (kinds.includes('result')) this.#statusLine.again();
    else if (kinds.some((kind) => TELLING.has(kind))) this.#statusLine.wanted();
  }

  /** The live rows are about to be drawn. */
  update(): void {
    const { view } = this.#stage.tracker;
    this.#title.update(view, this.#stage.place.cwd);
    this.#notifications.update(view);
    const { mode, model, effort, title, cwd } = view.info;
    const told = [mode, model, effort, title, cwd, this.#stage.vim.mode, this.#stage.context.width].join('\n');
    if (told === this.#told) return;
    this.#told = told;
    this.#statusLine.wanted();
  }

  statusRows(): Row[] {
    return this.#statusLine.rows(this.#stage.context);
  }

  close(): void {
    this.#statusLine.close();
    this.#title.close();
    this.#notifications.close();
  }

  async #readSettings(): Promise<void> {
    const answer = await this.#stage.call({ subtype: 'get_settings' }).catch((error) => ({ error: messageOf(error) }));
    const { settings, problems } = lookSettings(answer);
    this.#settings = settings;
    this.readThemes();
    this.#title.want(settings);
    this.#notifications.use(settings.notifications);
    this.update();
    const isKnown = this.useTheme(settings.theme);
    const names = this.themes.map(({ name }) => name).join(', ');
    const unknown = isKnown ? [] : [`there is no theme ${JSON.stringify(settings.theme)}: ${names}`];
    for (const problem of [...problems, ...unknown]) this.#stage.print([`! Settings: ${problem}.`], 'warning');
  }

  /** Rows that are written keep their colours. */
  #paint(): void {
    const { context } = this.#stage;
    const palette = this.#colours.palette();
    if (palette === context.palette) return;
    context.palette = palette;
    this.#stage.redraw();
  }
}
