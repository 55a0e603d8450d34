/** The default environment of the agent: that of this process. */
export function ownEnv(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
