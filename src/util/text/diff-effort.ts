/** Beyond this many different lines the smallest difference is not looked for at once: its cost grows with their square. */
const MAX_EDIT_LENGTH = 500;
/** Of steps along lines that are the same, for each of those. */
const MAX_STEPS = 10_000_000;

/** How many different lines to look for in these texts, so that it is done in a moment. */
export function affordableEdits(before: string, after: string): number {
  const lines = countLines(before) + countLines(after);
  return Math.max(1, Math.min(MAX_EDIT_LENGTH, Math.floor(MAX_STEPS / lines)));
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
