import type { RunConfig } from '../../wire/run-config.ts';

/**
 * What a session needs whose hosts draw it while it works. A new one gets its id here, so that its draft has a name
 * before it is open.
 */
export function sessionConfig(config: RunConfig, newId: () => string): RunConfig {
  const isContinued = config.resume !== undefined || config.continue === true;
  return {
    ...config,
    ...{ includePartialMessages: true, forwardSubagentText: true, replayUserMessages: true },
    permissionPromptTool: config.permissionPromptTool ?? 'stdio',
    fileCheckpointing: config.fileCheckpointing ?? true,
    ...(isContinued ? { replayHistory: true } : { sessionId: config.sessionId ?? newId() }),
  };
}
