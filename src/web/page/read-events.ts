/** Server-sent events of an answer. `EventSource` cannot send the token in a header. */
export async function* readEvents(answer: Response): AsyncGenerator<{ event: string; data: string; id: string }, void> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const found = eventIn(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (found) yield found;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventIn(text: string): { event: string; data: string; id: string } | null {
  const fields = { event: 'message', data: '', id: '' };
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(event|data|id): ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') fields.data += fields.data === '' ? value : `\n${value}`;
    else if (name === 'event' || name === 'id') fields[name] = value;
  }
  return fields.data === '' ? null : fields;
}
