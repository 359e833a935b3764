import { createRequire } from 'node:module';
import type TestSequencer from '@jest/test-sequencer';

// Required, because its types describe it as CommonJS alone.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof TestSequencer;

/** Folders whose suites wait for deaths, outages and workflows: a minute or two, most of it idle. */
const SLOW = /\/test\/(crashes|outages|workflows)\//;

/** The long suites first, so that no worker is left with one at the end; Jest by itself goes by size. */
export default class LongestFirst extends Sequencer {
  override async sort(...[tests]: Parameters<InstanceType<typeof Sequencer>['sort']>) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }: { path: string }): boolean => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
