import type { JsonObject } from '../../util/json.ts';

/** How one output format shows a run. */
export interface Renderer {
  show(message: JsonObject): Promise<void> | undefined;
  end(): Promise<void> | void;
  /** Whether the reason of a failed start has reached stdout or stderr. */
  hasReportedFailure(): boolean;
}
