/** Everything on stdout that is no line of the protocol (trust P-14): each is one JSON object with a type. */
export function strayOutput(stdout: string): string[] {
  const lines = stdout.split('\n');
  const end = lines.pop();
  return [...lines.filter((line) => !isMessage(line)), ...(end ? [`without an end: ${end.slice(0, 80)}`] : [])];
}

function isMessage(line: string): boolean {
  try {
    const value = JSON.parse(line) as { type?: unknown } | null;
    return line.startsWith('{') && line.endsWith('}') && typeof value?.type === 'string';
  } catch {
    return false;
  }
}
