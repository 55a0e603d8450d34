/**
 * The family of a model: its name up to the first version number, such as `gemini-3` or `anthropic/claude-sonnet-4`. What
 * one model encrypts or signs, the others of its family can read.
 */
export function familyOf(name: string): string {
  const [family = name] = /^\D*\d+/.exec(name) ?? [];
  return family.toLowerCase();
}
