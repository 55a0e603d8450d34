import type { Settings } from '../../config/settings/settings.ts';
import {
  ALIASES_VARIABLE,
  LIMITS_VARIABLE,
  OVERRIDES_VARIABLE,
  PRICES_VARIABLE,
  userAlias,
} from '../../model/model-table.ts';
import { PROVIDERS_VARIABLE } from '../../model/provider-names.ts';
import { HeddleError } from '../../wire/errors.ts';
import { FLAGS } from '../../wire/flags.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { type Env, HIDE_AWS_KEYS_VARIABLE, isOfBedrock } from '../engine/environment.ts';

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

/**
 * The environment of a session: that of the launch, changed by `env` and the model tables of the settings. `config` tells
 * whether a model of Bedrock is named: the keys of the account are the model's then.
 */
export function withSettingsEnv(env: Env, settings: Settings, { model, fallbackModel }: RunConfig): Env {
  const { env: changes, modelAliases, modelLimits, modelOverrides, modelPricing, modelProviders } = settings;
  const changed: Env = {
    ...env,
    ...changes,
    ...(modelAliases && { [ALIASES_VARIABLE]: JSON.stringify(modelAliases) }),
    ...(modelProviders && { [PROVIDERS_VARIABLE]: JSON.stringify(modelProviders) }),
    ...(modelPricing && { [PRICES_VARIABLE]: JSON.stringify(modelPricing) }),
    ...(modelOverrides && { [OVERRIDES_VARIABLE]: JSON.stringify(modelOverrides) }),
    ...(modelLimits && { [LIMITS_VARIABLE]: JSON.stringify(modelLimits) }),
  };
  const named = [model ?? '', ...(fallbackModel ?? '').split(',')].map((name) => name.trim());
  const asksBedrock = named.some((name) => isOfBedrock(meant(name, changed)));
  return asksBedrock ? { ...changed, [HIDE_AWS_KEYS_VARIABLE]: '1' } : changed;
}

function meant(name: string, env: Env): string {
  try {
    return userAlias(name, env) ?? name;
  } catch {
    return name; // what is wrong with the table is said where the model is chosen
  }
}
