import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { findFreePorts } from '../../dev/ports.ts';
import { createSupervisor } from '../../dev/processes/supervisor.ts';
import { createProgress } from '../../dev/progress.ts';
import { findTemporalCli } from '../../dev/temporal/temporal-cli.ts';
import { startTemporal } from '../../dev/temporal/temporal.ts';
import { eventually } from './eventually.ts';
import type { TestNamespace } from './temporal.ts';

/** A dev server on a file, as `npm start` has one, that the test may kill. */
export interface OwnTemporal {
  /** Its default one, which every dev server has from the start. */
  namespace: TestNamespace;
  /** SIGKILL; resolves when nothing listens any more. */
  kill(): Promise<void>;
  /** On the same port, and on the same file or an empty one. */
  restart(memory: 'same' | 'empty'): Promise<void>;
  /** After the gateway's own end. */
  close(): Promise<void>;
}

export async function startOwnTemporal(): Promise<OwnTemporal> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'sluice-temporal-'));
  const quiet = (): void => {};
  const supervisor = await createSupervisor({ dataDir, say: quiet, throwAway: true });
  const logsFolder = path.join(dataDir, 'logs');
  const cli = await findTemporalCli({ progress: createProgress(quiet), supervisor, logsFolder });
  const [port = 0] = await findFreePorts(1);
  const start = (): Promise<string> => startTemporal({ supervisor, cli, dataDir, port, durable: true });
  const kill = async (): Promise<void> => {
    supervisor.killAll();
    await eventually('the end of Temporal', async () => ((await listens(port)) ? undefined : true));
  };
  const address = await start();
  const connection = await Connection.connect({ address });
  return {
    namespace: { address, namespace: 'default', connection, close: () => connection.close() },
    kill,
    async restart(memory) {
      if (memory === 'empty') {
        for (const end of ['', '-wal', '-shm']) {
          await rm(path.join(dataDir, `temporal.db${end}`), { force: true });
        }
      }
      await start();
    },
    async close() {
      await kill();
      await supervisor.stopAll();
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
