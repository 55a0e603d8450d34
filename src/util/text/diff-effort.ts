/**
 * With more different lines than this, the smallest difference is not searched at once: its cost grows with their
 * square.
 */
const MAX_EDIT_LENGTH = 500;
/** The maximum number of steps along equal lines, over all different lines. */
const MAX_STEPS = 10_000_000;

/** How many different lines a search in these texts may allow, so that it ends quickly. */
export function affordableEdits(before: string, after: string): number {
  const lines = countLines(before) + countLines(after);
  return Math.max(1, Math.min(MAX_EDIT_LENGTH, Math.floor(MAX_STEPS / lines)));
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
