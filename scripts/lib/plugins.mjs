// Plugins of the bundler, for packages that it cannot take as they are.
import fs from 'node:fs';
import { isBuiltin } from 'node:module';

/**
 * The MCP package uses most of zod, and a module that two parts share is in one chunk with all that either of them uses:
 * everybody would load it. Its own is left to the installed package, when a remote server is configured.
 */
export const zodOfForeignCode = {
  name: 'zod-of-foreign-code',
  setup(build) {
    build.onResolve({ filter: /^zod(\/|$)/ }, ({ path: name, importer }) =>
      importer.includes('node_modules/@modelcontextprotocol/') ? { path: name, external: true } : undefined,
    );
  },
};

/**
 * Tree-sitter looks around where it lies, though it is handed all that it needs. In a program that was bundled again, and
 * is no module, there is no such place: any other will do.
 */
const anywhere = "(process.platform === 'win32' ? 'file:///C:/' : 'file:///')";
export const placelessParser = {
  name: 'placeless-parser',
  setup(build) {
    build.onLoad({ filter: /\/web-tree-sitter\.js$/ }, ({ path: file }) => {
      const text = fs.readFileSync(file, 'utf8');
      if (!text.includes('import.meta.url')) throw new Error(`${file}: import.meta.url is not in it any more`);
      return { contents: text.replaceAll('import.meta.url', anywhere), loader: 'js' };
    });
  },
};

/** In a module there is no `require`: packages in the older format get the modules of Node by another way. */
export const builtInsWithoutRequire = {
  name: 'built-ins-without-require',
  setup(build) {
    build.onResolve({ filter: /^[\w:/]+$/ }, ({ path: name, kind }) =>
      kind === 'require-call' && isBuiltin(name) ? { path: name, namespace: 'built-in' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'built-in' }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
    }));
  },
};
