import { isObject, type JsonObject } from '../../util/json.ts';

/** What the person has set about typing, in `terminal` of the settings. */
export interface TypingSettings {
  /** What Escape twice in an empty editor opens. */
  readonly escEsc: 'tree' | 'rewind' | 'nothing';
  /** Whether prompts that waited are sent after an interrupt, or come back to the editor. */
  readonly onInterrupt: 'giveBack' | 'send';
  /** Characters of ambiguous width take two columns, as in fonts for East Asian languages. */
  readonly ambiguousWide: boolean;
  /** Who breaks the lines of finished prose: Heddle at words, or the terminal, so that copied text has no breaks. */
  readonly wrap: 'word' | 'terminal';
  /** Whether history and drafts are stored. */
  readonly history: boolean;
  /** `vim`: normal, insert and visual mode. */
  readonly editorMode: 'normal' | 'vim';
  /** What leaves insert mode if it is typed, such as `jj`. */
  readonly vimEscapes: readonly string[];
}

export const USUAL_TYPING: TypingSettings = {
  escEsc: 'tree',
  onInterrupt: 'giveBack',
  ambiguousWide: false,
  wrap: 'word',
  history: true,
  editorMode: 'normal',
  vimEscapes: [],
};

/** Of `terminal` in the settings. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  escEsc: ['tree', 'rewind', 'nothing'],
  onInterrupt: ['giveBack', 'send'],
  ambiguousWide: [true, false],
  wrap: ['word', 'terminal'],
  history: [true, false],
};

/** Only these sources count: a project does not decide how a person's keys work. */
const SOURCES = ['policySettings', 'flagSettings', 'userSettings'];

/** Of the answer to `get_settings`, whose sources come the strongest first. `problems` name values that are none. */
export function typingSettings(answer: JsonObject): { settings: TypingSettings; problems: string[] } {
  const settings: Record<string, unknown> = { ...USUAL_TYPING };
  const problems: string[] = [];
  const sources = Array.isArray(answer.sources) ? answer.sources.filter(isObject) : [];
  for (const { source, settings: given } of sources.toReversed()) {
    if (!SOURCES.includes(String(source)) || !isObject(given)) continue;
    readVim(given, String(source), { settings, problems });
    const { terminal } = given;
    if (!isObject(terminal)) continue;
    for (const [key, values] of Object.entries(VALUES)) {
      if (!Object.hasOwn(terminal, key)) continue;
      if (values.includes(terminal[key])) settings[key] = terminal[key];
      else problems.push(`terminal.${key} must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`);
    }
  }
  return { settings: settings as unknown as TypingSettings, problems };
}

/** The reference's settings of its vim mode. What typing leaves insert mode with is the user's own alone. */
function readVim(
  { editorMode, vimInsertModeRemaps }: JsonObject,
  source: string,
  { settings, problems }: { settings: Record<string, unknown>; problems: string[] },
): void {
  if (editorMode === 'vim' || editorMode === 'normal' || editorMode === 'emacs') {
    settings.editorMode = editorMode === 'vim' ? 'vim' : 'normal';
  } else if (editorMode !== undefined) problems.push('editorMode must be "vim" or "normal"');
  if (vimInsertModeRemaps === undefined || source !== 'userSettings') return;
  if (!isObject(vimInsertModeRemaps)) {
    problems.push('vimInsertModeRemaps must be an object, such as { "jj": "<Esc>" }');
    return;
  }
  const rows = Object.entries(vimInsertModeRemaps);
  settings.vimEscapes = rows.filter(([keys, to]) => keys.length > 1 && to === '<Esc>').map(([keys]) => keys);
  for (const [keys, to] of rows) {
    if (keys.length > 1 && to === '<Esc>') continue;
    problems.push(`vimInsertModeRemaps: ${keys}: only two letters or more can be bound, and only to "<Esc>"`);
  }
}
