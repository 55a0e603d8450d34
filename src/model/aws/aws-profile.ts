/** The settings of one profile, by lower-case key. */
export type AwsProfile = Readonly<Record<string, string>>;

/**
 * A profile from the texts of `~/.aws/credentials` and `~/.aws/config`; the first wins where both have a key. Undefined:
 * neither has the profile.
 */
export function readProfile(name: string, files: { credentials: string; config: string }): AwsProfile | undefined {
  const ofConfig = sections(files.config).get(name === 'default' ? 'default' : `profile ${name}`);
  const ofCredentials = sections(files.credentials).get(name);
  return ofConfig || ofCredentials ? { ...ofConfig, ...ofCredentials } : undefined;
}

function sections(text: string): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  let current: Record<string, string> | null = null;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1]?.replace(/\s+/g, ' ').replaceAll('"', '');
    if (header !== undefined) {
      current = found.get(header) ?? {};
      found.set(header, current);
      continue;
    }
    // Lines with blanks before them belong to a nested setting, comments begin with # or ;.
    const [, key, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
    if (current && key !== undefined && value !== undefined)
      current[key.toLowerCase()] = value.replace(/\s+[#;].*$/, '').trim();
  }
  return found;
}
