import { join } from 'node:path';

/** Where settings come from, the strongest first. The names are those of the wire's permission updates. */
export const SCOPES = ['policySettings', 'flagSettings', 'localSettings', 'projectSettings', 'userSettings'] as const;
export type Scope = (typeof SCOPES)[number];

/** The files that a person or a project keeps; the other scopes are given with the launch. */
export type FileScope = 'localSettings' | 'projectSettings' | 'userSettings';

export interface SettingsPlaces {
  /** A real path. */
  cwd: string;
  /** Null: there is no home, so there are no settings of a user. */
  configHome: string | null;
}

/** Where a scope keeps its settings; null when it has no place. */
export function settingsPath(scope: FileScope, { cwd, configHome }: SettingsPlaces): string | null {
  switch (scope) {
    case 'userSettings':
      return configHome === null ? null : join(configHome, 'settings.json');
    case 'projectSettings':
      return join(cwd, '.claude', 'settings.json');
    case 'localSettings':
      return join(cwd, '.claude', 'settings.local.json');
  }
}
