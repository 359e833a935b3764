import { setTimeout as delay } from 'node:timers/promises';
import { StackError } from './stack-error.ts';

/**
 * Repeats a check until it finds no problem. Throws a StackError with the last problem after the timeout. If a child
 * ends meanwhile, the supervisor handles that.
 */
export async function waitUntil(
  who: string,
  timeoutMs: number,
  findProblem: () => Promise<string | undefined>,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const problem = await findProblem();
    if (problem === undefined) return;
    if (Date.now() > until) {
      throw new StackError(`${who} was not ready within ${timeoutMs / 1000} s: ${problem}`);
    }
    await delay(50);
  }
}

/** Returns a problem unless the URL answers with a status from 200 to 299. */
export async function httpProblem(
  url: string,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(5_000) });
    const body = await response.text();
    return response.ok ? undefined : `${url} answers ${response.status} ${body.slice(0, 500)}`;
  } catch (error) {
    return `${url} does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}
