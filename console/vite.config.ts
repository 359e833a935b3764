/** Configures the build of the console: hashed files, compressed once, with a bound on the initial JavaScript. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressFiles } from './build/compress-files.ts';
import { limitInitialScript } from './build/limit-initial-script.ts';

export default defineConfig({
  base: '/console/',
  plugins: [react(), limitInitialScript(), compressFiles()],
  build: {
    target: 'es2024',
    // Files inlined as data: URLs would need an exception in the content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The folder may lie outside of the console's own: `npm run build` puts it beside the compiled API.
    emptyOutDir: true,
  },
});
