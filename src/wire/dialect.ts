/**
 * The forms of a few lines that versions of the reference say differently: the output of local commands, words behind a
 * slash that nobody knows, `stop_reason` of results, versions of plugins. A session speaks one of them (ruling K46).
 */
export const DIALECTS = ['2.1.44', '2.1.325'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What a host expects that says nothing but the version of its SDK, in CLAUDE_AGENT_SDK_VERSION. */
export function dialectOfSdk(version: string | undefined): Dialect {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(major) > 0 || Number(minor) >= 3 ? '2.1.325' : '2.1.44';
}
