/** Figures as people read them. */
export function shownUsd(usd: number): string {
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function shownTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 1_000_000
    ? `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`
    : `${(tokens / 1_000_000).toFixed(1)}M`;
}

export function shownTime(ms: number): string {
  if (ms < 950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

export function shownBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function shownAge(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 60 / 24)} d`;
}
