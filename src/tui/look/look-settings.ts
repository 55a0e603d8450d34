import { isObject, type JsonObject } from '../../util/json.ts';

/** How the terminal looks and how it draws attention, in the person's settings. */
export interface LookSettings {
  /** A theme, or `auto`. */
  readonly theme: string;
  /** Nothing turns or blinks. */
  readonly isCalm: boolean;
  readonly notifications: string;
  /** Whether the window has a title, and its tab or task bar shows that a turn runs. */
  readonly title: boolean;
  readonly progress: boolean;
}

export const USUAL_LOOK: LookSettings = {
  theme: 'auto',
  isCalm: false,
  notifications: 'auto',
  title: true,
  progress: true,
};

/** A project does not decide what a terminal looks like, and what it sends to its window. */
const OF_PROJECT: ReadonlySet<unknown> = new Set(['projectSettings', 'localSettings']);

/**
 * Of the answer to `get_settings`, whose sources come the strongest first. The session has checked the kinds of values
 * already; `problems` name those of `terminal`.
 */
export function lookSettings(answer: JsonObject): { settings: LookSettings; problems: string[] } {
  const sources = Array.isArray(answer.sources) ? answer.sources.filter(isObject) : [];
  const given = sources.flatMap(({ source, settings }) =>
    OF_PROJECT.has(source) || !isObject(settings) ? [] : [settings],
  );
  const first = <Value>(read: (settings: JsonObject) => Value | undefined, usual: Value): Value =>
    given.map(read).find((value) => value !== undefined) ?? usual;
  const text = (key: string) => (settings: JsonObject) => {
    const value = settings[key];
    return typeof value === 'string' ? value : undefined;
  };
  const flag = (key: string) => (settings: JsonObject) => {
    const value = settings[key];
    return typeof value === 'boolean' ? value : undefined;
  };
  const title = given.map(({ terminal }) => (isObject(terminal) ? terminal.title : undefined)).find(isGiven);
  return {
    settings: {
      theme: first(text('theme'), USUAL_LOOK.theme),
      isCalm: first(flag('prefersReducedMotion'), USUAL_LOOK.isCalm),
      notifications: first(text('preferredNotifChannel'), USUAL_LOOK.notifications),
      title: typeof title === 'boolean' ? title : USUAL_LOOK.title,
      progress: first(flag('terminalProgressBarEnabled'), USUAL_LOOK.progress),
    },
    problems: title === undefined || typeof title === 'boolean' ? [] : ['terminal.title must be true or false'],
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}
