/** The calls that a turn waits for and that could go on beside it. */
export interface ForegroundCalls {
  /** Offers to go on without being waited for. Returns what takes the offer back. */
  offer(toolUseId: string, letGo: () => void): () => void;
  /** Lets go of one call, or of all. Returns those that were there. Throws when one cannot go on. */
  letGo(toolUseId?: string): string[];
}

export function createForegroundCalls(): ForegroundCalls {
  const offers = new Map<string, () => void>();
  return {
    offer(toolUseId, letGo) {
      offers.set(toolUseId, letGo);
      return () => offers.delete(toolUseId);
    },
    letGo(toolUseId) {
      const wanted = [...offers].filter(([id]) => toolUseId === undefined || id === toolUseId);
      for (const [id, letGo] of wanted) {
        letGo();
        offers.delete(id);
      }
      return wanted.map(([id]) => id);
    },
  };
}
