import { isObject, type JsonObject } from '../../util/json.ts';

/** What the person has set about typing, in `terminal` of the settings. */
export interface TypingSettings {
  /** What Escape twice in an empty editor opens. */
  readonly escEsc: 'tree' | 'rewind' | 'nothing';
  /** Whether prompts that waited are sent after an interrupt, or come back to the editor. */
  readonly onInterrupt: 'giveBack' | 'send';
  /** Characters of ambiguous width take two columns, as in fonts for East Asian languages. */
  readonly ambiguousWide: boolean;
  /** Whether history and drafts are stored. */
  readonly history: boolean;
}

export const USUAL_TYPING: TypingSettings = {
  escEsc: 'tree',
  onInterrupt: 'giveBack',
  ambiguousWide: false,
  history: true,
};

const VALUES: Readonly<Record<keyof TypingSettings, readonly unknown[]>> = {
  escEsc: ['tree', 'rewind', 'nothing'],
  onInterrupt: ['giveBack', 'send'],
  ambiguousWide: [true, false],
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
    const terminal = SOURCES.includes(String(source)) && isObject(given) ? given.terminal : undefined;
    if (!isObject(terminal)) continue;
    for (const [key, values] of Object.entries(VALUES)) {
      if (!Object.hasOwn(terminal, key)) continue;
      if (values.includes(terminal[key])) settings[key] = terminal[key];
      else problems.push(`terminal.${key} must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`);
    }
  }
  return { settings: settings as unknown as TypingSettings, problems };
}
