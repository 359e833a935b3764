import { createProgress, type Progress } from './progress.ts';
import { reportFailure } from './stack-error.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from './processes/supervisor.ts';

export interface CommandContext {
  progress: Progress;
  supervisor: Supervisor;
}

export interface CommandOptions extends Omit<SupervisorOptions, 'say'> {
  /** The exit code when a person stops it: 0 where that is the usual end, else 130. */
  stoppedCode: 0 | 130;
  progress?: Progress;
}

/**
 * The frame of every command that supervises processes: runs the body, and whatever comes first (its end, a
 * signal, a child that died) stops all children in order and exits. A second Ctrl-C kills them.
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
    // The end of what is thrown away is not worth a line after the verdict.
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
  stop.whenImpatient(() => supervisor?.killAll());
  await supervisor?.stopAll();
  process.exit(exitCode);
}

/** For a command that runs until it is stopped. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}

/** Signals that come within this time of the first are the same wish: npm repeats the terminal's Ctrl-C. */
const SAME_WISH_MS = 1_000;

function listenForStop() {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  let askedAt: number | undefined;
  let onImpatience = () => {};
  const ask = (why: string) => {
    if (askedAt === undefined) {
      askedAt = Date.now();
      resolve(why);
    } else if (Date.now() - askedAt > SAME_WISH_MS) onImpatience();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
  watchParent(() => ask('npm is gone'));
  return { asked, whenImpatient: (listener: () => void) => void (onImpatience = listener) };
}

/** Under npm, a killed npm would leave this process running without anybody to stop it. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, 1_000).unref();
}
