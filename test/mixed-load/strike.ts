import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import type { Fault } from './schedule.ts';
import type { Stack } from './stack.ts';

/** Brings the fault about, and resolves when it is over. */
export async function strike(stack: Stack, fault: Fault): Promise<void> {
  const { target, index, forMs } = fault;
  if (target === 'Postgres') return strikePostgres(stack, fault);
  if (target === 'Temporal') return cut(stack.wayToTemporal, fault);
  if (target === 'an API process') {
    return strikeProcess(fault, {
      kill: () => stack.signalApiProcess(index, 'SIGKILL'),
      signal: (name) => stack.signalApiProcess(index, name),
    });
  }
  const kept = target === 'the API' ? stack.api : stack.workers[index - 1]!;
  return strikeProcess(fault, { kill: () => kept.kill(forMs), signal: kept.signal });
}

interface Victim {
  kill(): void;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

async function strikeProcess({ act, forMs }: Fault, { kill, signal }: Victim): Promise<void> {
  if (act === 'kill') kill();
  else signal('SIGSTOP');
  await delay(forMs);
  if (act === 'pause') signal('SIGCONT');
}

async function strikePostgres(stack: Stack, fault: Fault): Promise<void> {
  if (fault.act !== 'kill') return cut(stack.wayToPostgres, fault);
  await stack.postgres.kill();
  await delay(fault.forMs);
  await stack.postgres.restart();
}

async function cut(way: TcpProxy, { act, forMs }: Fault): Promise<void> {
  way.cut(act === 'refusal' ? 'refusal' : 'silence');
  await delay(forMs);
  await way.restore();
}
