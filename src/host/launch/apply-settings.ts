import type { Settings } from '../../config/settings/settings.ts';
import { ALIASES_VARIABLE, LIMITS_VARIABLE, PRICES_VARIABLE } from '../../model/model-table.ts';
import { PROVIDERS_VARIABLE } from '../../model/provider-names.ts';
import { HeddleError } from '../../wire/errors.ts';
import { FLAGS } from '../../wire/flags.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Env } from '../engine/environment.ts';

/** The launch with the values that settings add. A flag always wins over a setting. */
export function withSettings(config: RunConfig, settings: Settings): RunConfig {
  const { model, fallbackModel, effortLevel, autoCompactEnabled, fileCheckpointingEnabled } = settings;
  const fromSettings: RunConfig = {
    ...(model !== undefined && { model }),
    ...(fallbackModel !== undefined && { fallbackModel }),
    ...(effortLevel !== undefined && { effort: checkedEffort(effortLevel) }),
    ...(autoCompactEnabled === false && { autoCompact: 'off' }),
    ...(fileCheckpointingEnabled !== undefined && { fileCheckpointing: fileCheckpointingEnabled }),
  };
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  return { ...fromSettings, ...Object.fromEntries(given) };
}

function checkedEffort(level: string): string {
  const choices = FLAGS.find(({ key }) => key === 'effort')?.choices ?? [];
  if (choices.includes(level)) return level;
  throw new HeddleError(
    'invalid_settings',
    `Settings: effortLevel must be one of ${choices.join(', ')}, not '${level}'`,
  );
}

/** A launch that names the project's files as a source, or that trusts the project, vouches for these files. */
export function isTrustedByLaunch({ trust, settingSources }: RunConfig): boolean {
  return trust === true || settingSources !== undefined;
}

/** The environment of a session: that of the launch, changed by `env` and the model tables of the settings. */
export function withSettingsEnv(env: Env, settings: Settings): Env {
  const { env: changes, modelAliases, modelLimits, modelPricing, modelProviders } = settings;
  return {
    ...env,
    ...changes,
    ...(modelAliases && { [ALIASES_VARIABLE]: JSON.stringify(modelAliases) }),
    ...(modelProviders && { [PROVIDERS_VARIABLE]: JSON.stringify(modelProviders) }),
    ...(modelPricing && { [PRICES_VARIABLE]: JSON.stringify(modelPricing) }),
    ...(modelLimits && { [LIMITS_VARIABLE]: JSON.stringify(modelLimits) }),
  };
}
