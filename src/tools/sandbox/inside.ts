/** Whether a path is the directory or lies below it. Both are real paths, so that their texts tell. */
export function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

export function isInsideAny(directories: readonly string[], path: string): boolean {
  return directories.some((directory) => isInside(directory, path));
}
