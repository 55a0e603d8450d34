/** The version of the wire protocol that hosts' minimum checks parse. */
export const WIRE_VERSION = '2.1.44';
/** Heddle's own version. A test keeps it equal to package.json. */
export const HEDDLE_VERSION = '0.1.0';
/** Increases when Heddle's own additions to the protocol change their meaning. */
export const PROTOCOL_VERSION = 1;
