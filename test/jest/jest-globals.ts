import type * as Globals from '@jest/globals';

type JestGlobals = typeof Globals;

let current: JestGlobals;

/** Of the suite that is about to be loaded; one suite at a time runs in a process. */
export function setJestGlobals(globals: JestGlobals): void {
  current = globals;
}

/** Whatever is done with it is done with the present suite's: what suites share is loaded but once. */
function presentSuites<Name extends keyof JestGlobals>(name: Name): JestGlobals[Name] {
  return new Proxy(() => {}, {
    apply: (_target, _self, args) => Reflect.apply(current[name] as () => unknown, undefined, args),
    get: (_target, key) => Reflect.get(current[name], key),
  }) as unknown as JestGlobals[Name];
}

// In place of the package @jest/globals, which only Jest's own loader can serve.
export const afterAll = presentSuites('afterAll');
export const afterEach = presentSuites('afterEach');
export const beforeAll = presentSuites('beforeAll');
export const beforeEach = presentSuites('beforeEach');
export const describe = presentSuites('describe');
export const expect = presentSuites('expect');
export const jest = presentSuites('jest');
export const test = presentSuites('test');
