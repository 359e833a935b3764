import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { expectNoMoreOpen, openResources } from './open-resources.ts';
import { startSuiteCost } from './suite-cost.ts';

/** What is read of jest-circus. */
type CircusEvent = { name: 'test_done'; test: { errors: unknown[] } } | { name: 'run_finish' };
type CircusState = { unhandledErrors: readonly unknown[] };

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
  private hasFailed = false;
  private readonly noteCost: () => void;
  /** Once all tests have run. */
  private unhandledErrors: readonly unknown[] | undefined;

  constructor(
    { projectConfig }: { projectConfig: FakeTimersOptions['config'] },
    { testPath }: { testPath: string },
  ) {
    this.noteCost = startSuiteCost(testPath);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {}

  /** Told by Jest of all that happens. */
  handleTestEvent(event: CircusEvent, state: CircusState): void {
    if (event.name === 'test_done' && event.test.errors.length > 0) this.hasFailed = true;
    if (event.name === 'run_finish') this.unhandledErrors = state.unhandledErrors;
  }

  /**
   * Rejects, which fails the suite, when the suite left something behind. Of one that failed, which may well have, Jest
   * would then tell nothing else.
   */
  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.noteCost();
    if (!this.hasFailed && this.unhandledErrors?.length === 0) await expectNoMoreOpen(this.openBefore);
  }

  /** None: code runs in the process's own. */
  getVmContext(): null {
    return null;
  }
}
