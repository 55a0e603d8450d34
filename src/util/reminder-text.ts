/** Foreign text for a `<system-reminder>`: it cannot end the reminder that it stands in. */
export function insideReminder(text: string): string {
  return text.replaceAll('</system-reminder', '<\\/system-reminder');
}
