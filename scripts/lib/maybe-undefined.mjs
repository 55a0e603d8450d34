// Lets what may be left out be undefined as well, in the published declarations. To us both are the same; a program that is
// compiled with `exactOptionalPropertyTypes` could otherwise not hand over what it may not have (`cwd: given.cwd`).
import ts from 'typescript';

const ALREADY = new Set([ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.UnknownKeyword, ts.SyntaxKind.AnyKeyword]);
/** What would swallow the `| undefined` behind it. */
const OPEN_ENDED = new Set([
  ts.SyntaxKind.FunctionType,
  ts.SyntaxKind.ConstructorType,
  ts.SyntaxKind.ConditionalType,
  ts.SyntaxKind.InferType,
]);

/** The text of a declaration file, with `| undefined` behind the type of every optional property. */
export function withMaybeUndefined(text) {
  if (!text.includes('?: ')) return text;
  const types = [];
  const visit = (node) => {
    const isProperty = ts.isPropertySignature(node) || ts.isPropertyDeclaration(node);
    if (isProperty && node.questionToken && node.type && !takesUndefined(node.type)) types.push(node.type);
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile('x.d.ts', text, ts.ScriptTarget.Latest);
  visit(file);
  const insertions = types.flatMap((type) =>
    OPEN_ENDED.has(type.kind)
      ? [
          { at: type.getStart(file), what: '(' },
          { at: type.end, what: ') | undefined' },
        ]
      : [{ at: type.end, what: ' | undefined' }],
  );
  let result = '';
  let done = 0;
  for (const { at, what } of insertions.sort((one, other) => one.at - other.at)) {
    result += text.slice(done, at) + what;
    done = at;
  }
  return result + text.slice(done);
}

function takesUndefined(type) {
  return ALREADY.has(type.kind) || (ts.isUnionTypeNode(type) && type.types.some(takesUndefined));
}
