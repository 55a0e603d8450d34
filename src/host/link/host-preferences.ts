import type { Dialect } from '../../wire/dialect.ts';

/** What the host has asked for. `initialize` changes it, and `set_partial_messages` its `partials`. */
export class HostPreferences {
  /** The form in which the host reads what versions of the reference write differently. */
  dialect: Dialect;
  /** Whether the host reads answers while they grow. */
  partials: boolean;
  /** Whether the host reads everything that agents write, not only their calls and results. */
  forwardsAgentText: boolean;
  /** Whether an interrupt spares agents in the background, because the host can stop each of them. */
  interruptSparesTasks = false;
  /** Whether permission questions carry a preview of the change that the call would make. */
  previews = false;
  /** The commands as the host knows them, as JSON; null until it has asked for them. */
  announcedCommands: string | null = null;

  constructor({ dialect, partials, forwardsAgentText }: AtLaunch) {
    this.dialect = dialect;
    this.partials = partials;
    this.forwardsAgentText = forwardsAgentText;
  }
}

type AtLaunch = Pick<HostPreferences, 'dialect' | 'partials' | 'forwardsAgentText'>;
