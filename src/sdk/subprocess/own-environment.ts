/** The environment that the agent would have: this process's. */
export function ownEnv(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
