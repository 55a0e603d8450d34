/** Models that decide by themselves how long to think (adaptive thinking): Claude from 4.6 on. */
export function pacesItsThinking(model: string): boolean {
  const version = /^claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model);
  if (!version) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > 4 || (major === 4 && minor >= 6);
}
