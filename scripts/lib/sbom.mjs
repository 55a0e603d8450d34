// The list of what is inside of the package, and of what it installs: an SBOM in the form of CycloneDX 1.5. It names no
// time and no machine, so that two builds of one source give the same bytes.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { packagesOf } from './licenses.mjs';
import { root } from './tree.mjs';

/** `inputs`: the files that went into the bundles; packages among them are part of ours. */
export function billOfMaterials(inputs, manifest) {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const bundled = packagesOf(inputs);
  const installed = Object.keys(manifest.dependencies).filter((name) => !bundled.includes(name));
  const components = [
    ...bundled.map((name) => component(name, lock, 'bundled')),
    ...installed.map((name) => component(name, lock, 'installed')),
  ].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const own = { ...named(manifest.name, manifest.version), licenses: [{ license: { id: manifest.license } }] };
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', ...own } },
    components,
    dependencies: [
      { ref: own['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) },
      ...components.map((each) => ({ ref: each['bom-ref'], dependsOn: [] })),
    ],
  };
  const digest = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  return `${JSON.stringify({ ...bill, serialNumber: `urn:uuid:${uuid}` }, null, 2)}\n`;
}

function component(name, lock, how) {
  const { version, license } = JSON.parse(
    fs.readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8'),
  );
  const [, algorithm, digest] = /^(sha\d+)-(.+)$/.exec(lock[`node_modules/${name}`]?.integrity ?? '') ?? [];
  return {
    type: 'library',
    ...named(name, version),
    scope: 'required',
    ...(digest && {
      hashes: [
        {
          alg: algorithm.replace('sha', 'SHA-'),
          content: Buffer.from(digest, 'base64').toString('hex'),
        },
      ],
    }),
    // A name that is none of SPDX's, such as "SEE LICENSE IN …", is given as a name.
    licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { license: { name: String(license) } }],
    properties: [{ name: 'heddle:part', value: how }],
  };
}

function named(name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': purl, name, version, purl };
}
