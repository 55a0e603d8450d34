import { keyedServers } from '../../../admin/auth.ts';
import type { Engine } from '../../../host/engine/engine.ts';
import type { KeyProvider } from '../../../host/engine/engine-models.ts';
import type { Env } from '../../../host/engine/environment.ts';
import { KEY_PROVIDERS } from '../../../host/engine/stored-keys.ts';
import { usage } from '../../flags/args.ts';
import type { CommandArgs, OwnFlag } from '../../flags/command-args.ts';

/** One of the commands of `heddle auth`. */
export interface AuthAction {
  help: string;
  flags: Readonly<Record<string, OwnFlag>>;
  /** The flags of a run that have the same meaning here. */
  run?: readonly string[];
  /** Resolves with the exit code. */
  act(args: CommandArgs, engine: Engine): Promise<number>;
}

/** Whether `heddle auth` itself knows the provider; any other is a named server. */
export function isKeyProvider(provider: string): provider is KeyProvider {
  return KEY_PROVIDERS.some((each) => each === provider);
}

/** The provider that `--provider` names; null without the flag. */
export function providerOf({ text }: CommandArgs, env: Env): string | null {
  const given = text('--provider');
  if (given === undefined) return null;
  const known = [...KEY_PROVIDERS, ...keyedServers(env)];
  if (known.includes(given)) return given;
  const choices = known.join(', ');
  throw usage(`option '--provider' argument '${given}' is invalid. Allowed choices are ${choices}.`);
}
