import { messageOf } from '../../util/message-of.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { type Palette, type Row, type Span, toRow } from '../rows/row.ts';
import type { LookView } from '../stage/look-view.ts';
import type { Stage } from '../stage/stage.ts';
import { printOutcome } from './ask-choice.ts';
import { ListPicker } from './list-picker.ts';

type ListedTheme = LookView['themes'][number];

const WIDEST = 18;

/** What a theme looks like: a change, code, a question, remarks. */
const SAMPLE: readonly (readonly Span[])[] = [
  [
    { text: '\u25cf ', styles: ['good'] },
    { text: 'Edit', styles: ['strong'] },
    { text: ' src/login.ts' },
    { text: ' +1', styles: ['added'] },
    { text: ' \u22121', styles: ['removed'] },
    { text: ' \u00b7 2 s', styles: ['dim'] },
  ],
  [
    { text: '  12 ', styles: ['dim'] },
    { text: "- const name = 'guest';", styles: ['removed'] },
  ],
  [
    { text: '  12 ', styles: ['dim'] },
    { text: '+ const name = user.name;', styles: ['added'] },
  ],
  [
    { text: '  13   ', styles: ['dim'] },
    { text: 'return', styles: ['keyword'] },
    { text: ' ' },
    { text: 'greet', styles: ['function'] },
    { text: '(name, ' },
    { text: '42', styles: ['number'] },
    { text: ', ' },
    { text: "'hello'", styles: ['string'] },
    { text: '); ' },
    { text: '// a comment', styles: ['comment'] },
  ],
  [
    { text: '? ', styles: ['warning'] },
    { text: 'Bash', styles: ['strong'] },
    { text: '  ' },
    { text: '\u276f ', styles: ['accent'] },
    { text: '1 Yes, this once' },
    { text: '  \u2717 failed', styles: ['error'] },
    { text: '  see ' },
    { text: 'https://example.com', styles: ['link'] },
  ],
];

/** Chooses the theme of this terminal, and keeps it in the person's settings. */
export async function chooseTheme(stage: Stage, name: string): Promise<string> {
  const look = lookOf(stage);
  look.readThemes();
  if (!look.useTheme(name)) {
    const names = look.themes.map((each) => each.name);
    const near = nearestWord(name, names);
    throw new Error(
      `there is no theme ${JSON.stringify(name)}${near ? `; did you mean ${near}?` : `: ${names.join(', ')}`}`,
    );
  }
  // The settings of a session that was joined are another terminal's.
  if (stage.place.isGuest) return `The theme is ${look.theme} in this terminal.`;
  try {
    await stage.call({ subtype: 'update_settings', source: 'userSettings', settings: { theme: look.theme } });
    return `The theme is ${look.theme}. It is kept in settings.json of the config home.`;
  } catch (error) {
    return `The theme is ${look.theme} in this terminal; it could not be kept: ${messageOf(error)}`;
  }
}

/** A list of the themes, with a sample in the colours of the highlighted one. */
export function openThemePicker(stage: Stage): void {
  const look = lookOf(stage);
  look.readThemes();
  const { themes } = look;
  const picker = new ListPicker<ListedTheme>(
    {
      ...{
        hint: 'enter takes it \u00b7 esc leaves it',
        empty: 'no theme has such a name',
        screen: () => stage.context,
      },
      context: 'ThemePicker',
      title: () => 'Theme',
      spans: ({ name, what }) => [
        { text: `${name === look.theme ? '\u25cf' : ' '} ${name.padEnd(WIDEST)} ` },
        { text: what, styles: ['dim'] },
      ],
      words: ({ name, what }) => `${name} ${what}`,
      below: (item, most) => (item ? sample(look.paletteOf(item.name)).slice(0, most) : []),
      choose({ name }) {
        stage.stopPicking();
        printOutcome(stage, chooseTheme(stage, name));
      },
    },
    themes,
  );
  const current = themes.find(({ name }) => name === look.theme);
  if (current) picker.use(themes, current);
  stage.pick(picker);
}

function sample(palette: Palette): Row[] {
  return SAMPLE.map((spans) => toRow([{ text: '    ' }, ...spans], palette));
}

export function lookOf({ look }: Pick<Stage, 'look'>): LookView {
  if (!look.loaded) throw new Error('the terminal is still being opened: try again in a moment');
  return look.loaded;
}
