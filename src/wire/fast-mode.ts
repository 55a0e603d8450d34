import type * as z from 'zod/mini';
import { word } from './schema.ts';

/** The fast mode of the reference, a service of its provider. In Heddle it is always `off`. */
export const FastModeState = word(['off', 'cooldown', 'on']);
export type FastModeState = z.infer<typeof FastModeState>;

/** Why fast mode is off. */
export const FastModeDisabledReason = word([
  ...(['free', 'preference', 'extra_usage_disabled', 'network_error', 'unknown'] as const),
  ...(['not_first_party', 'disabled_by_env', 'model_not_allowed', 'sdk_opt_in_required', 'pending'] as const),
]);
export type FastModeDisabledReason = z.infer<typeof FastModeDisabledReason>;
