// Comments in the sources name the rulings and rows of spec/ that they follow. Those who only use the package do not have
// spec/, so what is published does without.

const IN_PARENTHESES = /\s?\((?:(?:rulings?|trust|wire\.md|features\.md)\s[^()]*)\)/g;
const IN_BRACKETS = /\s?\[[A-Z]{1,4}-\d+(?:,\s[A-Z]{1,4}-\d+)*\]/g;

/** A text without the numbers of rulings and rows. What else is in the parentheses goes with them. */
export function withoutRowIds(text) {
  return text.replaceAll(IN_PARENTHESES, '').replaceAll(IN_BRACKETS, '');
}

/** What is left of such numbers in a text, for a test. */
export function rowIdsIn(text) {
  return text.match(/\b(?:rulings?|trust|row) [A-Z]{1,4}-?\d+\b|\b[GKPT]\d{1,2}\b(?!\.)|\[[A-Z]{1,4}-\d+\b/g) ?? [];
}
