import { startTimer } from '../../util/timer.ts';

/** The calls that a turn waits for and that could continue in the background. */
export interface ForegroundCalls {
  /** Offers to move a call to the background. Returns a function that withdraws the offer. */
  offer(toolUseId: string, letGo: (by: LetGoBy) => void): () => void;
  /**
   * Moves one call, or all of them, to the background. Returns the ids of the calls found. Throws when one cannot
   * continue there.
   */
  letGo(toolUseId?: string): string[];
}

/** The cause: a request of the host, or the time limit. */
export type LetGoBy = 'host' | 'time';

/** `afterMs`: longer calls move to the background automatically; absent: no call does. */
export function createForegroundCalls({ afterMs }: { afterMs?: number | undefined } = {}): ForegroundCalls {
  const offers = new Map<string, (by: LetGoBy) => void>();
  const letGoOf = (wanted: [string, (by: LetGoBy) => void][], by: LetGoBy) => {
    for (const [id, letGo] of wanted) {
      letGo(by);
      offers.delete(id);
    }
    return wanted.map(([id]) => id);
  };
  return {
    offer(toolUseId, letGo) {
      offers.set(toolUseId, letGo);
      const timer =
        afterMs === undefined ? undefined : startTimer(afterMs, () => letGoOf([[toolUseId, letGo]], 'time'));
      return () => {
        clearTimeout(timer);
        offers.delete(toolUseId);
      };
    },
    letGo(toolUseId) {
      const wanted = [...offers].filter(([id]) => toolUseId === undefined || id === toolUseId);
      return letGoOf(wanted, 'host');
    },
  };
}
