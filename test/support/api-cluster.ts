import { type ApiProcess, startApiProcess } from './api-process.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

/** The API in several processes. */
export interface ApiCluster extends ApiProcess {
  /** Process ids of the children that have listened as this number, the newest last. */
  pidsOf(child: number): number[];
  /** Resolves once so many children in all have listened as this number. */
  listened(child: number, times: number): Promise<unknown>;
  /** Resolves once something that begins so was logged this often. */
  logged(words: string, times?: number): Promise<unknown>;
}

export async function startApiCluster(
  gateway: Gateway,
  processes: number,
  env: Record<string, string> = {},
  descriptors?: number,
): Promise<ApiCluster> {
  const api = await startApiProcess(gateway, { API_PROCESSES: String(processes), ...env }, { descriptors });
  const pidsOf = (child: number): number[] =>
    api.log
      .filter((line) => line.msg === 'the API is listening' && line.child === child)
      .map(({ pid }) => pid);
  const logged = (words: string, times = 1) =>
    eventually(words, async () =>
      api.log.filter(({ msg }) => msg.startsWith(words)).length >= times ? true : undefined,
    );
  const listened = (child: number, times: number) =>
    eventually(`child ${child} for the ${times}th time`, async () =>
      pidsOf(child).length >= times ? true : undefined,
    );
  await logged('all API processes listen');
  // A child's own lines come through another pipe, and may be later than the line about all of them.
  await Promise.all(Array.from({ length: processes }, (_, index) => listened(index + 1, 1)));
  return { ...api, pidsOf, logged, listened };
}

/** Whether a process with this id is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
