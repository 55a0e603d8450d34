import { join } from 'node:path';
import { markedTranscripts } from './archive-mark.ts';
import { fileAt, namesIn } from './session-folders.ts';
import { projectFolders, sessionOfFile } from './session-paths.ts';
import type { SessionFile } from './transcript-summary.ts';

/** A session and the path of its transcript. */
export interface LocatedSession {
  sessionId: string;
  path: string;
}

/** The real path of a working directory, or of several; undefined for all projects. */
export type Projects = string | readonly string[] | undefined;

/**
 * The transcripts of a project, or of all, newest first. Synchronous on purpose: a stat takes microseconds, a trip to
 * the thread pool ten times that.
 */
export function sessionFiles(home: string, projects?: Projects): SessionFile[] {
  const files: SessionFile[] = [];
  for (const { sessionId, path, isMarked } of sessionNames(home, projects)) {
    const file = fileAt(path);
    if (file?.isFile) files.push({ sessionId, path, lastModified: file.at, fileSize: file.size, isMarked });
  }
  return files.sort(byAge);
}

/**
 * The transcripts of a project, or of all, by their names alone. A session that continued in another folder has two.
 */
export function* sessionNames(home: string, projects?: Projects): Generator<NamedSession, void> {
  for (const folder of sessionFolders(home, projects)) {
    const names = namesIn(folder);
    const marked = markedTranscripts(names);
    for (const name of names) {
      const sessionId = sessionOfFile(name);
      if (sessionId !== null) yield { sessionId, path: `${folder}/${name}`, isMarked: marked.has(name) };
    }
  }
}

interface NamedSession extends LocatedSession {
  /** Whether an archive mark exists for it. */
  isMarked: boolean;
}

/** The folders in which the sessions of a project, or of all, may be. */
function sessionFolders(home: string, projects: Projects): string[] {
  const root = join(home, 'projects');
  if (projects === undefined) return namesIn(root).map((name) => join(root, name));
  // Two projects may share a folder.
  return [...new Set([projects].flat().flatMap((project) => projectFolders(home, project)))];
}

/** Newest first; the path decides between equals, so that pages do not overlap. */
function byAge(a: SessionFile, b: SessionFile): number {
  return b.lastModified - a.lastModified || (a.path < b.path ? -1 : 1);
}
