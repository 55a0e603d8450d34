/** The version of the wire protocol that hosts' minimum checks parse (ruling P1). */
export const WIRE_VERSION = '2.1.44';
/** Heddle's own version; a test holds it equal to package.json. */
export const HEDDLE_VERSION = '0.1.0';
/** Counts up when Heddle's own additions to the protocol change their meaning. */
export const PROTOCOL_VERSION = 1;
