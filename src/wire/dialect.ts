/**
 * Versions of the reference print a few lines in different forms: the output of local commands, unknown slash commands,
 * `stop_reason` of results, versions of plugins. A session uses the forms of one version.
 */
export const DIALECTS = ['2.1.44', '2.1.325'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** The dialect for a host that only sends the version of its SDK, in CLAUDE_AGENT_SDK_VERSION. */
export function dialectOfSdk(version: string | undefined): Dialect {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(major) > 0 || Number(minor) >= 3 ? '2.1.325' : '2.1.44';
}
