// The first thing that every way into the package does: it looks at the version of Node. An older one would fail somewhere
// else, with words that help nobody. Written for Nodes that are much older, which must be able to read it.

/** As the first lines of a program: it says so, and ends. */
export function checkAsProgram(manifest) {
  return `"use strict";\n${check(manifest, 'console.error(tooOld); process.exit(1);')}`;
}

/** As a module that the others import first: it throws. */
export function checkAsModule(manifest) {
  return check(manifest, 'throw new Error(tooOld);');
}

function check({ name, engines }, refuse) {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? fail(engines.node);
  return `var found = process.versions.node.split('.');
if (found[0] < ${major} || (found[0] == ${major} && found[1] < ${minor})) {
  var tooOld = '${name} needs Node ${major}.${minor} or newer; this is ' + process.versions.node + ' (' + process.execPath + ')';
  ${refuse}
}
`;
}

function fail(range) {
  throw new Error(`node-version: engines.node of package.json is not understood: ${range}`);
}
