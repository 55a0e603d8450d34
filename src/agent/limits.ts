/** The limits that the user set. Absent: no limit. */
export interface Limits {
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** Enforced by the session, which aborts the turn with `timeout`. */
  maxDurationMs?: number;
}

/** Reached once that many rounds of tool calls were answered: another model call would be one too many. */
export function turnsExhausted(limits: Limits, tally: { rounds: number }): limits is Limits & { maxTurns: number } {
  return limits.maxTurns !== undefined && tally.rounds >= limits.maxTurns;
}

export function budgetExhausted(limits: Limits, spentUsd: number): limits is Limits & { maxBudgetUsd: number } {
  return limits.maxBudgetUsd !== undefined && spentUsd >= limits.maxBudgetUsd;
}
