import type { Engine } from '../../../host/engine/engine.ts';
import type { KeyProvider } from '../../../host/engine/engine-models.ts';
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

/** The provider that `--provider` names; null without the flag. */
export function providerOf({ text }: CommandArgs): KeyProvider | null {
  const given = text('--provider');
  if (given === undefined) return null;
  const provider = KEY_PROVIDERS.find((each) => each === given);
  if (provider) return provider;
  const choices = KEY_PROVIDERS.join(', ');
  throw usage(`option '--provider' argument '${given}' is invalid. Allowed choices are ${choices}.`);
}
