import { startTimer } from '../util/timer.ts';

/** The calls that a turn waits for and that could go on beside it. */
export interface ForegroundCalls {
  /** Offers to go on without being waited for. Returns what takes the offer back. */
  offer(toolUseId: string, letGo: (by: LetGoBy) => void): () => void;
  /** Lets go of one call, or of all. Returns those that were there. Throws when one cannot go on. */
  letGo(toolUseId?: string): string[];
}

/** Whether somebody wanted it, or it took too long. */
export type LetGoBy = 'host' | 'time';

/** `afterMs`: what takes longer is let go of by itself; absent: nothing is. */
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
