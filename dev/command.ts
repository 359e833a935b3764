/** Runs a command of the laptop stack: with progress, child processes, and a clean end after Ctrl-C. */
import { createProgress, type Progress } from './progress.ts';
import { reportFailure } from './stack-error.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from './processes/supervisor.ts';

export interface CommandContext {
  progress: Progress;
  supervisor: Supervisor;
}

export interface CommandOptions extends Omit<SupervisorOptions, 'say'> {
  /** The exit code after Ctrl-C: 0 if Ctrl-C is the usual way to end the command, else 130. */
  stoppedCode: 0 | 130;
  progress?: Progress;
}

/**
 * Runs a command that supervises processes. When the command ends, a signal arrives or a child dies, all children are
 * stopped in order and this process exits. A second Ctrl-C kills the children.
 */
export async function runCommand(
  options: CommandOptions,
  body: (context: CommandContext) => Promise<number>,
): Promise<never> {
  const progress = options.progress ?? createProgress();
  const stop = listenForStop();
  let supervisor: Supervisor | undefined;
  let exitCode: number;
  try {
    // Messages about the removal of temporary data are omitted, because they would follow the result.
    const say = options.throwAway === true ? () => undefined : progress.say;
    supervisor = await createSupervisor({ ...options, say });
    const { failed } = supervisor;
    exitCode = await Promise.race([
      body({ progress, supervisor }),
      failed.then((error) => Promise.reject(error)),
      stop.requested.then((why) => {
        progress.say(`\n${why}: stopping.`);
        return options.stoppedCode;
      }),
    ]);
  } catch (error) {
    reportFailure(error);
    exitCode = 1;
  }
  stop.whenSignalledAgain(() => supervisor?.killAll());
  await supervisor?.stopAll();
  process.exit(exitCode);
}

/** Returns a promise that never resolves, for commands that run until they are stopped. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}

/** The time within which repeated signals count as one, because npm passes on the terminal's Ctrl-C a second time. */
const SAME_SIGNAL_MS = 1_000;

function listenForStop() {
  const { promise: requested, resolve } = Promise.withResolvers<string>();
  let requestedAt: number | undefined;
  let onSecondSignal = () => {};
  const requestStop = (why: string) => {
    if (requestedAt === undefined) {
      requestedAt = Date.now();
      resolve(why);
    } else if (Date.now() - requestedAt > SAME_SIGNAL_MS) onSecondSignal();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => requestStop(signal));
  watchParent(() => requestStop('npm has ended'));
  return { requested, whenSignalledAgain: (listener: () => void) => void (onSecondSignal = listener) };
}

/** Calls back when npm is killed, because Ctrl-C then no longer reaches this process. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, 1_000).unref();
}
