import { toArgv } from '../../wire/flags.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { GivenOptions } from '../options/options.ts';

/** The words of the command line: the flags of the launch, with the extra flags in the position of the reference. */
export function toWords(options: GivenOptions, { settings, ...config }: RunConfig): string[] {
  return [...toArgv(config), ...extraWords(options), ...toArgv({ settings })];
}

/** The options that go by the environment, as in the reference. */
export function toVariables(options: GivenOptions, { fileCheckpointing }: RunConfig): Record<string, string> {
  const previewFormat = options.toolConfig?.askUserQuestion?.previewFormat;
  return {
    ...(fileCheckpointing && { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' }),
    ...(previewFormat && { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: previewFormat }),
  };
}

/** The extra flags as words, for subprocesses only. */
export function extraWords({ extraArgs, taskBudget, projectConfigRoot }: GivenOptions): string[] {
  const further = {
    ...(taskBudget && { 'task-budget': String(taskBudget.total) }),
    ...(projectConfigRoot !== undefined && { 'project-config-root': projectConfigRoot }),
    ...extraArgs,
  };
  return Object.entries<string | null>(further).flatMap(([name, value]) => {
    if (value === null) return [`--${name}`];
    return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
  });
}
