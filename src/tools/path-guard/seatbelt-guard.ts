import { dirname } from 'node:path';
import { literal, rule, subpath } from '../sandbox/seatbelt.ts';
import type { GuardedSpec } from '../shell-sandbox.ts';
import type { WallMount } from './walls.ts';

/** The process under a profile that denies the walls and nothing else. It is not tested; docs/sandbox.md says so. */
export function seatbeltGuard<Spec extends GuardedSpec>(spec: Spec, mounts: readonly WallMount[]): Spec {
  const args = ['-p', guardProfile(mounts), spec.command, ...spec.args];
  return { ...spec, command: '/usr/bin/sandbox-exec', args };
}

/** Rules of the profile language: the last one that matches counts. */
export function guardProfile(mounts: readonly WallMount[]): string {
  const pathsAs = (...kinds: WallMount['as'][]) =>
    mounts.filter(({ as }) => kinds.includes(as)).map(({ path }) => path);
  const closed = pathsAs('device', 'empty');
  const readOnly = pathsAs('read-only');
  const onTheWay = [...closed, ...readOnly].flatMap(parents);
  return [
    '(version 1)',
    '(allow default)',
    ...rule('deny file-write*', readOnly.map(subpath)),
    ...rule('deny file-read* file-write*', closed.map(subpath)),
    // A command could move a directory above such a path away: then it would have another name.
    ...rule('deny file-write-unlink', onTheWay.map(literal)),
    ...rule('deny process-exec*', pathsAs('replaced').map(literal)),
  ].join('\n');
}

function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === path || parent === '/' ? [] : [parent, ...parents(parent)];
}
