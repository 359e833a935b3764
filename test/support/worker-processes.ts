import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BroadcastActivities } from '../../activities/broadcast-activities.ts';
import type { DirectoryActivities } from '../../activities/directory-activities.ts';
import type { MaintenanceActivities } from '../../activities/maintenance-activities.ts';
import type { SweepActivities } from '../../activities/sweep-activities.ts';
import type { ValidationActivities } from '../../activities/validation-activities.ts';
import type { VideoActivities } from '../../activities/video-activities.ts';
import type { WebhookActivities } from '../../activities/webhook-activities.ts';
import { compiledCode } from './compiled-code.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { sharedWorkflowBundle } from './workflow-bundle.ts';

type ActivityName = keyof (VideoActivities &
  WebhookActivities &
  BroadcastActivities &
  ValidationActivities &
  DirectoryActivities &
  SweepActivities &
  MaintenanceActivities);

/** Where a worker is to die: right before an activity has done anything, or after all of it but its answer. */
export interface HoldPoint {
  activity: ActivityName;
  at: 'before' | 'after';
  /** Any run's when absent. */
  workflowId?: string;
}

/** What the child tells: it polls, or an attempt is held at the point with this index. */
export type WorkerNote = 'polling' | { reached: number };

/** A worker process, or several that were started together. */
export interface WorkerProcess {
  /** Resolves once an attempt is held at every point, by any of them: then a death finds all of them there. */
  reached(): Promise<void>;
  /** SIGKILL: nothing is drained, closed or said. */
  kill(): Promise<void>;
}

export interface WorkerProcesses {
  /**
   * Starts a worker on the gateway's queues, or one for each of the environments; resolves when they poll. A worker
   * holds at most as many attempts of a queue as it has slots for.
   */
  start(points?: readonly HoldPoint[], ...envs: Record<string, string>[]): Promise<WorkerProcess>;
  /** Kills what still runs. Throws when a worker had died that nobody killed. */
  close(): Promise<void>;
}

const CHILD = fileURLToPath(new URL('worker-child.ts', import.meta.url));
const KEPT_OUTPUT_CHARACTERS = 10_000;

/** For a gateway without a worker of its own. */
export function createWorkerProcesses(gateway: Gateway): WorkerProcesses {
  const lives: Life[] = [];
  return {
    async start(points = [], ...envs) {
      const bundle = sharedWorkflowBundle === undefined ? [] : [sharedWorkflowBundle];
      const args = ['--no-warnings', CHILD, JSON.stringify(points), JSON.stringify(gateway.times), ...bundle];
      const started = (envs.length === 0 ? [{}] : envs).map((env) =>
        startLife(args, { ...gateway.env, LOG_LEVEL: 'warn', ...env }),
      );
      lives.push(...started);
      for (const life of started) await heard('the worker that polls', [life], 'polling');
      return {
        async reached() {
          for (const [index, { at, activity }] of points.entries())
            await heard(`an attempt held ${at} ${activity}`, started, index);
        },
        async kill() {
          for (const { kill } of started) await kill();
        },
      };
    },
    async close() {
      for (const { kill } of lives) await kill();
    },
  };
}

interface Life {
  /** What the child has told so far. */
  said: ReadonlySet<'polling' | number>;
  /** Throws if the child died by itself. */
  expectAlive(): void;
  kill(): Promise<void>;
}

/** Resolves when one of the children has said so; rejects when a child died instead. */
function heard(what: string, lives: readonly Life[], word: 'polling' | number): Promise<true> {
  return eventually(what, async () => {
    for (const life of lives) life.expectAlive();
    return lives.some(({ said }) => said.has(word)) ? true : undefined;
  });
}

function startLife(args: string[], env: Record<string, string>): Life {
  const child = spawn(process.execPath, args, {
    env: { ...compiledCode, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = keepOutput(child);
  const died = new Promise((resolve) => child.once('exit', resolve));
  const said = new Set<'polling' | number>();
  child.on('message', (note: WorkerNote) => said.add(note === 'polling' ? note : note.reached));
  let killed = false;

  const expectAlive = (): void => {
    if (child.exitCode === null && child.signalCode === null) return;
    throw new Error(`a worker died by itself:\n${output()}`);
  };
  return {
    said,
    expectAlive,
    async kill() {
      if (killed) return;
      killed = true;
      expectAlive();
      child.kill('SIGKILL');
      await died;
    },
  };
}

function keepOutput(child: ChildProcess): () => string {
  let kept = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT_OUTPUT_CHARACTERS);
    });
  }
  return () => kept;
}
