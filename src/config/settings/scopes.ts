import { join } from 'node:path';

/** The sources of settings, the strongest first. The names are those of the wire's permission updates. */
export const SCOPES = ['policySettings', 'flagSettings', 'localSettings', 'projectSettings', 'userSettings'] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that are files of a user or a project; the launch brings the other scopes. */
export type FileScope = 'localSettings' | 'projectSettings' | 'userSettings';

export interface SettingsDirectories {
  /** A real path. */
  cwd: string;
  /** Null: there is no config home, so there are no settings of a user. */
  configHome: string | null;
}

/** The settings file of a scope; null when it has none. */
export function settingsPath(scope: FileScope, { cwd, configHome }: SettingsDirectories): string | null {
  switch (scope) {
    case 'userSettings':
      return configHome === null ? null : join(configHome, 'settings.json');
    case 'projectSettings':
      return join(cwd, '.claude', 'settings.json');
    case 'localSettings':
      return join(cwd, '.claude', 'settings.local.json');
  }
}
