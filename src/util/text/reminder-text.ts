/** A text of the runtime for the model. Text of users or others in it must go through `insideReminder`. */
export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

/** Foreign text for a `<system-reminder>`, made unable to end the reminder. */
export function insideReminder(text: string): string {
  return text.replaceAll('</system-reminder', '<\\/system-reminder');
}
