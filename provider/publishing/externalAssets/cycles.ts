/**
 * Groups of nodes that lead to each other (strongly connected components, by Tarjan's algorithm), in an order in which every group comes
 * after those that it leads to. A node that leads to no other in a circle is a group of its own.
 */
export function cyclesIn(nodes: readonly string[], edges: (node: string) => readonly string[]): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const enter = (node: string) => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, next: edges(node), at: 0 };
  };
  for (const start of nodes) {
    if (order.has(start)) continue;
    // no recursion: a chain of modules may be long
    const open = [enter(start)];
    for (let top; (top = open.at(-1)) !== undefined;) {
      const { node, next } = top;
      const to = next[top.at++];
      if (to !== undefined) {
        if (!order.has(to)) open.push(enter(to));
        else if (onStack.has(to)) low.set(node, Math.min(low.get(node) ?? 0, order.get(to) ?? 0));
        continue;
      }
      open.pop();
      const above = open.at(-1);
      if (above) low.set(above.node, Math.min(low.get(above.node) ?? 0, low.get(node) ?? 0));
      if (low.get(node) !== order.get(node)) continue;
      const group = stack.splice(stack.lastIndexOf(node));
      for (const each of group) onStack.delete(each);
      groups.push(group);
    }
  }
  return groups;
}
