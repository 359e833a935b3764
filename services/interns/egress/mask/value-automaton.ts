/** Bytes that must not leave the gateway, with the bytes that replace them. */
export interface MaskedText {
  text: Buffer;
  placeholder: Buffer;
}

/** A trie of texts with failure links (Aho and Corasick). Node 0 is the root. */
export interface ValueAutomaton {
  /** The number of bytes that it searches for. */
  readonly length: number;
  /** Returns the node after the bytes. Calls `found` at each end of texts, with the longest of these texts. */
  scan(
    node: number,
    bytes: Buffer,
    found: (end: number, length: number, placeholder: Buffer) => void,
  ): number;
  /** Returns whether a text, whose characters are bytes, contains one of the texts. */
  isIn(latin1: string): boolean;
  /** Returns how many of the last scanned bytes may be the beginning of a text. */
  partialLength(node: number): number;
  /** Returns the bytes that `partialLength` counts. */
  partialBytes(node: number): Buffer;
}

/**
 * Builds the automaton. It reads each byte of an answer once, however repetitive the texts are, so that a host cannot
 * slow the process down. Of equal texts, the first one's placeholder is used.
 */
export function createValueAutomaton(texts: readonly MaskedText[]): ValueAutomaton {
  const searched = texts.filter(({ text }) => text.length > 0);
  const values = searched.map(({ text }) => text);
  const trie = createTrie(values);
  const { fail, partial, longest } = linkNodes(trie);
  const { root, firstChild, sibling, byteOf, depth, valueOf, endOf } = trie;
  const next = (from: number, byte: number): number => {
    for (let node = from; node !== 0; node = fail[node]!) {
      let child = firstChild[node]!;
      while (child !== 0 && byteOf[child] !== byte) child = sibling[child]!;
      if (child !== 0) return child;
    }
    return root[byte]!;
  };
  return {
    length: values.reduce((sum, { length }) => sum + length, 0),
    scan(from, bytes, found) {
      let node = from;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at]!;
        node = node === 0 ? root[byte]! : next(node, byte);
        if (node === 0) continue;
        const end = longest[node]!;
        if (end !== 0) found(at + 1, depth[end]!, searched[endOf[end]! - 1]!.placeholder);
      }
      return node;
    },
    isIn(latin1) {
      for (let at = 0, node = 0; at < latin1.length; at += 1) {
        node = next(node, latin1.charCodeAt(at));
        if (longest[node] !== 0) return true;
      }
      return false;
    },
    partialLength: (node) => depth[partial[node]!]!,
    partialBytes: (node) => {
      const beginning = partial[node]!;
      return beginning === 0 ? NO_BYTES : values[valueOf[beginning]!]!.subarray(0, depth[beginning]);
    },
  };
}

const NO_BYTES = Buffer.alloc(0);

type Trie = ReturnType<typeof createTrie>;

/**
 * Builds the trie. Every node is a number. The children of a node are a list of siblings; only the root has a table.
 */
function createTrie(values: readonly Buffer[]) {
  const room = 1 + values.reduce((sum, bytes) => sum + bytes.length, 0);
  const [firstChild, sibling, depth] = [new Int32Array(room), new Int32Array(room), new Int32Array(room)];
  const [valueOf, endOf] = [new Int32Array(room), new Int32Array(room)];
  const byteOf = new Uint8Array(room);
  const root = new Int32Array(256);
  let nodes = 1;
  const childOf = (parent: number, byte: number): number => {
    if (parent === 0) return root[byte]!;
    let child = firstChild[parent]!;
    while (child !== 0 && byteOf[child] !== byte) child = sibling[child]!;
    return child;
  };
  for (const [n, bytes] of values.entries()) {
    let node = 0;
    for (const byte of bytes) {
      let child = childOf(node, byte);
      if (child === 0) {
        child = nodes;
        nodes += 1;
        byteOf[child] = byte;
        depth[child] = depth[node]! + 1;
        valueOf[child] = n;
        if (node === 0) root[byte] = child;
        else {
          sibling[child] = firstChild[node]!;
          firstChild[node] = child;
        }
      }
      node = child;
    }
    // Values are counted from 1; 0 means that no value ends here.
    if (endOf[node] === 0) endOf[node] = n + 1;
  }
  return { nodes, root, firstChild, sibling, byteOf, depth, valueOf, endOf };
}

/** Computes the failure link of each node in order of depth. */
function linkNodes({ nodes, root, firstChild, sibling, byteOf, endOf }: Trie) {
  const [fail, partial, longest] = [new Int32Array(nodes), new Int32Array(nodes), new Int32Array(nodes)];
  const order = new Int32Array(nodes);
  let known = 0;
  for (const child of root) {
    if (child === 0) continue;
    order[known] = child;
    known += 1;
  }
  const next = (from: number, byte: number): number => {
    for (let node = from; node !== 0; node = fail[node]!) {
      for (let child = firstChild[node]!; child !== 0; child = sibling[child]!) {
        if (byteOf[child] === byte) return child;
      }
    }
    return root[byte]!;
  };
  for (let at = 0; at < known; at += 1) {
    const node = order[at]!;
    partial[node] = firstChild[node] === 0 ? partial[fail[node]!]! : node;
    longest[node] = endOf[node] === 0 ? longest[fail[node]!]! : node;
    for (let child = firstChild[node]!; child !== 0; child = sibling[child]!) {
      fail[child] = next(fail[node]!, byteOf[child]!);
      order[known] = child;
      known += 1;
    }
  }
  return { fail, partial, longest };
}
