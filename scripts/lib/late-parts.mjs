// Lets every `import()` of what was bundled go through `loadPart` (src/wire/load-part.ts). In the sources it would have to
// be written at each of some two hundred places. Other bundlers go on to see a plain `import()` of a file.

/**
 * `names`: what the bundler says that the text imports late. Returns the text with its calls, and the declaration of
 * `__site0` and so on that they need. `isOurs`: whether a name that cannot be found means that the installation changed.
 */
export function guardImports(text, names, isOurs) {
  let guarded = text;
  const sites = [...new Set(names)].map((name, index) => {
    const plain = `import(${JSON.stringify(name)})`;
    if (!text.includes(plain)) throw new Error(`late-parts: ${plain} is not in the text that the bundler wrote`);
    guarded = guarded.replaceAll(plain, `__part(__site${index}, () => ${plain})`);
    return `__site${index} = ${JSON.stringify(isOurs(name) ? { file: name } : {})}`;
  });
  return { text: guarded, sites: sites.length === 0 ? '' : `const ${sites.join(', ')};` };
}

/** The names of what an output imports late, apart from modules of Node, which need no file. */
export function lateNames({ imports }, nameOf = ({ path }) => path) {
  return imports.filter(({ kind, path }) => kind === 'dynamic-import' && !path.startsWith('node:')).map(nameOf);
}
