import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type JestRuntime from 'jest-runtime';
import { setJestGlobals } from './jest-globals.ts';

const require = createRequire(import.meta.url);
// Required, because its types describe it as CommonJS alone.
const { default: Runtime } = require('jest-runtime') as typeof JestRuntime;
const GLOBALS_URL = new URL('jest-globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === '@jest/globals' ? GLOBALS_URL : specifier, context),
});

/**
 * Loads suites as production loads the product: by Node itself, into the one realm there is. Modules are
 * loaded once for all suites of a process; Jest's own loader compiles every one of them again for each suite,
 * which took longer than most suites run, and keeps them all in memory.
 */
export default class NodeRuntime extends Runtime {
  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  override async unstable_importModule(file: string): Promise<never> {
    setJestGlobals(this.requireModuleOrMock(file, '@jest/globals'));
    return (await import(pathToFileURL(file).href)) as never;
  }

  /**
   * The framework that runs a suite: a new one each time, since it keeps the suite's tests in its module. What it left
   * on the process would hear of the new suite's errors, and the new one would not.
   */
  override requireInternalModule<T = unknown>(file: string): T {
    delete require.cache[file];
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    return require(file) as T;
  }
}
