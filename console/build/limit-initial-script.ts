/** Measures the JavaScript that the first page of the console loads, and fails a build with too much of it. */
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The most compressed JavaScript that a browser loads before it shows the first page. */
const MAX_BYTES = 200_000;

/** Creates the plugin that prints the size of the entry with all that it imports at once. */
export function limitInitialScript(): Plugin {
  return {
    name: 'limit-initial-script',
    apply: 'build',
    generateBundle(_options, bundle) {
      const sizes = new Map<string, number>();
      const add = (name: string): void => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || sizes.has(name)) return;
        sizes.set(name, gzipSync(chunk.code).length);
        chunk.imports.forEach(add);
      };
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk' && chunk.isEntry) add(chunk.fileName);
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      this.info(
        `initial JavaScript: ${(total / 1000).toFixed(1)} kB compressed, of at most ${MAX_BYTES / 1000} kB`,
      );
      if (total > MAX_BYTES) this.error('The initial JavaScript is too large: load parts of it lazily.');
    },
  };
}
