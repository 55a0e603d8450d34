/** Files that reach each other: Tarjan's strongly connected components with more than one member. */
export function knots(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const found: string[][] = [];

  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    let lowest = own;
    stack.push(node);
    open.add(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next));
      else if (open.has(next)) lowest = Math.min(lowest, low.get(next) ?? index.get(next) ?? lowest);
      low.set(node, lowest);
    }
    low.set(node, lowest);
    if (lowest === own) {
      const members = stack.splice(stack.indexOf(node));
      for (const member of members) open.delete(member);
      if (members.length > 1) found.push(members.sort());
    }
    return lowest;
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** The shortest way from a node back to itself. */
export function circleThrough(start: string, edges: ReadonlyMap<string, readonly string[]>): string[] {
  const from = new Map<string, string>();
  const queue = [start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const next of edges.get(node) ?? []) {
      if (next === start) return [...wayTo(node, start, from), start];
      if (from.has(next)) continue;
      from.set(next, node);
      queue.push(next);
    }
  }
  return [];
}

function wayTo(end: string, start: string, from: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let node = end; node !== start; ) {
    node = from.get(node) ?? start;
    way.unshift(node);
  }
  return way;
}
