import type { GuardedSpec } from '../shell-sandbox.ts';
import { ToolError } from '../tool.ts';
import { mountsFor, type WallMount, type Walls } from './walls.ts';

/** An operating system's way to put walls around a process. */
export interface GuardProvider {
  readonly name: 'bubblewrap' | 'seatbelt';
  confine<Spec extends GuardedSpec>(spec: Spec, mounts: readonly WallMount[]): Spec;
  close(): void;
}

export interface WallsInForce {
  walls: Walls;
  /** False when rules mean more than the walls. */
  isComplete: boolean;
  /** True when the settings demand the kernel: then nothing runs without all walls. */
  isRequired: boolean;
}

/** The process behind these walls. Throws a ToolError when some are missing and all are required. */
export function confineByWalls<Spec extends GuardedSpec>(
  spec: Spec,
  provider: GuardProvider,
  { walls, isComplete, isRequired }: WallsInForce,
): Spec {
  if (isRequired && !isComplete) throw new ToolError(TOO_MANY);
  const mounts = mountsFor(walls);
  return mounts.length === 0 ? spec : provider.confine(spec, mounts);
}

const TOO_MANY =
  'Nothing was run: the path rules mean more files than the kernel can be told about before each command. ' +
  'The user has to name directories in the rules, or to set permissions.enforcement to "auto".';
