/** The flags of a run that decide which servers there are. */
export const RUN_FLAGS = [
  ...['--settings', '--setting-sources', '--managed-settings', '--trust'],
  ...['--mcp-config', '--strict-mcp-config', '--plugin-dir', '--debug', '--debug-file'],
];

export const RUN_FLAGS_HELP = `\
Of a run: --settings, --setting-sources, --managed-settings, --mcp-config, --strict-mcp-config,
--plugin-dir, --trust, --debug, --debug-file.`;
