import type { FakeApiRequest, Script } from '../../src/testing/index.ts';
import type { Rig } from './rig.ts';

/** The versions of the reference SDK that drive our command line. */
export type ReferenceVersion = '0.2.44' | '0.3.325';

/** One behaviour that a host of the reference SDK counts on. */
export interface InteropCase {
  /** As in behaviours.md. */
  id: string;
  title: string;
  /** The only version that has the feature; both, when left out. */
  only?: ReferenceVersion;
  /** What the model answers. */
  script?: Script<FakeApiRequest>;
  run(rig: Rig): Promise<void>;
}
