import type { Hook } from '../hooks/hook.ts';
import { readHooks } from '../hooks/read-hooks.ts';
import type { Engine } from '../host/engine/engine.ts';
import { conditionProblems } from '../host/hooks/hook-condition.ts';
import { hooksInLayers } from '../host/launch/hook-settings.ts';
import { type LaunchContext, openLaunchContext } from '../host/launch/launch-context.ts';
import type { Launch } from '../wire/run-config.ts';

export interface ListedHooks {
  hooks: Hook[];
  /** Problems in the files, each with its location. */
  problems: string[];
  /** Settings of the project that do not apply because it is not trusted. */
  ignored: string[];
}

/** The hooks that a run in this directory would have, without callbacks of programs. Runs nothing. */
export async function listHooks(engine: Engine, launch: Launch): Promise<ListedHooks> {
  return hooksOf(await openLaunchContext(engine, launch));
}

/** The hooks of a launch, and the problems with them. */
export function hooksOf({ configuration }: Pick<LaunchContext, 'configuration'>): ListedHooks {
  const { layers, trust } = configuration.loaded;
  const read = hooksInLayers(layers).map(({ raw, source }) => ({ source, ...readHooks(raw, source) }));
  return {
    hooks: read.flatMap(({ hooks }) => hooks),
    problems: read.flatMap(({ source, problems, hooks }) =>
      [...problems, ...conditionProblems(hooks)].map((problem) => `${source.where}: ${problem}`),
    ),
    ignored: trust.ignored.filter(({ keys }) => keys.includes('hooks')).map(({ file }) => file),
  };
}
