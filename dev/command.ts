import { createProgress, type Progress } from './progress.ts';
import { reportFailure } from './stack-error.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from './processes/supervisor.ts';

export interface CommandContext {
  progress: Progress;
  supervisor: Supervisor;
}

export interface CommandOptions extends Omit<SupervisorOptions, 'say'> {
  /** The exit code after Ctrl-C: 0 if that is the usual end, else 130. */
  stoppedCode: 0 | 130;
  progress?: Progress;
}

/**
 * Runs a command that supervises processes. The first event (its end, a signal, a child that died) stops all children
 * in order and exits. A second Ctrl-C kills them.
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
    // Messages about the removal of temporary data would only follow the result.
    const say = options.throwAway === true ? () => undefined : progress.say;
    supervisor = await createSupervisor({ ...options, say });
    const { failed } = supervisor;
    exitCode = await Promise.race([
      body({ progress, supervisor }),
      failed.then((error) => Promise.reject(error)),
      stop.asked.then((why) => {
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

/** The time within which signals count as one: npm repeats the terminal's Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

function listenForStop() {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  let askedAt: number | undefined;
  let onSecondSignal = () => {};
  const ask = (why: string) => {
    if (askedAt === undefined) {
      askedAt = Date.now();
      resolve(why);
    } else if (Date.now() - askedAt > SAME_SIGNAL_MS) onSecondSignal();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
  watchParent(() => ask('npm is gone'));
  return { asked, whenSignalledAgain: (listener: () => void) => void (onSecondSignal = listener) };
}

/** Ends this process when npm is killed, since no terminal could stop it any more. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, 1_000).unref();
}
