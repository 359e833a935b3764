/** Simulates observability tools that receive the generations of a benchmark. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MeasuredGateway } from '../gateway-process.ts';
import type { Arrivals } from './sink.ts';

/** A separate process that acts as one tool of a customer for each path. */
export interface Tools {
  url(path: string): string;
  arrivals(path: string): Promise<Arrivals>;
  /** Returns the number of spans on the path, including repeated ones. */
  count(path: string): Promise<number>;
  pid: number;
  close(): void;
}

/** Starts the tools. In the mode `counting` they count spans and keep no batch. */
export async function startTools(mode: 'reading' | 'counting' = 'reading'): Promise<Tools> {
  const script = fileURLToPath(new URL('sink.ts', import.meta.url));
  const sink = fork(script, [mode], { execArgv: ['--no-warnings'] });
  const [{ port }] = (await once(sink, 'message')) as [{ port: number }];
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    async arrivals(path) {
      sink.send(path);
      const [arrivals] = (await once(sink, 'message')) as [Arrivals];
      return arrivals;
    },
    async count(path) {
      sink.send(path);
      const [{ spans }] = (await once(sink, 'message')) as [Arrivals];
      return spans;
    },
    pid: sink.pid!,
    close: () => sink.disconnect(),
  };
}

/** Creates a destination that receives prompts and answers, unless `privacyMode`. Returns its id. */
export async function createDestination(
  { origin, managementKey }: MeasuredGateway,
  type: 'webhook' | 'otel-collector',
  url: string,
  privacyMode: boolean,
): Promise<string> {
  const config = type === 'webhook' ? { url } : { endpoint: url };
  const response = await fetch(`${origin}/api/v1/observability/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: type, type, config, privacy_mode: privacyMode }),
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

/** Resolves when the tools have received this many generations each; throws after a minute without one. */
export async function received(tools: Tools, paths: readonly string[], count: number): Promise<void> {
  let [before, sinceMs] = [-1, performance.now()];
  for (;;) {
    const counts: number[] = [];
    for (const path of paths) counts.push((await tools.arrivals(path)).lagsMs.length);
    const least = Math.min(...counts);
    if (least >= count) return;
    if (least > before) [before, sinceMs] = [least, performance.now()];
    if (performance.now() - sinceMs > 60_000) throw new Error(`${least} of ${count} generations came`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
