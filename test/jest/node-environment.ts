import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { expectNoMoreOpen, openResources } from './open-resources.ts';

type FakeTimersOptions = ConstructorParameters<typeof ModernFakeTimers>[0];

/** Node as it is, for every suite of a process: what node-runtime.ts loads has no other globals. */
export default class NodeEnvironment {
  /** Jest puts a console and guards onto these, which are to be gone with the suite. */
  readonly global: object = Object.create(globalThis, { process: { value: Object.create(process) } });
  readonly moduleMocker = new ModuleMocker(globalThis);
  /** The old kind, which nobody uses. */
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  private readonly openBefore = openResources();

  constructor({ projectConfig }: { projectConfig: FakeTimersOptions['config'] }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {}

  /** Rejects, which fails the suite, when the suite left something behind. */
  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    await expectNoMoreOpen(this.openBefore);
  }

  /** None: code runs in the process's own. */
  getVmContext(): null {
    return null;
  }
}
