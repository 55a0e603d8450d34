import type { RunConfig } from '../wire/run-config.ts';

/** `--bare`: nothing that lies around counts, only what the launch names, and few tools unless it names others. */
export function bareLaunch(config: RunConfig): RunConfig {
  const { settingSources = [], tools = ['Bash', 'Read', 'Edit', 'Write'] } = config;
  return { ...config, settingSources, tools };
}
